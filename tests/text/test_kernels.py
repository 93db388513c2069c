"""The kernels that no class stands before: compaction, and where a text may be cut."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rowspace.text import kernels
from rowspace.text.characters import character_table
from rowspace.text.lexicon import as_array

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


def last_cut(text):
    return kernels.last_cut(as_array(text), character_table(cased=True))


@pytest.mark.parametrize(
    ("data", "cut"),
    [
        (b"", 0),
        (b"abc", 0),
        (b" abc", 0),  # a cut at 0 cuts nothing
        (b"ab c", 2),
        (b"ab' c'", 3),
        (b"ab'c_d", 0),
        ("a。b".encode(), 1),
        ("a。b".encode()[:-2], 0),  # the character may still change
        (b"a\xff\xffb", 0),
        ("aİ".encode(), 0),
    ],
)
def test_a_text_is_cut_before_a_character_that_ends_words(data, cut):
    assert last_cut(data) == cut


@given(data=st.lists(st.one_of(st.binary(max_size=2), st.sampled_from([b"a", b" ", "é。".encode()]))).map(b"".join))
def test_a_cut_changes_nothing_for_pythons_decoder(data):
    cut = last_cut(data)

    halves = data[:cut].decode("utf-8", "replace") + data[cut:].decode("utf-8", "replace")

    assert halves == data.decode("utf-8", "replace")  # parity: Python's own decoder


def test_a_longer_word_of_the_same_hash_is_another_word():
    hashed, slots = 12, np.zeros(8, np.int64)
    slots[hashed >> 1] = ((hashed >> 1) << 32) | 1  # word 0 is "ab"
    arena = np.frombuffer(b"aba", np.uint8).copy()

    slot = kernels.find(slots, np.array([0, 2, 0]), arena, 2, 3, hashed)  # "a", as if its hash were the same

    assert slot == (hashed >> 1) + 1
