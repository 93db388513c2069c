"""Values of a column → ids of its categories, compared as text."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError

__all__ = ["MISSING", "UNSEEN", "Levels", "columns_of"]

UNSEEN, MISSING = "[unseen]", "[missing]"
"""The tokens of a category that was not there in `fit`, and of a missing value (None, NaN, pandas' NA)."""


class Levels(NamedTuple):
    """The categories of a column.

    Attributes:
        tokens: `UNSEEN`, `MISSING` if there were missing values, then the categories by decreasing count; ties in
            alphabetical order.
        counts: (V,) int64, 0 for `UNSEEN`.
    """

    tokens: list[str]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, values: Iterable[object], column: str) -> "Levels":
        """Return the categories among values.

        Raises:
            UsageError: A category has the text of one of the two special tokens.

        >>> Levels.of(["b", None, "a", "b", 2.0], "color").tokens
        ['[unseen]', '[missing]', 'b', '2', 'a']
        """
        texts = [_text(value) for value in values]
        counted = Counter(text for text in texts if text is not None)
        for special in (UNSEEN, MISSING):
            if special in counted:
                raise UsageError(f"column {column!r} has the category {special!r}, which is reserved; rename it")
        missing = len(texts) - counted.total()
        ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
        listed = [(UNSEEN, 0), *([(MISSING, missing)] if missing else []), *ordered]
        return cls([token for token, _ in listed], np.array([count for _, count in listed], np.int64))

    def codes(self, values: Iterable[object]) -> NDArray[np.int64]:
        """Return the id of each value, (n,): 0 for a category that is not there, and for a missing value without one.

        >>> Levels.of(["b", "a", "b"], "color").codes(["a", "b", "c", None]).tolist()
        [2, 1, 0, 0]
        """
        ids: dict[str | None, int] = {token: number for number, token in enumerate(self.tokens)}
        ids[None] = ids.get(MISSING, 0)
        ids.pop(MISSING, None)
        return np.fromiter((ids.get(_text(value), 0) for value in values), np.int64)


def _text(value: Any) -> str | None:
    """Return the text of a category, None for a missing value; a whole number is the same as an integer or a float."""
    if isinstance(value, str):
        return str(value)
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, float | np.floating):
        if np.isnan(value):
            return None
        return str(int(value)) if float(value).is_integer() else str(float(value))
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    return str(int(value)) if isinstance(value, int | np.integer) else str(value)


def columns_of(X: Any) -> list[list[Any]]:
    """Return the values of each column of a frame of pandas or polars, or of an array (n, C)."""
    if hasattr(X, "get_columns"):  # polars
        return [column.to_list() for column in X.get_columns()]
    if hasattr(X, "iloc"):  # pandas, whose columns have types of their own
        return [X.iloc[:, number].tolist() for number in range(X.shape[1])]
    return [X[:, number].tolist() for number in range(X.shape[1])]
