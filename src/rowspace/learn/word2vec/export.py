"""What was learned, as the rows of a table: out of their padding, and with n-grams' added where there are any.

Left out: the table (`fit.py`).
"""

import numpy as np

from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.kernels.arrays import Rows, Weights
from rowspace.subwords.composition import RaggedNgrams, compose_rows
from rowspace.subwords.hashing import NO_ROW, Subwords

__all__ = ["composed_rows", "learned_subwords"]


def composed_rows(weights: Weights, options: FitOptions) -> Rows:
    """Return a copy of the rows, (V, dim): the words' own, or their means with their n-grams' rows."""
    own = np.ascontiguousarray(weights.inputs[: weights.size, : options.dim])
    if not options.subwords:
        return own
    listed = RaggedNgrams(weights.ngrams.starts, weights.ngrams.places)
    return compose_rows(own, weights.ngrams.rows[:, : options.dim], listed, threads=options.threads)


def learned_subwords(weights: Weights, options: FitOptions) -> Subwords | None:
    """Return what gives unseen words a row, copied; None where no n-grams were learned."""
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
