"""The rows that words and n-grams make, and where n-grams lie; buckets are held to `subwords.py` in its tests."""

import numpy as np
import pytest

from rowspace import ngrams
from rowspace.ngrams import Listed, compose_rows
from rowspace.subwords import MISSING

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("threads", [1, 3])
def test_a_row_is_the_mean_of_a_words_own_row_and_its_ngrams(threads, monkeypatch):
    monkeypatch.setattr(ngrams, "ROWS_AT_ONCE", 2)
    rng = np.random.default_rng(1)
    own, rows = rng.normal(size=(5, 3)).astype(np.float32), rng.normal(size=(4, 3)).astype(np.float32)
    parts = [[0, 1], [], [2, 2, 3], [MISSING, 0], [1]]
    listed = Listed(np.cumsum([0, *map(len, parts)]), np.concatenate(parts).astype(np.int32))
    composed = compose_rows(own, rows, listed, threads=threads)
    padded = np.vstack([rows, np.zeros((1, 3), np.float32)])  # row -1, of zeros
    for word, places in enumerate(parts):
        np.testing.assert_allclose(
            composed[word], np.vstack([own[word : word + 1], padded[places]]).mean(axis=0), rtol=1e-5
        )
