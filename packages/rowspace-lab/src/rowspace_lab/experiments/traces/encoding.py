"""A byte-pair tokenizer applied to a text, merge by merge, until the tokens are the tokenizer's own.

The tokenizer's library does everything except the merging. A tokenizer.json without its merges gives the initial
symbols, after all its other steps; tiktoken starts from the bytes of words.
"""

import heapq
import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from tokenizers import Tokenizer

from rowspace.errors import UsageError
from rowspace.files.tokenizer_json import bytes_to_alphabet
from rowspace.text.characters import clean
from rowspace.text.tokenizers.huggingface import AnyTokenizer, require_huggingface
from rowspace.text.tokenizers.tiktoken_reader import TiktokenTokenizer
from rowspace_lab.experiments.traces.segmentation import NOWHERE, Merge, Pair, Segmentation

__all__ = ["trace_encoding"]

_Words = dict[int | None, list[str]]
_Rank = Callable[[Pair], int | None]


def trace_encoding(text: str, tokenizer: AnyTokenizer) -> Iterator[Merge]:
    """Encode a text with a byte-pair tokenizer, and yield each merge that applies to it, those of lower rank first.

    After the last one the tokens are the tokenizer's own, without special tokens, truncation and dropout. A tokenizer
    whose list is not in the order of training may return to a lower rank. For one that does not split known words
    (`ignore_merges`, and all of tiktoken) the merges that lead to them are shown, if there are any. The tokens of
    tiktoken are in GPT-2's byte alphabet.

    Args:
        text: The text.
        tokenizer: A byte-pair tokenizer.

    Raises:
        UsageError: the tokenizer is of another kind.

    >>> from tokenizers.models import BPE
    >>> vocabulary = {"a": 0, "b": 1, "ab": 2, "aba": 3}
    >>> tokenizer = Tokenizer(BPE(vocabulary, [("a", "b"), ("ab", "a")]))
    >>> [(merge.rank, merge.count, merge.tokens) for merge in trace_encoding("ababa", tokenizer)]
    [(0, 2, ['ab', 'ab', 'a']), (1, 1, ['ab', 'aba'])]
    """
    if isinstance(tokenizer, TiktokenTokenizer):
        return _trace_ranks(text, tokenizer)
    library = require_huggingface(tokenizer, "a trace of merges")
    document: dict[str, Any] = json.loads(library.to_str()) | {"truncation": None, "padding": None}
    model = document["model"]
    if model["type"] != "BPE":
        raise UsageError(f"only byte-pair encoding (BPE) has merges, and this tokenizer is of kind {model['type']}")
    prefix = model["continuing_subword_prefix"] or ""
    ranks: dict[Pair, int] = {(left, right): rank for rank, (left, right) in enumerate(model["merges"])}
    rank = ranks.get
    first = _words(text, document, merges=[], ignore_merges=False)
    if model["ignore_merges"]:
        first = _whole_where_merges_differ(first, _words(text, document), rank, prefix)
    return _apply(_Text(first, prefix), rank)


def _trace_ranks(text: str, tokenizer: TiktokenTokenizer) -> Iterator[Merge]:
    """Yield the merges of a tiktoken encoding, its bytes in GPT-2's alphabet; a word that has a rank is not split."""
    ranks = {bytes_to_alphabet(token): rank for token, rank in tokenizer.ranks.items()}
    first, expected = _Words(), _Words()
    for number, (_, word, ids) in enumerate(tokenizer.words(text)):
        first[number] = list(bytes_to_alphabet(word))
        expected[number] = [bytes_to_alphabet(tokenizer.token_bytes(each) or b"") for each in ids]

    def rank(pair: Pair) -> int | None:
        return ranks.get(pair[0] + pair[1])

    first = _whole_where_merges_differ(first, expected, rank, "")
    return _apply(_Text(first, ""), rank)


def _words(text: str, document: dict[str, Any], **changes: object) -> _Words:
    """Return the tokens of each word, by its number, as a tokenizer.json with changes to its model splits the text."""
    model = document["model"] | {"dropout": None} | changes
    library = Tokenizer.from_str(json.dumps(document | {"model": model}))
    encoding = library.encode(clean(text), add_special_tokens=False)
    words = _Words()
    for word, token in zip(encoding.word_ids, encoding.tokens, strict=True):
        words.setdefault(word, []).append(token)
    return words


def _whole_where_merges_differ(first: _Words, expected: _Words, rank: _Rank, prefix: str) -> _Words:
    """Return the symbols to start from; for words that merges would split differently, the `expected` token."""
    text = _Text({word: first.get(word, []) for word in expected}, prefix)
    steps = sum(1 for _ in _apply(text, rank))
    reached = text.words(steps)
    pairs = zip(text.order, expected.items(), strict=True)
    return {word: first[word] if reached[number] == tokens else tokens for number, (word, tokens) in pairs}


class _Text(Segmentation):
    """The words of a text, each distinct one once. `weights`: how often the word of each position occurs."""

    def __init__(self, words: _Words, prefix: str) -> None:
        numbers = dict[tuple[str, ...], int]()
        self.order = [numbers.setdefault(tuple(word), len(numbers)) for word in words.values()]
        super().__init__(numbers, order=self.order, prefix=prefix)
        times = Counter(self.order)
        self.weights = [times[number] for word, number in numbers.items() for _ in word]
        self.prefix = prefix


def _apply(text: _Text, rank_of: _Rank) -> Iterator[Merge]:
    """Join the pair of lowest rank, the first one for equal ranks, until no pair has a rank."""
    queue = list[tuple[int, int, Pair]]()

    def push(position: int) -> None:
        pair = None if position == NOWHERE else text.pair(position)
        rank = None if pair is None else rank_of(pair)
        if pair is not None and rank is not None:
            heapq.heappush(queue, (rank, position, pair))

    for position in range(len(text.symbols)):
        push(position)
    step = 0
    while queue:
        rank, _, pair = queue[0]
        merged, count = pair[0] + pair[1][len(text.prefix) :], 0
        while queue and queue[0][0] == rank and queue[0][2] == pair:  # in tiktoken two pairs can have one rank
            _, position, _ = heapq.heappop(queue)
            if text.pair(position) == pair:
                text.join(position, merged, step=step + 1)
                count += text.weights[position]
                push(text.preceding[position])
                push(position)
        if count:
            step += 1
            yield Merge(*pair, merged, count=count, rank=rank, step=step, _segmentation=text)
