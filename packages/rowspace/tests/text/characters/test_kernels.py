"""Positions at which a text can be cut without splitting words or characters."""

import pytest
from hypothesis import given, strategies as st

from rowspace.text.characters import as_array, character_table, kernels

pytestmark = pytest.mark.kernels


def last_cut(text):
    return kernels.last_cut(as_array(text), character_table(cased=True))


@pytest.mark.parametrize(
    ("data", "cut"),
    [
        (b"", 0),
        (b"abc", 0),
        (b" abc", 0),  # a cut at 0 would be empty
        (b"ab c", 2),
        (b"ab' c'", 3),
        (b"ab'c_d", 0),
        ("a。b".encode(), 1),
        ("a。b".encode()[:-2], 0),  # the character is incomplete
        (b"a\xff\xffb", 0),
        ("aİ".encode(), 0),
    ],
)
def test_last_cut_is_before_the_last_character_that_ends_a_word(data, cut):
    assert last_cut(data) == cut


@given(data=st.lists(st.one_of(st.binary(max_size=2), st.sampled_from([b"a", b" ", "é。".encode()]))).map(b"".join))
def test_cut_does_not_change_the_decoded_text(data):
    cut = last_cut(data)

    halves = data[:cut].decode("utf-8", "replace") + data[cut:].decode("utf-8", "replace")

    assert halves == data.decode("utf-8", "replace")  # Parity: Python's own decoder
