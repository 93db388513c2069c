"""The hash table of the scanner."""

import numpy as np
import pytest

from rowspace.text.words import kernels

pytestmark = pytest.mark.kernels


def test_words_with_equal_hashes_and_a_common_prefix_are_different():
    hashed, slots = 12, np.zeros(8, np.int64)
    slots[hashed >> 1] = ((hashed >> 1) << 32) | 1  # word 0 is "ab"
    arena = np.frombuffer(b"aba", np.uint8).copy()

    slot = kernels.find(slots, np.array([0, 2, 0]), arena, 2, 3, hashed)  # "a", with the same hash

    assert slot == (hashed >> 1) + 1
