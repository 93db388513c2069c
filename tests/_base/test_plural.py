"""Numbers of things, in words."""

import numpy as np
import pytest

from rowspace._base.plural import plural


@pytest.mark.parametrize(
    ("number", "said"),
    [(0, "0 tokens"), (1, "1 token"), (2, "2 tokens"), (1000, "1,000 tokens"), (np.int64(1), "1 token")],
)
def test_one_is_not_many(number: int, said: str) -> None:
    assert plural(number, "token") == said


def test_verbs_and_other_plurals_are_given() -> None:
    assert [plural(n, "index is", "indices are") for n in (1, 3)] == ["1 index is", "3 indices are"]
