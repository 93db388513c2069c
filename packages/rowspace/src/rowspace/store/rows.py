"""The rows that a format can hold: within float32, or of a dtype of safetensors files."""

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.files.tensors import DTYPES
from rowspace.table import Table

__all__ = ["as_float32", "check_rows"]


def as_float32(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return rows as little-endian float32; raises `UsageError` for a number beyond it.

    >>> as_float32(np.array([1e300]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rowspace.errors.UsageError: the rows hold numbers beyond 3.4e38, ...
    """
    try:
        with np.errstate(over="raise"):
            return np.ascontiguousarray(rows, "<f4")
    except FloatingPointError:
        raise UsageError(
            "the rows hold numbers beyond 3.4e38, the largest float32, and this format holds float32; scale them or "
            "name another format ('native')"
        ) from None


def check_rows(table: Table) -> None:
    """Raise `UsageError` for rows of a dtype that safetensors and Arrow do not have, such as longdouble."""
    if table.rows.dtype.name not in DTYPES:
        raise UsageError(f"rows of {table.rows.dtype} cannot be saved; convert them to float32")
