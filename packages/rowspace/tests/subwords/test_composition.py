"""Rows computed from words and n-grams; `test_hashing.py` compares the buckets with those of `hashing.py`."""

import numpy as np
import pytest

from rowspace.subwords.composition import ROWS_AT_ONCE, RaggedNgrams, compose_rows
from rowspace.subwords.hashing import NO_ROW

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("threads", [1, 3])
def test_row_is_the_mean_of_own_row_and_ngram_rows(threads):
    words = 2 * ROWS_AT_ONCE + 1  # three blocks for the threads
    rng = np.random.default_rng(1)
    own, rows = rng.normal(size=(words, 3)).astype(np.float32), rng.normal(size=(4, 3)).astype(np.float32)
    sizes = rng.integers(0, 4, words)
    places = rng.choice([NO_ROW, 0, 1, 2, 3], (words, 3))
    is_part = np.arange(3) < sizes[:, np.newaxis]
    listed = RaggedNgrams(np.cumsum([0, *sizes]), places[is_part].astype(np.int32))
    composed = compose_rows(own, rows, listed, threads=threads)
    summands = np.where((is_part & (places != NO_ROW))[..., np.newaxis], rows[places], 0)
    expected = (own + summands.sum(axis=1)) / (1 + sizes[:, np.newaxis])
    np.testing.assert_allclose(composed, expected, atol=1e-6)
