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


def export_table(ids: IdCorpus, state: FitState, *, is_final: bool = True) -> Table:
    """Return the current rows as a table, with the settings of the fit.

    Args:
        ids: The corpus.
        state: The fit.
        is_final: Whether the rows change no more, so that none need be copied, and the output rows are kept.
    """
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
            "repeatable": state.options.is_repeatable and state.text["same_tokens_again"],
        }
    )
    weights = state.weights
    rows = composed_rows(weights, state.options) if is_final else composed_rows(weights, state.options).copy()
    outputs = weights.outputs[: weights.size, : state.options.dim] if is_final and state.options.outputs else None
    if state.initial is not None:
        parts = state.initial.united(rows, outputs, weights, state.options)
        settings["init"] = state.initial.report(parts["rows"], state.options)
        return Table(**parts, tokenizer=ids.tokenizer, settings=settings)
    return Table(
        ids.tokens(),
        ids.by_token(rows),
        ids.by_token(ids.counts),
        tokenizer=ids.tokenizer,
        settings=settings,
        subwords=learned_subwords(weights, state.options),
        outputs=outputs if outputs is None or ids.token_ids is None else ids.by_token(outputs),
    )


def composed_rows(weights: Weights, options: FitOptions) -> Rows:
    """Return the rows, (V, dim): the words' own rows, or the means of these and their n-gram rows.

    They may share the memory of the weights.
    """
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
        rows=np.ascontiguousarray(ngrams.rows[: len(ngrams.buckets), : options.dim]),
        own=np.ascontiguousarray(weights.inputs[: weights.size, : options.dim]),
        places=places,
        min_n=options.min_n,
        max_n=options.max_n,
    )
