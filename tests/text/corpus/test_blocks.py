"""Blocks: small documents share one, and a block knows whether the line before it is blank."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rowspace.text.corpus.blocks import blocks


def test_small_documents_share_a_block():
    (block,) = blocks([(b"one", True), (b"two", True)])

    assert bytes(block.data) == b"onetwo"
    assert block.ends.tolist() == [3, 6]


def test_a_block_is_given_when_it_is_full():
    sizes = [(bytes(block.data), block.ends.tolist()) for block in blocks([(b"aaaa", False), (b"bb", True)], size=4)]

    assert sizes == [(b"aaaa", []), (b"bb", [2])]


def test_the_end_of_a_document_is_kept_when_nothing_follows():
    last = list(blocks([(b"aaaa", False), (b"", True)], size=4))[-1]

    assert (bytes(last.data), last.ends.tolist()) == (b"", [0])


def test_no_pieces_make_no_block():
    assert list(blocks([])) == []


@pytest.mark.parametrize(
    ("pieces", "blank"),
    [
        ([(b"a\n", False)], True),
        ([(b"a\n  ", False)], True),
        ([(b"a\n b", False)], False),
        ([(b"a", True)], True),
        ([(b"\na", False)], False),
        ([(b"    ", False)], True),
        ([(b"abcd", False), (b"    ", False)], False),
    ],
)
def test_a_block_knows_whether_the_line_before_it_is_blank(pieces, blank):
    assert list(blocks([*pieces, (b"", True)], size=1))[-1].blank is blank


@given(st.lists(st.tuples(st.binary(max_size=9), st.just(True))), st.integers(1, 30))
def test_no_byte_and_no_end_is_lost(pieces, size):
    given_, ends, position = list(blocks(pieces, size=size)), [], 0
    for block in given_:
        ends += [position + int(end) for end in block.ends]
        position += len(block.data)

    assert b"".join(bytes(block.data) for block in given_) == b"".join(data for data, _ in pieces)
    assert len(ends) == len(pieces)
