"""The tokens of a text, each with its id and its count, also at several sizes of the vocabulary, truncated to n tokens.

| model | truncated to n tokens | equals training to n tokens |
|---|---|---|
| BPE | its first merges | yes: training continues from there |
| unigram | its best tokens; single characters and bytes stay | nearly: training would weigh them again |
| WordPiece, words | its first tokens | if the ids are in the order of training; BERT's are not |

Special tokens and the unknown token always stay.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tokenizers import Tokenizer

from rowspace._base.plural import plural
from rowspace.errors import UsageError
from rowspace.text.tokenizers.huggingface import AnyTokenizer, as_tokenizer, require_huggingface

__all__ = [
    "SplitToken",
    "minimum_size",
    "split_tokens",
    "tokenize_at_sizes",
    "truncate_counts",
    "truncate_vocabulary",
]

_Model = dict[str, Any]
_BYTE = re.compile("<0x[0-9A-F]{2}>")


@dataclass(frozen=True)
class SplitToken:
    """A token of a text, its id, and its count in training, if known."""

    token: str
    id: int
    count: int | None = None


def split_tokens(
    text: str, tokenizer: AnyTokenizer, *, counts: Mapping[str, int] | None = None, ids: Mapping[str, int] | None = None
) -> list[SplitToken]:
    """Return the tokens of a text, without special tokens around it and without truncation.

    Args:
        text: The text.
        tokenizer: Any tokenizer.
        counts: The counts of tokens; one without has 0.
        ids: The ids to show, by token, instead of the tokenizer's own.

    Raises:
        UsageError: the tokenizer fails on the text.
    """
    source = as_tokenizer(tokenizer)
    encoding = source.encode_with_offsets([text])[0]
    pieces = list[SplitToken]()
    for shown, number in zip(encoding.tokens, encoding.ids.tolist(), strict=True):
        token = source.token(number)  # for an unknown token, unigram shows the text itself
        count = None if counts is None else counts.get(token, 0)
        pieces.append(SplitToken(shown, number if ids is None else ids[token], count))
    return pieces


def tokenize_at_sizes(
    text: str, tokenizer: AnyTokenizer, sizes: Iterable[int], *, counts: Mapping[str, int] | None = None
) -> dict[int, list[SplitToken]]:
    """Return the tokens of a text at each size of the tokenizer's vocabulary, with their ids in the whole vocabulary.

    Args:
        text: The text.
        tokenizer: Any tokenizer with a tokenizer.json.
        sizes: Sizes of the vocabulary.
        counts: The counts of the whole vocabulary's tokens; those at a smaller size are from `truncate_counts`.

    Raises:
        UsageError: a size is not possible, or the tokenizer has no tokenizer.json.

    >>> from tokenizers.models import BPE
    >>> tokenizer = Tokenizer(BPE({"a": 0, "b": 1, "ab": 2, "abab": 3}, [("a", "b"), ("ab", "ab")]))
    >>> splits = tokenize_at_sizes("abab", tokenizer, [2, 3, 4])
    >>> [[piece.token for piece in pieces] for pieces in splits.values()]
    [['a', 'b', 'a', 'b'], ['ab', 'ab'], ['abab']]
    """
    library = require_huggingface(tokenizer, "a smaller vocabulary")
    ids = library.get_vocab(with_added_tokens=True)
    return {
        size: split_tokens(
            text,
            truncate_vocabulary(library, size),
            counts=None if counts is None else truncate_counts(library, counts, size),
            ids=ids,
        )
        for size in sizes
    }


def truncate_vocabulary(tokenizer: AnyTokenizer, size: int) -> Tokenizer:
    """Return a tokenizer with a vocabulary of `size` tokens, whose ids are 0 to size - 1 in the same order.

    It adds no special tokens around a text.

    Args:
        tokenizer: Any tokenizer with a tokenizer.json.
        size: The number of tokens.

    Raises:
        UsageError: there are fewer tokens than `size`, more must stay, or the tokenizer has no tokenizer.json.
    """
    library, document = _document(tokenizer)
    model: _Model = document["model"]
    available = library.get_vocab_size(with_added_tokens=True)
    if size > available:
        raise UsageError(
            f"a vocabulary of {plural(size, 'token')} is larger than this tokenizer's, which has {available:,}"
        )
    required, outside = _required(document)
    if size - outside < len(required):
        least = f"{len(required) + outside:,} {_REQUIRED[model['type']]}"
        raise UsageError(f"a vocabulary of {plural(size, 'token')} is too small: {least} always stay")
    _TRUNCATE[model["type"]](model, required, size - outside)
    document |= {"post_processor": None, "truncation": None, "padding": None}
    return Tokenizer.from_str(json.dumps(document))


def minimum_size(tokenizer: AnyTokenizer) -> int:
    """Return the smallest size that `truncate_vocabulary` accepts.

    Raises:
        UsageError: the tokenizer has no tokenizer.json.

    >>> from tokenizers.models import BPE
    >>> minimum_size(Tokenizer(BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])))
    2
    """
    required, outside = _required(_document(tokenizer)[1])
    return len(required) + outside


def truncate_counts(
    tokenizer: AnyTokenizer, counts: Mapping[str, int], size: int, *, truncated: Tokenizer | None = None
) -> dict[str, int] | None:
    """Return how often each token would have occurred at a smaller size, or None if unknown.

    Each merge that is removed is undone: its token's count goes to the two tokens that it joined. The counts of whole
    words that are removed go to the unknown token. The counts of other models, and of several
    merges that make the same token, are unknown.

    Args:
        tokenizer: Any tokenizer with a tokenizer.json.
        counts: The counts of the whole vocabulary's tokens.
        size: The smaller size.
        truncated: The result of `truncate_vocabulary`, if there is one already.

    Raises:
        UsageError: the size is not possible, or the tokenizer has no tokenizer.json.

    >>> from tokenizers.models import BPE
    >>> tokenizer = Tokenizer(BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    >>> truncate_counts(tokenizer, {"a": 1, "b": 2, "ab": 10}, 2)
    {'a': 11, 'b': 12}
    """
    library = require_huggingface(tokenizer, "a smaller vocabulary")
    if size == library.get_vocab_size(with_added_tokens=True):
        return dict(counts)
    model: _Model = json.loads(library.to_str())["model"]
    if model["type"] == "BPE":
        parts_of = list(zip(_made(model), model["merges"], strict=True))
        if len({token for token, _ in parts_of}) < len(parts_of):
            return None
    elif model["type"] == "WordLevel":
        parts_of = [(word, [model["unk_token"]]) for word in model["vocab"]]
    else:
        return None
    kept = (truncated or truncate_vocabulary(library, size)).get_vocab(with_added_tokens=True)
    left = dict(counts)
    for token, parts in reversed(parts_of):
        if token not in kept:
            count = left.pop(token, 0)
            for part in parts:
                left[part] = left.get(part, 0) + count
    return left


def _document(tokenizer: AnyTokenizer) -> tuple[Tokenizer, dict[str, Any]]:
    """Return the `tokenizers` library's own tokenizer, and its tokenizer.json."""
    library = require_huggingface(tokenizer, "a smaller vocabulary")
    return library, json.loads(library.to_str())


def _required(document: dict[str, Any]) -> tuple[set[str], int]:
    """Return the tokens of the model that every size keeps, and the number of tokens added outside of it."""
    model: _Model = document["model"]
    pieces = [piece for piece, _ in model["vocab"]] if model["type"] == "Unigram" else list(model["vocab"])
    vocabulary = set(pieces)
    added = {token["content"] for token in document["added_tokens"]}
    required = (added | ({model["unk_token"]} if model.get("unk_token") else set())) & vocabulary
    if model["type"] == "BPE":
        required |= vocabulary.difference(_made(model))
    elif model["type"] == "Unigram":
        unknown = None if model["unk_id"] is None else pieces[model["unk_id"]]
        required |= {piece for piece in pieces if len(piece) == 1 or piece == unknown or _BYTE.fullmatch(piece)}
    return required, len(added - vocabulary)


def _made(model: _Model) -> list[str]:
    """Return the token that each merge makes."""
    prefix = len(model["continuing_subword_prefix"] or "")
    return [left + right[prefix:] for left, right in model["merges"]]


def _truncate_merges(model: _Model, kept: set[str], size: int) -> None:
    """Keep the first merges, and tokens that no merge makes; merges of removed tokens are removed too."""
    merges = list[list[str]]()
    for token, parts in zip(_made(model), model["merges"], strict=True):
        if token not in kept and len(kept) == size:
            break
        kept.add(token)
        merges.append(parts)
    model["merges"] = [parts for parts in merges if kept.issuperset(parts)]
    _keep(model, kept.__contains__)


def _truncate_unigram(model: _Model, kept: set[str], size: int) -> None:
    """Keep the pieces with the best scores."""
    pieces: list[tuple[str, float]] = model["vocab"]
    unknown = None if model["unk_id"] is None else pieces[model["unk_id"]][0]
    best = sorted((pair for pair in pieces if pair[0] not in kept), key=lambda pair: -pair[1])
    kept.update(piece for piece, _ in best[: size - len(kept)])
    model["vocab"] = [pair for pair in pieces if pair[0] in kept]
    model["unk_id"] = None if unknown is None else [piece for piece, _ in model["vocab"]].index(unknown)


def _keep_first(model: _Model, kept: set[str], size: int) -> None:
    """Keep the first tokens."""
    others = [token for token in sorted(model["vocab"], key=model["vocab"].__getitem__) if token not in kept]
    kept.update(others[: size - len(kept)])
    _keep(model, kept.__contains__)


def _keep(model: _Model, predicate: Callable[[str], bool]) -> None:
    """Remove all tokens but the wanted ones from a vocabulary, and number these from 0."""
    order = sorted(model["vocab"], key=model["vocab"].__getitem__)
    model["vocab"] = {token: number for number, token in enumerate(filter(predicate, order))}


_TRUNCATE = {"BPE": _truncate_merges, "Unigram": _truncate_unigram, "WordPiece": _keep_first, "WordLevel": _keep_first}
_REQUIRED = {
    "BPE": "tokens that no merge makes",
    "Unigram": "single characters and special tokens",
    "WordPiece": "special tokens",
    "WordLevel": "special tokens",
}
