"""Texts → features for learning, in CSR form."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.parallel import map_ranges
from rowspace.learn.classifier.rows.dictionary import Dictionary
from rowspace.learn.classifier.rows.kernels.features import (
    Buckets,
    Rules,
    compact,
    fill_buckets,
    list_features,
    list_parts,
)
from rowspace.learn.classifier.rows.kernels.words import Bytes, Longs

__all__ = ["Features", "Parts", "compacted", "features_of", "max_features", "parts_of", "some_buckets", "text_ranges"]

BYTES_AT_ONCE = 1 << 18
Ids = NDArray[np.int32]


class Features(NamedTuple):
    """The features of texts, those of text i are `ids[indptr[i] : indptr[i + 1]]`: words, and V plus a bucket."""

    indptr: Longs  # (n + 1,)
    ids: Ids


class Parts(NamedTuple):
    """The features of each word: the word, and V plus the bucket of each n-gram of its characters."""

    indptr: Longs  # (V + 1,)
    ids: Ids


def max_features(size: int, rules: Rules) -> int:
    """Return how many features a text of so many bytes can have at most."""
    words = size // 2 + 2
    lengths = max(0, rules.max_n - max(1, rules.min_n) + 1)
    return words * max(1, rules.word_ngrams) + (size + 2 * words) * lengths + 1


def some_buckets(known: Ids, rows: Ids, words: int, other: int) -> Buckets:
    """Return the rows of the `known` buckets; those of all others are `other`, which is `NO_ROW` or `SKIPPED`."""
    keys = np.full(1 << max(1, 2 * len(known)).bit_length(), -1, np.int32)
    found = Buckets(keys, np.zeros(len(keys), np.int32), words, other)
    fill_buckets(found, np.ascontiguousarray(known), rows)
    return found


def text_ranges(starts: Longs, most: int = BYTES_AT_ONCE) -> list[tuple[int, int]]:
    """Return ranges of texts with about as many bytes each, at least one text."""
    ends = np.unique(np.append(np.searchsorted(starts, np.arange(most, int(starts[-1]) + most, most)), len(starts) - 1))
    ends = ends[(ends > 0) & (ends < len(starts))].tolist()
    return list(zip([0, *ends[:-1]], ends, strict=True))


def features_of(data: Bytes, starts: Longs, dictionary: Dictionary, rules: Rules, *, threads: int) -> Features:
    """Return the features of the texts `data[starts[i] : starts[i + 1]]`."""
    counts = np.zeros(len(starts) - 1, np.int64)

    def work(begin: int, end: int) -> Ids:
        size = int(starts[end] - starts[begin])
        found = np.empty(sum(max_features(each, rules) for each in np.diff(starts[begin : end + 1]).tolist()), np.int32)
        hashes = np.empty(size // 2 + 2, np.int32)
        number = list_features(
            data, starts[begin : end + 1], dictionary.lookup, rules, hashes, counts[begin:end], found
        )
        return found[:number].copy()

    pieces = map_ranges(work, text_ranges(starts), threads=threads)
    indptr = np.zeros(len(starts), np.int64)
    np.cumsum(counts, out=indptr[1:])
    return Features(indptr, np.concatenate([*pieces, np.zeros(0, np.int32)]))


def parts_of(dictionary: Dictionary, rules: Rules, begin: int, end: int) -> Parts:
    """Return the parts of some words."""
    sizes = dictionary.lookup.ends[begin:end] - dictionary.lookup.begins[begin:end]
    lengths = max(0, rules.max_n - max(1, rules.min_n) + 1)
    found = np.empty(int((1 + (sizes + 2) * lengths).sum()), np.int32)
    counts = np.zeros(end - begin, np.int64)
    number = list_parts(dictionary.lookup, rules, begin, end, counts, found)
    return Parts(np.concatenate([[0], np.cumsum(counts)]), found[:number].copy())


def compacted(features: Features, parts: Parts, words: int, rules: Rules) -> Ids:
    """Replace each bucket by the order of its first use; returns the buckets in this order."""
    rows = np.full(rules.buckets, -1, np.int32)
    used = compact(parts.ids, words, rows, 0)
    used = compact(features.ids, words, rows, used)
    found = np.empty(used, np.int32)
    buckets = np.flatnonzero(rows >= 0)
    found[rows[buckets]] = buckets
    return found
