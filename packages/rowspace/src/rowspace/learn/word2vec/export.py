"""The learned weights as a `Table`: rows without padding, and n-grams if there are any."""

import dataclasses

import numpy as np

from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.kernels.arrays import Rows, Weights
from rowspace.learn.word2vec.state import FitState
from rowspace.subwords.composition import RaggedNgrams, compose_rows
from rowspace.subwords.hashing import NO_ROW, Subwords
from rowspace.table import Table
from rowspace.text import IdCorpus

__all__ = ["composed_rows", "export_table", "learned_subwords"]


def export_table(ids: IdCorpus, state: FitState) -> Table:
    """Return a table of copies of the current rows, with the settings of the fit."""
    options = dataclasses.asdict(state.options)
    settings = (
        state.text
        | options
        | {
            "workers": state.options.threads,
            "alpha": state.options.learning_rates[0],
            "min_alpha": state.options.learning_rates[1],
            "words": ids.words,
            "losses": list(state.losses),
            "seconds": round(state.seconds, 3),
            "repeatable": state.options.threads == 1 and state.text["same_tokens_again"],
        }
    )
    rows, subwords = composed_rows(state.weights, state.options), learned_subwords(state.weights, state.options)
    return Table(
        ids.tokens(),
        ids.by_token(rows),
        ids.by_token(ids.counts),
        tokenizer=ids.tokenizer,
        settings=settings,
        subwords=subwords,
    )


def composed_rows(weights: Weights, options: FitOptions) -> Rows:
    """Return a copy of the rows, (V, dim): the words' own rows, or the means of these and their n-gram rows."""
    own = np.ascontiguousarray(weights.inputs[: weights.size, : options.dim])
    if not options.subwords:
        return own
    listed = RaggedNgrams(weights.ngrams.indptr, weights.ngrams.indices)
    return compose_rows(own, weights.ngrams.rows[:, : options.dim], listed, threads=options.threads)


def learned_subwords(weights: Weights, options: FitOptions) -> Subwords | None:
    """Return a copy of the n-grams, which give out-of-vocabulary words a row; None if none were learned."""
    if not options.subwords:
        return None
    ngrams = weights.ngrams
    places = np.full(options.buckets, NO_ROW, np.int32)
    places[ngrams.buckets] = np.arange(len(ngrams.buckets), dtype=np.int32)
    return Subwords(
        rows=np.ascontiguousarray(ngrams.rows[:, : options.dim]),
        own=np.ascontiguousarray(weights.inputs[: weights.size, : options.dim]),
        places=places,
        min_n=options.min_n,
        max_n=options.max_n,
    )
