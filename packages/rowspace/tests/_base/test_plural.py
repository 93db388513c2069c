"""Numbers with their nouns."""

import numpy as np
import pytest

from rowspace._base.plural import plural


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 tokens"), (1, "1 token"), (2, "2 tokens"), (1000, "1,000 tokens"), (np.int64(1), "1 token")],
)
def test_only_one_is_singular(number: int, text: str) -> None:
    assert plural(number, "token") == text


def test_irregular_plurals_can_be_passed() -> None:
    assert [plural(n, "index is", "indices are") for n in (1, 3)] == ["1 index is", "3 indices are"]
