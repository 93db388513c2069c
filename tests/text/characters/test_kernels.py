"""Where a text may be cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rowspace.text.characters import as_array, character_table, kernels

pytestmark = pytest.mark.kernels


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
