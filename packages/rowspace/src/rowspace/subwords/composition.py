"""The n-grams of all words of a vocabulary and the rows computed from them, compiled."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace._base.parallel import map_ranges, split_range
from rowspace.subwords.hashing import END_OF_SENTENCE, FNV_PRIME, FNV_START, PRUNED_BUCKET, Subwords

__all__ = ["RaggedNgrams", "compose", "compose_rows", "list_buckets", "list_ngrams", "list_places"]

OPEN, CLOSE = ord("<"), ord(">")
ROWS_AT_ONCE = 4096


class RaggedNgrams(NamedTuple):
    """The n-grams of each word, in CSR form: those of word w are `indices[indptr[w] : indptr[w + 1]]`."""

    indptr: NDArray[np.int64]  # (V + 1,)
    indices: NDArray[np.int32]  # buckets, or indices of rows


def list_ngrams(vocabulary: Sequence[str], *, min_n: int, max_n: int, buckets: int) -> RaggedNgrams:
    """Return the buckets of each word's n-grams.

    Args:
        vocabulary: The words; `END_OF_SENTENCE` has no n-grams.
        min_n: Minimum length of an n-gram in characters.
        max_n: Maximum length of an n-gram in characters.
        buckets: Number of buckets.

    Returns:
        One bucket per n-gram, in the order of `ngrams`.

    >>> list_ngrams(["at", ""], min_n=3, max_n=6, buckets=1000).indptr.tolist()
    [0, 3, 3]
    """
    words = [word.encode(errors="surrogatepass") for word in vocabulary]
    ends = np.cumsum([len(word) for word in words], dtype=np.int64)
    text = np.frombuffer(b"".join(words), np.uint8)
    starts = np.zeros(len(words) + 1, np.int64)
    # The first pass counts, the second one lists.
    list_buckets(text, ends, min_n, max_n, buckets, starts, np.zeros(0, np.int32))
    values = np.zeros(starts[-1], np.int32)
    list_buckets(text, ends, min_n, max_n, buckets, starts, values)
    listed = RaggedNgrams(starts, values)
    for number in [number for number, word in enumerate(vocabulary) if word == END_OF_SENTENCE]:
        listed = _without(number, listed)
    return listed


def _without(word: int, listed: RaggedNgrams) -> RaggedNgrams:
    """Remove all n-grams of one word."""
    starts, (first, end) = listed.indptr.copy(), listed.indptr[word : word + 2]
    starts[word + 1 :] -= end - first
    return RaggedNgrams(starts, np.delete(listed.indices, slice(first, end)))


def list_places(words: Sequence[str], subwords: Subwords) -> RaggedNgrams:
    """List the places in `subwords.rows` of the n-grams of words, without pruned ones."""
    listed = list_ngrams(words, min_n=subwords.min_n, max_n=subwords.max_n, buckets=len(subwords.places))
    places = subwords.places[listed.indices]
    kept = places != PRUNED_BUCKET
    if kept.all():
        return RaggedNgrams(listed.indptr, places)
    return RaggedNgrams(np.concatenate([[0], np.cumsum(kept)])[listed.indptr], places[kept])


def compose_rows(own: NDArray[Any], rows: NDArray[Any], listed: RaggedNgrams, *, threads: int) -> NDArray[np.float32]:
    """Return the mean of each word's own row and its n-gram rows.

    Sums are in fastText's order, so the results equal its results bit for bit.

    Args:
        own: (V, d) float32 rows of the words.
        rows: (B, d) float32 rows of the n-grams.
        listed: For each word, indices of `rows`; a negative index counts as a row of zeros.
        threads: Number of threads.

    Returns:
        (V, d) float32.
    """
    composed = np.empty(own.shape, np.float32)

    def work(begin: int, end: int) -> None:
        compose(own, rows, listed.indptr, listed.indices, begin, end, composed)

    map_ranges(work, split_range(len(own), pieces=-(-len(own) // ROWS_AT_ONCE)), threads=threads)
    return composed


@kernel
def compose(
    own: NDArray[np.float32],
    rows: NDArray[np.float32],
    starts: NDArray[np.int64],
    places: NDArray[np.int32],
    begin: int,
    end: int,
    composed: NDArray[np.float32],
) -> None:
    """Write the rows of the words `begin` to `end` to `composed`."""
    for word in range(begin, end):
        for column in range(rows.shape[1]):
            composed[word, column] = own[word, column]
        for i in range(starts[word], starts[word + 1]):
            if places[i] >= 0:
                for column in range(rows.shape[1]):
                    composed[word, column] += rows[places[i], column]
        scale = np.float32(1 / (1 + starts[word + 1] - starts[word]))
        for column in range(rows.shape[1]):
            composed[word, column] *= scale


@kernel
def list_buckets(
    text: NDArray[np.uint8],
    ends: NDArray[np.int64],
    min_n: int,
    max_n: int,
    buckets: int,
    starts: NDArray[np.int64],
    values: NDArray[np.int32],
) -> None:
    """Write where each word's n-grams start, and as many of their buckets as fit in `values`."""
    found, begin = 0, 0
    for word in range(len(ends)):
        length = ends[word] - begin + 2
        for first in range(length):
            if is_inside(text, begin, length, first):
                continue
            place, hashed = first, np.uint32(FNV_START)
            for n in range(1, max_n + 1):
                if place == length:
                    break
                hashed = fnv1a_step(hashed, bracketed_byte(text, begin, length, place))
                place += 1
                while place < length and is_inside(text, begin, length, place):
                    hashed = fnv1a_step(hashed, bracketed_byte(text, begin, length, place))
                    place += 1
                if n >= min_n and not (n == 1 and (first == 0 or place == length)):
                    if found < len(values):
                        values[found] = np.uint64(hashed) % np.uint64(buckets)
                    found += 1
        begin = ends[word]
        starts[word + 1] = found


@kernel
def bracketed_byte(text: NDArray[np.uint8], begin: int, length: int, place: int) -> np.uint8:
    """The byte at `place` of the word at `begin`, counted with its angle brackets."""
    if place == 0:
        return np.uint8(OPEN)
    return np.uint8(CLOSE) if place == length - 1 else text[begin + place - 1]


@kernel
def is_inside(text: NDArray[np.uint8], begin: int, length: int, place: int) -> bool:
    """Whether a byte continues a UTF-8 character."""
    return bool((bracketed_byte(text, begin, length, place) & 0xC0) == 0x80)


@kernel
def fnv1a_step(hashed: np.uint32, byte: np.uint8) -> np.uint32:
    """One step of FNV-1a on the byte, sign-extended to 32 bits."""
    return np.uint32((hashed ^ np.uint32(np.int8(byte))) * np.uint32(FNV_PRIME))
