"""Sets of rows, compared with gensim's doesnt_match and n_similarity."""

import numpy as np
import pytest
from gensim.models import KeyedVectors

from rowspace.errors import UsageError
from rowspace.space import mean_unit_row, odd_one_out, set_distance, set_similarity

ROWS = (
    np.random.default_rng(0).standard_normal((60, 8)).astype(np.float32)
    * np.linspace(1, 9, 60, dtype=np.float32)[:, None]
)
WORDS = [f"w{n}" for n in range(60)]


@pytest.fixture(scope="module")
def peer():
    vectors = KeyedVectors(8)
    vectors.add_vectors(WORDS, ROWS)
    return vectors


@pytest.mark.parametrize("seed", range(8))
def test_odd_one_out_equals_gensim(peer, seed):
    ids = np.random.default_rng(seed).choice(60, 5, replace=False)
    assert WORDS[ids[odd_one_out(ROWS[ids])]] == peer.doesnt_match([WORDS[row] for row in ids])


def test_set_similarity_equals_gensim(peer):
    found = set_similarity(ROWS[:4], ROWS[10:17])
    assert found == pytest.approx(peer.n_similarity(WORDS[:4], WORDS[10:17]), abs=1e-6)
    assert set_distance(ROWS[:4], ROWS[10:17]) == 1 - found


def test_odd_one_out_of_equal_rows_is_the_first():
    assert odd_one_out(np.tile(ROWS[:1], (4, 1))) == 0


def test_odd_one_out_of_rows_with_nan_is_an_error():
    with pytest.raises(UsageError, match="a row has NaN or infinity, so its angle is not known"):
        odd_one_out(np.where(np.arange(4)[:, None] == 2, np.nan, ROWS[:4]))


def test_too_few_rows_are_an_error():
    with pytest.raises(UsageError, match="at least 3 tokens, got 2"):
        odd_one_out(ROWS[:2])
    with pytest.raises(UsageError, match="rows_b is empty"):
        set_similarity(ROWS[:1], ROWS[:0])
    with pytest.raises(UsageError, match="rows is empty"):
        mean_unit_row(ROWS[:0])
