"""`SupervisedModel`: fastText's supervised model; texts → probabilities of labels."""

import dataclasses
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.parallel import map_ranges
from rowspace.learn.classifier.options import RowsOptions
from rowspace.learn.classifier.rows.dictionary import Dictionary, joined
from rowspace.learn.classifier.rows.features import max_features, parts_of, text_ranges
from rowspace.learn.classifier.rows.kernels.features import Buckets, Rules
from rowspace.learn.classifier.rows.kernels.predict import Rows, compose_words, embed, leaf_probabilities

__all__ = ["NEVER", "SupervisedModel", "Tree", "build_tree"]

WORDS_AT_ONCE = 1 << 14
BYTES_AT_ONCE = 1 << 16
TINY = np.float32(1e-5)  # which fastText adds before it takes a logarithm
TABLE_STEPS, TABLE_LIMIT = 512, 8  # of fastText's logistic function, which is a table from -8 to 8
NEVER = 10**15  # the count of a node of the tree that is not built yet; those of labels must have a smaller sum

Floats = NDArray[np.float32]


@dataclasses.dataclass(frozen=True, eq=False)
class SupervisedModel:
    """Words, n-grams and labels with their rows.

    Attributes:
        dictionary: The words.
        labels: The names of labels by falling count, without fastText's prefix.
        label_counts: (labels,) int64.
        inputs: (rows, d) float32: a row for each word, then those of buckets.
        outputs: (labels, d) float32; of hierarchical softmax, one less, those of inner nodes.
        buckets: The rows of buckets of n-grams.
        options: How it was learned.
    """

    dictionary: Dictionary
    labels: Sequence[str]
    label_counts: NDArray[np.int64]
    inputs: Floats
    outputs: Floats
    buckets: Buckets
    options: RowsOptions

    def predict_proba(self, texts: Iterable[str]) -> Floats:
        """Return the probability of each label for each text: (n, labels) float32.

        Those of the losses "softmax" and "hierarchical" add up to 1; those of others are independent.
        """
        return self._probabilities(self.vectors(texts), is_fasttext=False)

    def predict(self, texts: Sequence[str], *, k: int = 1, threshold: float = 0.0) -> list[list[tuple[str, float]]]:
        """Return the most probable labels of each text with fastText's numbers.

        fastText adds 1e-5 to probabilities before it takes their logarithm, and reads the logistic function from a
        table of 512 steps for the losses "negative" and "one-vs-all"; `predict_proba` does neither.

        Args:
            texts: n texts; line breaks are blanks.
            k: Number of labels; -1 for all.
            threshold: Labels that are less probable are left out.

        Returns:
            For each text up to `k` labels and their probabilities, the most probable first; none for a text without a
            known word or n-gram. Of labels with equal probabilities, which the table makes, the one is fastText's for
            k=1; several are ordered by their counts.
        """
        vectors, sizes = self._embed(texts)
        found = self._probabilities(vectors, is_fasttext=True)
        k = found.shape[1] if k < 0 else min(k, found.shape[1])
        least = threshold + float(TINY)
        if k == 1:
            best = found.shape[1] - 1 - found[:, ::-1].argmax(axis=1)  # of equals the last, as fastText
            values = found[np.arange(len(found)), best]
            kept = (values >= least) & (sizes > 0)
            rows = zip(best.tolist(), values.tolist(), kept.tolist(), strict=True)
            return [[(self.labels[label], value)] if is_kept else [] for label, value, is_kept in rows]
        found[sizes == 0] = -1
        order = np.argsort(-found, axis=1, kind="stable")[:, :k]
        values = np.take_along_axis(found, order, axis=1)
        return [
            [(self.labels[label], value) for label, value in zip(labels, row, strict=True) if value >= least]
            for labels, row in zip(order.tolist(), values.tolist(), strict=True)
        ]

    def vectors(self, texts: Iterable[str]) -> Floats:
        """Return the mean row of each text's features: (n, d) float32; zeros for a text without any."""
        return self._embed(texts)[0]

    @cached_property
    def rules(self) -> Rules:
        """Which features a text has."""
        chosen = self.options
        return Rules(chosen.min_n, chosen.max_n, chosen.word_ngrams, chosen.buckets, self.dictionary.end)

    def _embed(self, texts: Iterable[str]) -> tuple[Floats, NDArray[np.int32]]:
        """Return the mean rows of texts, and how many features each has."""
        data, starts = joined(texts)
        found = np.empty((len(starts) - 1, self.inputs.shape[1]), np.float32)
        sizes = np.zeros(len(found), np.int32)
        rows = self._rows

        def work(begin: int, end: int) -> None:
            most = int(np.diff(starts[begin : end + 1]).max(initial=0))
            scratch = (
                np.empty(most // 2 + 2, np.int32),
                np.empty(1, np.int64),
                np.empty(max_features(most, self.rules), np.int32),
            )
            embed(
                data,
                starts[begin : end + 1],
                self.dictionary.lookup,
                self.rules,
                rows,
                scratch,
                found[begin:end],
                sizes[begin:end],
            )

        if len(found):
            map_ranges(work, text_ranges(starts, BYTES_AT_ONCE), threads=self.options.threads)
        return found, sizes

    @cached_property
    def _rows(self) -> Rows:
        words, dim = len(self.dictionary.counts), self.inputs.shape[1]
        rows = Rows(np.empty((words, dim), np.float32), np.ones(words, np.int32), self.inputs, self.buckets)
        if self.rules.max_n <= 0:
            return rows._replace(composed=self.inputs[:words])
        for begin, end in pairwise([*range(0, words, WORDS_AT_ONCE), words]):
            parts = parts_of(self.dictionary, self.rules, begin, end)
            compose_words(parts.indptr, parts.ids, begin, words, rows)
        return rows

    def _probabilities(self, vectors: Floats, *, is_fasttext: bool) -> Floats:
        scores = vectors @ self.outputs.T
        added = TINY if is_fasttext else np.float32(0)
        if self.options.loss == "softmax":
            scores -= scores.max(axis=1, keepdims=True)
            np.exp(scores, out=scores)
            scores /= scores.sum(axis=1, keepdims=True)
            return scores + added
        if self.options.loss == "hierarchical":
            return self._leaves(_logistic(scores), added)
        shares = _logistic_of_table(scores) if is_fasttext else _logistic(scores)
        return np.asarray(shares + added, np.float32)

    def _leaves(self, shares: Floats, added: np.float32) -> Floats:
        found = np.ones((len(shares), len(self.labels)), np.float32)
        if len(self.labels) > 1:
            tree = self._tree
            above = np.empty(len(self.labels), np.float32)
            leaf_probabilities(shares, tree.lefts, tree.rights, added, above, found)
        return found

    @cached_property
    def _tree(self) -> Any:
        return build_tree(self.label_counts)


def _logistic(scores: Floats) -> Floats:
    return np.asarray(np.float32(1) / (np.float32(1) + np.exp(-np.maximum(scores, np.float32(-80)))))


def _logistic_of_table(scores: Floats) -> Floats:
    """Return fastText's logistic function, which is read from a table."""
    steps = (np.arange(TABLE_STEPS + 1, dtype=np.float32) * (2 * TABLE_LIMIT)) / TABLE_STEPS - TABLE_LIMIT
    table = np.float32(1) / (np.float32(1) + np.exp(-steps))
    places = ((scores + np.float32(TABLE_LIMIT)) * np.float32(TABLE_STEPS) / TABLE_LIMIT / 2).astype(np.int64)
    found = table[np.clip(places, 0, TABLE_STEPS)]
    found[scores < -TABLE_LIMIT], found[scores > TABLE_LIMIT] = 0, 1
    return np.asarray(found, np.float32)


class Tree(NamedTuple):
    """The branches of each inner node: a label, or the number of labels plus an inner node; the last is the root."""

    lefts: NDArray[np.int32]  # (labels - 1,)
    rights: NDArray[np.int32]

    def paths(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.bool_]]:
        """Return the nodes above each label in CSR form, from the label up, and whether the right branch is taken."""
        labels = len(self.lefts) + 1
        parents, is_right = np.full(2 * labels - 1, -1), np.zeros(2 * labels - 1, bool)
        for node, (left, right) in enumerate(zip(self.lefts, self.rights, strict=True)):
            parents[[left, right]], is_right[right] = node, True
        nodes, sides, ends = list[int](), list[bool](), [0]
        for label in range(labels):
            place = label
            while parents[place] >= 0:
                nodes.append(int(parents[place]))
                sides.append(bool(is_right[place]))
                place = labels + nodes[-1]
            ends.append(len(nodes))
        return np.array(ends, np.int64), np.array(nodes, np.int32), np.array(sides, np.bool_)


def build_tree(counts: NDArray[np.int64]) -> Tree:
    """Return the tree of labels with these counts, most frequent first.

    >>> build_tree(np.array([5, 2, 1]))
    Tree(lefts=array([2, 3], dtype=int32), rights=array([1, 0], dtype=int32))
    """
    labels = len(counts)
    sums = [*counts.tolist(), *[NEVER] * (labels - 1)]
    leaf, inner, branches = labels - 1, labels, list[list[int]]()
    for node in range(labels, 2 * labels - 1):
        pair = []
        for _ in range(2):
            if leaf >= 0 and sums[leaf] < sums[inner]:
                pair.append(leaf)
                leaf -= 1
            else:
                pair.append(inner)
                inner += 1
        sums[node] = sums[pair[0]] + sums[pair[1]]
        branches.append(pair)
    found = np.array(branches, np.int32).reshape(-1, 2)
    return Tree(found[:, 0].copy(), found[:, 1].copy())
