"""The same text cut by one tokenizer at several sizes of its vocabulary, each token with its id and its count.

| kind | cut to n tokens | what training to n tokens would have given |
|---|---|---|
| BPE | its first merges | exactly this: training goes on from there |
| unigram | its best tokens; single characters and bytes stay | nearly: training would weigh them again |
| WordPiece, words | its first tokens | this, if the ids are in the order of training; BERT's are not |

Special tokens and the unknown token always stay. Left out: counting tokens in a corpus (coverage.py).
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

__all__ = ["SplitToken", "minimum_size", "split_tokens", "tokenize_at_sizes", "truncate_counts", "truncate_vocabulary"]

_Model = dict[str, Any]
_BYTE = re.compile("<0x[0-9A-F]{2}>")


@dataclass(frozen=True)
class SplitToken:
    """A token of a text, its id, and how often it was trained, where that is known."""

    token: str
    id: int
    count: int | None = None


def split_tokens(
    text: str, tokenizer: AnyTokenizer, *, counts: Mapping[str, int] | None = None, ids: Mapping[str, int] | None = None
) -> list[SplitToken]:
    """Return a text's tokens, without special tokens around it and without truncation.

    `counts`: of tokens; one that is not there has 0. `ids`: those to show, by token, if not the tokenizer's own.
    """
    source = as_tokenizer(tokenizer)
    found = source.encode_with_offsets([text])[0]
    pieces = list[SplitToken]()
    for shown, number in zip(found.tokens, found.ids.tolist(), strict=True):
        token = source.token(number)  # where a unigram tokenizer does not know the text it shows the text itself
        count = None if counts is None else counts.get(token, 0)
        pieces.append(SplitToken(shown, number if ids is None else ids[token], count))
    return pieces


def tokenize_at_sizes(
    text: str, tokenizer: AnyTokenizer, sizes: Iterable[int], *, counts: Mapping[str, int] | None = None
) -> dict[int, list[SplitToken]]:
    """Return a text's tokens at each size of the tokenizer's vocabulary, with the ids that they have in the whole one.

    `counts`: of the whole vocabulary's tokens; those at a smaller size follow where `truncate_counts` can tell. Raises
    UsageError as `truncate_vocabulary` does.

    >>> from tokenizers.models import BPE
    >>> tokenizer = Tokenizer(BPE({"a": 0, "b": 1, "ab": 2, "abab": 3}, [("a", "b"), ("ab", "ab")]))
    >>> cut = tokenize_at_sizes("abab", tokenizer, [2, 3, 4])
    >>> [[piece.token for piece in pieces] for pieces in cut.values()]
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
    """Return a tokenizer with a vocabulary cut to `size` tokens, ids 0 to size - 1 in the order that they had.

    It adds no special tokens around a text. Raises UsageError for more tokens than there are, and for fewer than
    must stay, and for a tokenizer that is no tokenizer.json.
    """
    library, document = _document(tokenizer)
    model: _Model = document["model"]
    have = library.get_vocab_size(with_added_tokens=True)
    if size > have:
        raise UsageError(f"a vocabulary of {plural(size, 'token')} cannot be cut from this one, which has {have:,}")
    stays, outside = _that_stay(document)
    if size - outside < len(stays):
        least = f"{len(stays) + outside:,} {_STAYS[model['type']]}"
        raise UsageError(f"a vocabulary of {plural(size, 'token')} is too small: {least} always stay")
    _CUT[model["type"]](model, stays, size - outside)
    document |= {"post_processor": None, "truncation": None, "padding": None}
    return Tokenizer.from_str(json.dumps(document))


def minimum_size(tokenizer: AnyTokenizer) -> int:
    """Return the fewest tokens that `truncate_vocabulary` can leave; raises UsageError as it does.

    >>> from tokenizers.models import BPE
    >>> minimum_size(Tokenizer(BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])))
    2
    """
    stays, outside = _that_stay(_document(tokenizer)[1])
    return len(stays) + outside


def truncate_counts(
    tokenizer: AnyTokenizer, counts: Mapping[str, int], size: int, *, cut: Tokenizer | None = None
) -> dict[str, int] | None:
    """Return how often each token would have come at a smaller size, from the `counts` at the whole size.

    Each merge that is cut off is undone: its token's count goes to the two that it was made of. The counts of whole
    words that are cut off go to the unknown token. None where that is not known: for other kinds, and where several
    merges make the same token. `cut`: what `truncate_vocabulary` makes of it, where that is at hand.

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
    kept = (cut or truncate_vocabulary(library, size)).get_vocab(with_added_tokens=True)
    left = dict(counts)
    for token, parts in reversed(parts_of):
        if token not in kept:
            count = left.pop(token, 0)
            for part in parts:
                left[part] = left.get(part, 0) + count
    return left


def _document(tokenizer: AnyTokenizer) -> tuple[Tokenizer, dict[str, Any]]:
    """Return the `tokenizers` library's own, and what its tokenizer.json says."""
    library = require_huggingface(tokenizer, "a smaller vocabulary")
    return library, json.loads(library.to_str())


def _that_stay(document: dict[str, Any]) -> tuple[set[str], int]:
    """Return the tokens of the model that every size keeps, and how many others were added outside of it."""
    model: _Model = document["model"]
    pieces = [piece for piece, _ in model["vocab"]] if model["type"] == "Unigram" else list(model["vocab"])
    vocabulary = set(pieces)
    added = {token["content"] for token in document["added_tokens"]}
    stays = (added | ({model["unk_token"]} if model.get("unk_token") else set())) & vocabulary
    if model["type"] == "BPE":
        stays |= vocabulary.difference(_made(model))
    elif model["type"] == "Unigram":
        unknown = None if model["unk_id"] is None else pieces[model["unk_id"]]
        stays |= {piece for piece in pieces if len(piece) == 1 or piece == unknown or _BYTE.fullmatch(piece)}
    return stays, len(added - vocabulary)


def _made(model: _Model) -> list[str]:
    """Return the token that each merge makes."""
    prefix = len(model["continuing_subword_prefix"] or "")
    return [left + right[prefix:] for left, right in model["merges"]]


def _cut_merges(model: _Model, kept: set[str], size: int) -> None:
    """Keep the first merges, and what no merge makes; merges of what is not kept go too."""
    merges = list[list[str]]()
    for token, parts in zip(_made(model), model["merges"], strict=True):
        if token not in kept and len(kept) == size:
            break
        kept.add(token)
        merges.append(parts)
    model["merges"] = [parts for parts in merges if kept.issuperset(parts)]
    _keep(model, kept.__contains__)


def _cut_unigram(model: _Model, kept: set[str], size: int) -> None:
    """Keep the pieces of the best score."""
    pieces: list[tuple[str, float]] = model["vocab"]
    unknown = None if model["unk_id"] is None else pieces[model["unk_id"]][0]
    best = sorted((pair for pair in pieces if pair[0] not in kept), key=lambda pair: -pair[1])
    kept.update(piece for piece, _ in best[: size - len(kept)])
    model["vocab"] = [pair for pair in pieces if pair[0] in kept]
    model["unk_id"] = None if unknown is None else [piece for piece, _ in model["vocab"]].index(unknown)


def _cut_first(model: _Model, kept: set[str], size: int) -> None:
    """Keep the first tokens."""
    others = [token for token in sorted(model["vocab"], key=model["vocab"].__getitem__) if token not in kept]
    kept.update(others[: size - len(kept)])
    _keep(model, kept.__contains__)


def _keep(model: _Model, wanted: Callable[[str], bool]) -> None:
    """Leave the tokens that are not wanted out of a vocabulary, and number the others from 0."""
    order = sorted(model["vocab"], key=model["vocab"].__getitem__)
    model["vocab"] = {token: number for number, token in enumerate(filter(wanted, order))}


_CUT = {"BPE": _cut_merges, "Unigram": _cut_unigram, "WordPiece": _cut_first, "WordLevel": _cut_first}
_STAYS = {
    "BPE": "tokens that no merge makes",
    "Unigram": "single characters and special tokens",
    "WordPiece": "special tokens",
    "WordLevel": "special tokens",
}
