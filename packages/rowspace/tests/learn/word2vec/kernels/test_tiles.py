"""Lookup tables of functions of a score."""

import numpy as np
import pytest

from rowspace.learn.word2vec.kernels.arrays import SLOTS_PER_UNIT, TABLE_SIZE
from rowspace.learn.word2vec.kernels.tiles import table_slot

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("score", [np.nan, np.inf, -np.inf, 8, -8, 3e38, -1e-30])
def test_every_score_has_a_slot_in_the_tables(score):
    slot = table_slot(np.float32(score))
    assert slot == round((float(np.clip(np.nan_to_num(score, nan=-8), -8, 8)) + 8) * SLOTS_PER_UNIT)
    assert 0 <= slot <= TABLE_SIZE
