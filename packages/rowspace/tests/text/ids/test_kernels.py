import numpy as np
import pytest

from rowspace.text.ids import kernels
from rowspace.text.words.kernels import END

pytestmark = pytest.mark.kernels


def compact(ids, final, last=END):
    array = np.array(ids, np.int32)
    written, last = kernels.compact(array, np.array(final, np.int32), last, array)
    return array[:written].tolist(), last


def test_rare_words_are_removed_and_others_get_their_final_ids():
    assert compact([0, 1, 2, 0, -1], [7, -1, 3]) == ([7, 3, 7, -1], -1)


def test_empty_sentences_are_removed():
    assert compact([-1, 0, -1, -1, 1, -1, 0, -1], [5, -1]) == ([5, -1, 5, -1], -1)


def test_sentence_continues_in_the_next_block():
    assert compact([1], [0, -1], last=4) == ([], 4)
    assert compact([-1, -1, 0], [0, -1], last=4) == ([-1, 0], 0)
