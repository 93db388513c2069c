"""Texts → the mean rows of their features, and scores of the nodes of a tree → probabilities of labels."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.learn.classifier.rows.kernels.features import Buckets, Rules, bucket_row, list_features
from rowspace.learn.classifier.rows.kernels.words import Bytes, Longs, Lookup

__all__ = ["Rows", "compose_words", "embed", "leaf_probabilities"]

Floats = NDArray[np.float32]


class Rows(NamedTuple):
    """The rows of a model."""

    composed: Floats  # (V, d): of each word, the sum of the rows of its parts
    sizes: NDArray[np.int32]  # (V,): the number of its parts
    inputs: Floats  # all rows
    buckets: Buckets


@kernel
def embed(
    data: Bytes,
    starts: Longs,
    lookup: Lookup,
    rules: Rules,
    rows: Rows,
    scratch: tuple[NDArray[np.int32], Longs, NDArray[np.int32]],
    found: Floats,
    sizes: NDArray[np.int32],
) -> None:
    """Write the mean row of each text's features to `found`, (n, d), and their number; zeros if it has none."""
    hashes, counts, features = scratch
    words = len(rows.sizes)
    for text in range(len(starts) - 1):
        size = 0
        number = list_features(data, starts[text : text + 2], lookup, rules, hashes, counts, features)
        for column in range(found.shape[1]):
            found[text, column] = 0
        for place in range(number):
            feature = np.int64(features[place])
            if feature < words:
                for column in range(found.shape[1]):
                    found[text, column] += rows.composed[feature, column]
                size += rows.sizes[feature]
                continue
            row = bucket_row(rows.buckets, feature - words)
            if row >= 0:
                for column in range(found.shape[1]):
                    found[text, column] += rows.inputs[row, column]
            if row >= -1:
                size += 1
        sizes[text] = size
        scale = np.float32(1) / np.float32(max(1, size))
        for column in range(found.shape[1]):
            found[text, column] *= scale


@kernel
def compose_words(indptr: Longs, parts: NDArray[np.int32], first: int, words: int, rows: Rows) -> None:
    """Write the sums of the rows of words, from `first` on, whose parts are given."""
    for number in range(len(indptr) - 1):
        word, size = first + number, 0
        for column in range(rows.inputs.shape[1]):
            rows.composed[word, column] = 0
        for place in range(indptr[number], indptr[number + 1]):
            feature = np.int64(parts[place])
            row = feature if feature < words else bucket_row(rows.buckets, feature - words)
            if row >= 0:
                for column in range(rows.inputs.shape[1]):
                    rows.composed[word, column] += rows.inputs[row, column]
            if row >= -1:
                size += 1
        rows.sizes[word] = size


@kernel
def leaf_probabilities(
    shares: Floats,
    lefts: NDArray[np.int32],
    rights: NDArray[np.int32],
    added: np.float32,
    above: Floats,
    found: Floats,
) -> None:
    """Write the probability of each label, (n, labels), from those of the right branches of nodes, (n, labels - 1).

    Node i has the branches `lefts[i]` and `rights[i]`: a label, or the number of labels plus a node; the last node is
    the root. `added` is added to each share, as in fastText (1e-5). `above`, (labels,), is working memory.
    """
    labels = found.shape[1]
    for text in range(len(found)):
        above[labels - 2] = 1
        for node in range(labels - 2, -1, -1):
            share = shares[text, node]
            for side in range(2):
                branch = rights[node] if side else lefts[node]
                value = above[node] * ((share if side else np.float32(1) - share) + added)
                if branch < labels:
                    found[text, branch] = value
                else:
                    above[branch - labels] = value
