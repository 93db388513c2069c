"""Continuing a fit from a table: initial weights from its rows, which rows stay fixed, and the combined table.

Only tokens of the new text are learned; the rows of all others stay as they are. The corpus's `token_ids` are rows of
the table, or, from its length on, new tokens.
"""

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.allocation import add_copies, make_weights
from rowspace.learn.word2vec.kernels.arrays import Fixed, Ngrams, Rows, Weights
from rowspace.subwords.composition import compose_rows, list_ngrams
from rowspace.subwords.hashing import Subwords
from rowspace.table import Table
from rowspace.text import IdCorpus

__all__ = ["InitialTable"]

MOST_MOVED = 10  # tokens that are named
OFTEN = 5  # occurrences in the new text from which a token is named


class InitialTable:
    """A table and the text with which a fit continues from it.

    Args:
        table: The table.
        corpus: The new text, whose `token_ids` are rows of the table or new.
        frozen: Whether all old rows stay as they are. Otherwise a row of zeros is learned, since it has not been yet.

    Raises:
        UsageError: A row of the text has NaN or infinity.
    """

    def __init__(self, table: Table, corpus: IdCorpus, *, frozen: bool = False) -> None:
        self.table = table
        self.corpus = corpus
        self.ids = np.arange(len(table)) if corpus.token_ids is None else corpus.token_ids
        self._old = np.flatnonzero(self.ids < len(table))
        rows = self._old_rows(table.rows)
        norms = np.linalg.norm(rows, axis=1)
        if not np.isfinite(norms).all():
            token = corpus.vocabulary[self._old[np.argmin(np.isfinite(norms))]]
            raise UsageError(f"the row of {token!r} in the table of init has NaN or infinity; repair the table first")
        if not frozen:
            self._old = self._old[norms > 0]

    @property
    def is_old(self) -> NDArray[np.bool_]:
        """Which tokens of the text have a row that was learned before, or stays as it is: (V,)."""
        mask = np.zeros(len(self.ids), np.bool_)
        mask[self._old] = True
        return mask

    @property
    def new_tokens(self) -> list[str]:
        """The tokens of the text that the table does not have."""
        return [self.corpus.vocabulary[i] for i in np.flatnonzero(self.ids >= len(self.table))]

    def weights(self, options: FitOptions, ngrams: Ngrams) -> Weights:
        """Return the initial weights: the table's rows; new words from their n-grams, or else at random."""
        weights = make_weights(len(self.ids), options, ngrams)
        old, dim, subwords = self._old, options.dim, self.table.subwords
        weights.inputs[old, :dim] = self._old_rows(self.table.rows if subwords is None else subwords.own)
        if self.table.outputs is not None:
            weights.outputs[old, :dim] = self._old_rows(self.table.outputs)
        if subwords is not None:
            places = self._ngram_places(ngrams)
            weights.ngrams.rows[: len(places)][places >= 0, :dim] = subwords.rows[places[places >= 0]]
            self._start_from_ngrams(weights, subwords, dim)
        return weights

    def fixed(self, weights: Weights, options: FitOptions, *, inputs_only: bool) -> Fixed:
        """Return masks that fix the old rows and n-grams, and the old output rows unless `inputs_only`."""
        inputs = add_copies(self.is_old, weights, options)
        outputs = np.zeros(0, np.bool_) if inputs_only else inputs
        ngrams = np.zeros(len(weights.ngrams.rows), np.bool_)
        if options.subwords:
            ngrams[: len(weights.ngrams.buckets)] = self._ngram_places(weights.ngrams) >= 0
        return Fixed(inputs, outputs, ngrams)

    def united(self, rows: Rows, outputs: Rows | None, weights: Weights, options: FitOptions) -> dict[str, Any]:
        """Return the arguments of the table of all tokens: those of the old table with their ids, then the new ones.

        Args:
            rows: (V, d), the learned rows of the text's tokens.
            outputs: (V, d), their output rows; None if these are not kept.
            weights: The weights, for n-grams.
            options: The options of the fit.
        """
        table, frozen = self.table, options.freeze == "old"
        size = len(table) + len(self.new_tokens)
        subwords = self._united_subwords(weights, options, size)
        if subwords is None:
            united = self._replace(table.rows, rows, size, keep_old=frozen)
        else:
            united = self._composed(subwords, options)
            if frozen:
                united[: len(table)] = table.rows
        counts = None
        if table.counts is not None:
            counts = np.zeros(size, np.int64)
            counts[: len(table)] = table.counts
            counts[self.ids] += self.corpus.counts
        if outputs is not None:
            before = np.zeros((len(table), options.dim), np.float32) if table.outputs is None else table.outputs
            outputs = self._replace(before, outputs, size, keep_old=frozen and table.outputs is not None)
        vocabulary = [*table.vocabulary, *self.new_tokens]
        return {"vocabulary": vocabulary, "rows": united, "counts": counts, "subwords": subwords, "outputs": outputs}

    def report(self, rows: Rows, options: FitOptions) -> dict[str, Any]:
        """Return what the settings of the table record: sizes, and the old tokens whose rows changed most.

        Args:
            rows: (n, d), the rows of the united table.
            options: The options of the fit.
        """
        often = self._old[self.corpus.counts[self._old] >= OFTEN]
        before, after = (np.asarray(each[self.ids[often]], np.float32) for each in (self.table.rows, rows))
        norms = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        cosines = np.einsum("nd,nd->n", before, after) / np.where(norms > 0, norms, 1)
        moved = [] if options.freeze == "old" else np.argsort(cosines, kind="stable")[:MOST_MOVED].tolist()
        return {
            "tokens": len(self.table),
            "in_text": len(self._old),
            "new": len(self.new_tokens),
            "moved": [[self.corpus.vocabulary[often[i]], round(float(cosines[i]), 4)] for i in moved],
        }

    def _old_rows(self, rows: NDArray[Any]) -> Rows:
        """Return the rows of the old tokens of the text."""
        return np.asarray(rows[self.ids[self._old]], np.float32)

    def _ngram_places(self, ngrams: Ngrams) -> NDArray[np.int32]:
        """Return the place of each n-gram of the text in the table's n-grams; negative for new ones."""
        subwords = self.table.subwords
        return np.zeros(0, np.int32) if subwords is None else np.asarray(subwords.places[ngrams.buckets])

    def _start_from_ngrams(self, weights: Weights, subwords: Subwords, dim: int) -> None:
        """Set the own rows of new words so that the words start at the means of their n-grams."""
        for i in np.flatnonzero(~self.is_old):
            row = subwords.row(self.corpus.vocabulary[i])
            if row is not None:
                weights.inputs[i, :dim] = row

    def _replace(self, before: NDArray[Any], learned: Rows, size: int, *, keep_old: bool) -> Rows:
        """Return `size` rows: those from before, with the learned ones in their places."""
        rows = np.zeros((size, before.shape[1]), np.float32)
        rows[: len(before)] = before
        changed = ~self.is_old if keep_old else np.ones(len(self.ids), np.bool_)
        rows[self.ids[changed]] = learned[changed]
        return rows

    def _united_subwords(self, weights: Weights, options: FitOptions, size: int) -> Subwords | None:
        """Return the table's n-grams with the learned ones, and new ones after them; None if it has none."""
        subwords, ngrams, dim = self.table.subwords, weights.ngrams, options.dim
        if subwords is None:
            return None
        places = np.array(subwords.places, np.int32)
        new = ngrams.buckets[self._ngram_places(ngrams) < 0]
        places[new] = np.arange(len(subwords.rows), len(subwords.rows) + len(new), dtype=np.int32)
        rows = np.zeros((len(subwords.rows) + len(new), dim), np.float32)
        rows[: len(subwords.rows)] = subwords.rows
        rows[places[ngrams.buckets]] = ngrams.rows[: len(ngrams.buckets), :dim]
        own = self._replace(subwords.own, weights.inputs[: weights.size, :dim], size, keep_old=options.freeze == "old")
        return dataclasses.replace(subwords, rows=rows, own=own, places=places)

    def _composed(self, subwords: Subwords, options: FitOptions) -> Rows:
        """Return the row of each word of the united table from its own row and its n-grams."""
        words = [*self.table.vocabulary, *self.new_tokens]
        listed = list_ngrams(words, min_n=options.min_n, max_n=options.max_n, buckets=options.buckets)
        places = np.asarray(subwords.places[listed.indices], np.int32)
        return compose_rows(subwords.own, subwords.rows, listed._replace(indices=places), threads=options.threads)
