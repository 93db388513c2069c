"""`dedupe`: texts → which of them are near-duplicates of an earlier one."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.parallel import map_ranges
from rowspace.errors import UsageError
from rowspace.grouping.kernels import BUCKETS, Postings, keep_first, write_grams
from rowspace.text.characters import as_array, character_table, utf8

__all__ = ["Duplicates", "dedupe"]

GRAM = 5  # characters
TEXTS_AT_ONCE = 1 << 13
_LEVELS = 8  # of rarity, for each doubling of a count


class Duplicates(NamedTuple):
    """The near-duplicates among n texts.

    Attributes:
        kept: The indices of the texts to keep, in order: int64 (k,).
        first: For each text the index of the kept text that it repeats; of a kept text its own: int64 (n,).
        similarity: The Jaccard similarity of the two, 1 for a kept text: float32 (n,).
    """

    kept: NDArray[np.int64]
    first: NDArray[np.int64]
    similarity: NDArray[np.float32]


def dedupe(texts: Iterable[str], *, threshold: float = 0.7) -> Duplicates:
    """Find texts that nearly repeat an earlier text.

    Two texts are compared by their sets of 5 successive characters, of the words in lowercase: case, punctuation and
    white space make no difference. A text is left out if its Jaccard similarity (shared n-grams by all n-grams of the
    two) to a kept text before it is at least the threshold. The search is exact: no such pair is missed, and texts
    that are similar only through a third one are not joined. The similarities are those of n-grams hashed to 24 bits.

    Args:
        texts: n texts.
        threshold: The least similarity of near-duplicates, from 0.1 to 1.

    Raises:
        UsageError: A text is not a string, or the threshold is out of range.

    >>> found = dedupe(["The cat sat on the mat.", "A dog barked.", "the cat sat on the mat!"])
    >>> found.kept.tolist(), found.first.tolist()
    ([0, 1], [0, 1, 0])
    """
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0.1 <= threshold <= 1:
        raise UsageError(f"threshold must be a number from 0.1 to 1, not {threshold!r}")
    data = _encoded(texts)
    grams, starts = _gram_sets(data)
    first = np.empty(len(data), np.int64)
    similarity = np.empty(len(data), np.float32)
    seen = np.full(len(data), -1, np.int32)
    keep_first(grams, starts, _empty_postings(grams, starts, threshold), float(threshold), seen, first, similarity)
    return Duplicates(np.flatnonzero(first == np.arange(len(data))), first, similarity)


def _encoded(texts: Iterable[str]) -> list[bytes]:
    if isinstance(texts, str | bytes):
        raise UsageError(f"texts must be a list of texts, not {type(texts).__name__}; put a single text into a list")
    data = list[bytes]()
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise UsageError(f"text {index} is {type(text).__name__}, expected a string")
        data.append(utf8(text))
    return data


def _gram_sets(data: list[bytes]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return the sorted n-grams of each text, rare ones first, and where those of each begin: int64 (n + 1,)."""
    ranges = [(begin, min(begin + TEXTS_AT_ONCE, len(data))) for begin in range(0, len(data), TEXTS_AT_ONCE)]
    found = map_ranges(lambda begin, end: _grams(data[begin:end]), ranges)
    counts = np.zeros(BUCKETS, np.int64)
    for grams, _ in found:
        counts += np.bincount(grams, minlength=BUCKETS)
    rarity = np.minimum(_LEVELS * np.log2(np.maximum(counts, 1)), 255).astype(np.int64) * BUCKETS
    sets = map_ranges(lambda index, _: _sorted_sets(*found[index], rarity), [(index, 0) for index in range(len(found))])
    sizes = np.concatenate([np.zeros(1, np.int64), *(size for _, size in sets)])
    return np.concatenate([np.empty(0, np.uint32), *(grams for grams, _ in sets)]), np.cumsum(sizes)


def _grams(data: list[bytes]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the buckets of the n-grams of texts, in order, and how many each text has."""
    ends = np.cumsum([0, *map(len, data)])
    grams, sizes = np.empty(int(ends[-1]) + len(data), np.int64), np.empty(len(data), np.int64)
    write_grams(as_array(b"".join(data)), ends, character_table(cased=False), GRAM, grams, sizes)
    return grams[: sizes.sum()].astype(np.int32), sizes


def _sorted_sets(
    grams: NDArray[np.int32], sizes: NDArray[np.int64], rarity: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return the distinct n-grams of each text, sorted by rarity and bucket, and how many each text has."""
    keys = (np.repeat(np.arange(len(sizes)), sizes) << 32) | rarity[grams] | grams
    keys.sort()
    keys = keys[np.flatnonzero(np.diff(keys, prepend=-1))]
    return (keys & 0xFFFFFFFF).astype(np.uint32), np.bincount(keys >> 32, minlength=len(sizes))


def _empty_postings(grams: NDArray[np.uint32], starts: NDArray[np.int64], threshold: float) -> Postings:
    """Return room for the prefixes of all texts."""
    sizes = np.diff(starts)
    is_prefix = np.arange(len(grams)) - np.repeat(starts[:-1], sizes) <= np.repeat(
        sizes - np.ceil(threshold * sizes - 1e-9), sizes
    )
    room = np.bincount(grams[is_prefix] & np.uint32(BUCKETS - 1), minlength=BUCKETS)
    return Postings(
        np.concatenate([np.zeros(1, np.int64), np.cumsum(room)]),
        np.zeros(BUCKETS, np.int32),
        np.empty(room.sum(), np.int32),
        np.empty(room.sum(), np.int32),
    )
