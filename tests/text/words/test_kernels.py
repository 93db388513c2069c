"""The kernels that no class stands before: compaction, and what is found in the hash table."""

import numpy as np
import pytest

from rowspace.text.words import kernels

pytestmark = pytest.mark.kernels


def compact(ids, final, last=kernels.END):
    array = np.array(ids, np.int32)
    written, last = kernels.compact(array, np.array(final, np.int32), last, array)
    return array[:written].tolist(), last


def test_rare_words_leave_and_others_get_their_final_ids():
    assert compact([0, 1, 2, 0, -1], [7, -1, 3]) == ([7, 3, 7, -1], -1)


def test_empty_sentences_leave():
    assert compact([-1, 0, -1, -1, 1, -1, 0, -1], [5, -1]) == ([5, -1, 5, -1], -1)


def test_a_sentence_goes_on_in_the_next_block():
    assert compact([1], [0, -1], last=4) == ([], 4)
    assert compact([-1, -1, 0], [0, -1], last=4) == ([-1, 0], 0)


def test_a_longer_word_of_the_same_hash_is_another_word():
    hashed, slots = 12, np.zeros(8, np.int64)
    slots[hashed >> 1] = ((hashed >> 1) << 32) | 1  # word 0 is "ab"
    arena = np.frombuffer(b"aba", np.uint8).copy()

    slot = kernels.find(slots, np.array([0, 2, 0]), arena, 2, 3, hashed)  # "a", as if its hash were the same

    assert slot == (hashed >> 1) + 1
