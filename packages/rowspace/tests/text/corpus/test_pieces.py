"""Grouping pieces of documents into blocks."""

import pytest
from hypothesis import given, strategies as st

from rowspace.text.corpus.pieces import blocks


def test_small_documents_share_a_block():
    (block,) = blocks([(b"one", True), (b"two", True)])

    assert bytes(block.data) == b"onetwo"
    assert block.ends.tolist() == [3, 6]


def test_block_is_yielded_when_full():
    sizes = [(bytes(block.data), block.ends.tolist()) for block in blocks([(b"aaaa", False), (b"bb", True)], size=4)]

    assert sizes == [(b"aaaa", []), (b"bb", [2])]


def test_document_end_without_further_data_is_kept():
    last = list(blocks([(b"aaaa", False), (b"", True)], size=4))[-1]

    assert (bytes(last.data), last.ends.tolist()) == (b"", [0])


def test_no_pieces_give_no_block():
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
def test_blank_tells_whether_the_line_before_a_block_is_blank(pieces, blank):
    assert list(blocks([*pieces, (b"", True)], size=1))[-1].blank is blank


@given(st.lists(st.tuples(st.binary(max_size=9), st.just(True))), st.integers(1, 30))
def test_blocks_preserve_all_bytes_and_document_ends(pieces, size):
    found, ends, position = list(blocks(pieces, size=size)), [], 0
    for block in found:
        ends += [position + int(end) for end in block.ends]
        position += len(block.data)

    assert b"".join(bytes(block.data) for block in found) == b"".join(data for data, _ in pieces)
    assert len(ends) == len(pieces)
