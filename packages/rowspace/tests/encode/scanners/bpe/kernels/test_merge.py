"""Merges of symbols, compared with a list of symbols in Python."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from rowspace.encode.scanners.bpe.kernels.heap import HEAP_SPACE, merge_many
from rowspace.encode.scanners.bpe.kernels.merge import NO_MERGE, enter_merges, find_merge, merge_few

pytestmark = pytest.mark.kernels

Rules = list[tuple[int, int, int]]
BYTES = 4  # 0 … 3, whose ids are 0 … 3 too


def pairs_of(rules: Rules) -> NDArray[np.int64]:
    """Return the hash table of merges (left, right, id)."""
    pairs = np.full((64, 2), -1, np.int64)
    enter_merges(pairs, np.array(rules, np.int64).reshape(-1, 3))
    return pairs


def reference(piece: bytes, rules: Rules) -> list[int]:
    """Merge the leftmost pair of the lowest rank until there is none."""
    ranks = {(left, right): (rank, number) for rank, (left, right, number) in enumerate(rules)}
    symbols = list(piece)
    while True:
        found = [(ranks[pair][0], place) for place, pair in enumerate(pairwise(symbols)) if pair in ranks]
        if not found:
            return symbols
        place = min(found)[1]
        symbols[place : place + 2] = [ranks[symbols[place], symbols[place + 1]][1]]


def both(piece: bytes, rules: Rules) -> list[list[int]]:
    """Merge by the scan of all neighbors and by the heap."""
    found = []
    for merge in (merge_few, merge_many):
        ids = np.frombuffer(piece, np.uint8).astype(np.int32)
        scratch = np.full(HEAP_SPACE * len(piece), -7, np.int64)
        found.append(ids[: merge(pairs_of(rules), ids, len(piece), scratch)].tolist())
    return found


@st.composite
def some_rules(draw: st.DrawFn) -> Rules:
    """Draw merges whose parts are bytes or results of earlier merges, in any order of ranks."""
    rules: Rules = []
    for number in range(BYTES, BYTES + draw(st.integers(0, 12))):
        part = st.integers(0, number - 1)
        pair = (draw(part), draw(part))
        if pair not in {rule[:2] for rule in rules}:
            rules.append((*pair, number))
    return draw(st.permutations(rules))


@given(st.binary(min_size=1, max_size=30).map(lambda data: bytes(byte % BYTES for byte in data)), some_rules())
def test_both_ways_merge_as_the_reference(piece: bytes, rules: Rules) -> None:
    expected = reference(piece, rules)
    assert both(piece, rules) == [expected, expected]


def test_of_equal_ranks_the_leftmost_merges_first() -> None:
    assert both(bytes([1] * 5), [(1, 1, 4)]) == [[4, 4, 1]] * 2


def test_a_merge_waits_for_its_own_rank() -> None:
    # 1 2 merges first, so that the entry for 0 1 is out of date and must not merge 0 and 1 2 in its place.
    rules = [(1, 2, 4), (0, 1, 5), (4, 3, 6), (0, 4, 7)]
    assert both(bytes([0, 1, 2, 3]), rules) == [[0, 6]] * 2


def test_the_later_of_two_ranks_of_a_pair_counts() -> None:
    # As in the library, which collects merges in a dictionary
    assert both(bytes([1, 2, 3]), [(1, 2, 4), (2, 3, 5), (1, 2, 4)]) == [[1, 5]] * 2


def test_pairs_without_a_merge_are_not_found() -> None:
    pairs = pairs_of([(1, 2, 4)])
    assert find_merge(pairs, 1, 2) == 4
    assert find_merge(pairs, 2, 1) == NO_MERGE
