"""The features of texts, as fastText has them: words, n-grams of words by hash, and n-grams of characters by hash."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.learn.classifier.rows.kernels.words import (
    Bytes,
    Longs,
    Lookup,
    find_word,
    hash_word,
    is_end,
    is_label,
    word_span,
)
from rowspace.subwords.composition import bracketed_byte, fnv1a_step, is_inside
from rowspace.subwords.hashing import FNV_START

__all__ = ["Buckets", "Rules", "bucket_row", "compact", "fill_buckets", "list_features", "list_parts"]

WORD_NGRAM_PRIME = 116049371
SPREAD = 2654435769  # 2^32 divided by the golden ratio
SKIPPED, NO_ROW = -2, -1


class Rules(NamedTuple):
    """Which features a text has."""

    min_n: int
    max_n: int  # 0: no n-grams of characters
    word_ngrams: int
    buckets: int
    end: int  # the id of the token that ends each text, -1 if it is unknown


class Buckets(NamedTuple):
    """The rows of buckets: all of them in order, or some by open addressing."""

    keys: NDArray[np.int32]  # a power of two; -1 where free; empty if each bucket has a row
    rows: NDArray[np.int32]
    first: int  # the row of bucket 0 if each bucket has one
    other: int  # of a bucket without a row: `NO_ROW` counts in the mean, `SKIPPED` does not


@kernel
def fill_buckets(buckets: Buckets, known: NDArray[np.int32], rows: NDArray[np.int32]) -> None:
    """Write which row each of the `known` buckets has; of a bucket that is named twice, the last."""
    mask = len(buckets.keys) - 1
    for number in range(len(known)):
        slot = np.int64((np.uint64(known[number]) * np.uint64(SPREAD)) >> np.uint64(8)) & mask
        while buckets.keys[slot] >= 0 and buckets.keys[slot] != known[number]:
            slot = (slot + 1) & mask
        buckets.keys[slot], buckets.rows[slot] = known[number], rows[number]


@kernel
def bucket_row(buckets: Buckets, bucket: np.int64) -> np.int64:
    """Return the row of a bucket, `NO_ROW` or `SKIPPED`."""
    if len(buckets.keys) == 0:
        return bucket + buckets.first
    mask = len(buckets.keys) - 1
    slot = np.int64((np.uint64(bucket) * np.uint64(SPREAD)) >> np.uint64(8)) & mask
    while buckets.keys[slot] >= 0:
        if buckets.keys[slot] == bucket:
            return np.int64(buckets.rows[slot])
        slot = (slot + 1) & mask
    return np.int64(buckets.other)


@kernel
def list_features(
    data: Bytes,
    starts: Longs,
    lookup: Lookup,
    rules: Rules,
    hashes: NDArray[np.int32],
    counts: Longs,
    found: NDArray[np.int32],
) -> int:
    """Write the features of each text to `found` and their number to `counts`; returns the number of all.

    A known word is its id, and a bucket is V plus its number; the buckets of a known word's characters are not listed
    (`list_parts` has them). `hashes` and `found` must be large enough.
    """
    size, words = 0, np.int64(len(lookup.hashes))
    for text in range(len(starts) - 1):
        place, end, before, number = starts[text], starts[text + 1], size, 0
        while place <= end:
            begin, place = word_span(data, place, end)
            if begin == place:  # the end of the text
                hashes[number] = np.int32(hash_end())
                number += 1
                if rules.end >= 0:
                    found[size] = rules.end
                    size += 1
                break
            if is_label(data, begin, place):
                continue
            hashed = hash_word(data, begin, place)
            hashes[number] = np.int32(hashed)
            number += 1
            word = find_word(lookup, data, begin, place, hashed)
            if word >= 0:
                found[size] = word
                size += 1
            elif not is_end(data, begin, place):
                size = list_characters(data, begin, place, rules, words, size, found)
            if is_end(data, begin, place):
                break
        size = list_word_ngrams(hashes, number, rules, words, size, found)
        counts[text] = size - before
    return size


@kernel
def hash_end() -> np.uint32:
    """Return the hash of `</s>`."""
    return np.uint32(3617362777)


@kernel
def list_word_ngrams(
    hashes: NDArray[np.int32], number: int, rules: Rules, words: np.int64, size: int, found: NDArray[np.int32]
) -> int:
    """Append the buckets of n-grams of words, as fastText hashes them; returns the new size."""
    for first in range(number if rules.word_ngrams > 1 else 0):
        hashed = np.uint64(np.int64(hashes[first]))
        for other in range(first + 1, min(number, first + rules.word_ngrams)):
            hashed = hashed * np.uint64(WORD_NGRAM_PRIME) + np.uint64(np.int64(hashes[other]))
            found[size] = words + np.int64(hashed % np.uint64(rules.buckets))
            size += 1
    return size


@kernel
def list_characters(
    data: Bytes, begin: int, end: int, rules: Rules, words: np.int64, size: int, found: NDArray[np.int32]
) -> int:
    """Append the buckets of n-grams of a word's characters; returns the new size."""
    length = end - begin + 2
    for first in range(length if rules.max_n > 0 else 0):
        if is_inside(data, begin, length, first):
            continue
        place, hashed = first, np.uint32(FNV_START)
        for n in range(1, rules.max_n + 1):
            if place == length:
                break
            hashed = fnv1a_step(hashed, bracketed_byte(data, begin, length, place))
            place += 1
            while place < length and is_inside(data, begin, length, place):
                hashed = fnv1a_step(hashed, bracketed_byte(data, begin, length, place))
                place += 1
            if n >= rules.min_n and not (n == 1 and (first == 0 or place == length)):
                found[size] = words + np.int64(np.uint64(hashed) % np.uint64(rules.buckets))
                size += 1
    return size


@kernel
def list_parts(lookup: Lookup, rules: Rules, begin: int, last: int, counts: Longs, found: NDArray[np.int32]) -> int:
    """Write the features of the words `begin` to `last`: a word's id and the buckets of its characters."""
    size, words = 0, np.int64(len(lookup.hashes))
    for word in range(begin, last):
        before = size
        found[size] = word
        size += 1
        if word != rules.end:
            size = list_characters(lookup.data, lookup.begins[word], lookup.ends[word], rules, words, size, found)
        counts[word - begin] = size - before
    return size


@kernel
def compact(found: NDArray[np.int32], words: int, rows: NDArray[np.int32], used: int) -> int:
    """Replace buckets (V plus a number) by rows (V plus the order of first use); returns how many are used.

    Args:
        found: features; changed.
        words: V.
        rows: (buckets,), the order of first use, or -1; changed.
        used: buckets used before.
    """
    for number in range(len(found)):
        bucket = found[number] - words
        if bucket >= 0:
            if rows[bucket] < 0:
                rows[bucket] = used
                used += 1
            found[number] = words + rows[bucket]
    return used
