"""`SubstringIndex`, compared with a linear search over all tokens."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from rowspace_lab.pages.words.substring_index import SubstringIndex


def by_walking(vocabulary: list[str], part: str) -> list[int]:
    folded = [token.casefold() for token in vocabulary]
    found = [id for id, token in enumerate(folded) if part in token]
    return sorted(found, key=lambda id: (folded[id] != part, not folded[id].startswith(part)))


@given(st.lists(st.text("aAbß\n .*ÿ中", max_size=5), min_size=1, max_size=30), st.text("abs\n .*ÿ中", max_size=3))
def test_results_equal_a_linear_search(vocabulary: list[str], part: str) -> None:
    expected = by_walking(vocabulary, part.casefold())
    ids, found = SubstringIndex(vocabulary).find(part.casefold(), 7)
    assert (ids.tolist(), found) == (expected[:7], len(expected))


@pytest.mark.parametrize("vocabulary", [["a\ud800", "b"], ["", "x" * 5000]])
def test_awkward_tokens_are_found(vocabulary: list[str]) -> None:
    for id, token in enumerate(vocabulary):
        ids, _ = SubstringIndex(vocabulary).find(token, 5)
        assert id in ids


def test_missing_substring_has_no_results() -> None:
    ids, found = SubstringIndex(["a", "b"]).find("c", 5)
    assert (ids.tolist(), found) == ([], 0)
    assert ids.dtype == np.int64
