"""The memory of short pieces, compared with a dictionary; eight bytes as a number, with Python's integers."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from rowspace.encode.scanners.bpe.kernels import remember as kernels
from rowspace.encode.scanners.bpe.kernels.eight_bytes import letters_at
from rowspace.encode.scanners.bpe.kernels.remember import MAX_IDS, MAX_KEY, Key, recall, remember

pytestmark = pytest.mark.kernels

some_ids = st.lists(st.integers(0, 2**24 - 1), min_size=1, max_size=MAX_IDS)
pieces = st.binary(min_size=1, max_size=MAX_KEY)


def key_of(data: NDArray[np.uint8], begin: int, length: int, sets: int) -> Key:
    """Return the key of a piece; compiled code returns Python's integers, whose type would be lost."""
    low, high, place = kernels.key_of(data, begin, length, sets)
    return Key(np.uint64(low), np.uint64(high), place)


@given(st.lists(st.tuples(pieces, some_ids), max_size=40), st.sampled_from([1, 4, 64]))
def test_a_piece_has_its_ids_or_is_unknown(entries: list[tuple[bytes, list[int]]], sets: int) -> None:
    memory = np.zeros((sets, 8), np.uint64)
    known: dict[bytes, list[int]] = {}
    for piece, ids in entries:
        data: NDArray[np.uint8] = np.frombuffer(b"?" + piece + b"\xff" * 16, np.uint8)
        key = key_of(data, 1, len(piece), sets)
        found = np.full(MAX_IDS + 1, -1, np.int32)
        last = recall(memory, key, found, 1)
        if last >= 0:
            assert found[1:last].tolist() == known[piece]
            continue
        known[piece] = ids
        remember(memory, key, np.array([9, *ids], np.int32), (1, 1 + len(ids)))
        assert recall(memory, key, found, 0) == len(ids)
        assert found[: len(ids)].tolist() == ids


def test_two_pieces_of_a_set_are_kept_and_a_third_removes_the_older() -> None:
    memory, found = np.zeros((1, 8), np.uint64), np.zeros(MAX_IDS, np.int32)
    data: NDArray[np.uint8] = np.frombuffer(b"abc" + bytes(16), np.uint8)
    keys = [key_of(data, begin, 1, 1) for begin in range(3)]
    for key in keys:
        remember(memory, key, np.array([7], np.int32), (0, 1))
    assert [recall(memory, key, found, 0) for key in keys] == [-1, 1, 1]


def test_pieces_that_differ_by_length_only_are_different() -> None:
    memory, found = np.zeros((1, 8), np.uint64), np.zeros(MAX_IDS, np.int32)
    data: NDArray[np.uint8] = np.frombuffer(bytes(40), np.uint8)
    remember(memory, key_of(data, 0, 3, 1), np.array([7], np.int32), (0, 1))
    lengths = [length for length in range(1, 16) if recall(memory, key_of(data, 0, length, 1), found, 0) > 0]
    assert lengths == [3]


@given(st.binary(min_size=8, max_size=8))
def test_letters_are_counted_up_to_the_first_other_byte(word: bytes) -> None:
    expected = next((index for index, byte in enumerate(word) if not (byte < 128 and chr(byte).isalpha())), 8)
    assert letters_at(np.uint64(int.from_bytes(word, "little"))) == expected


def test_each_byte_is_a_letter_or_not() -> None:
    for byte in range(256):
        word = np.uint64(int.from_bytes(b"az" + bytes([byte]) + b"ZA@[`", "little"))
        assert letters_at(word) == (5 if byte < 128 and chr(byte).isalpha() else 2)
