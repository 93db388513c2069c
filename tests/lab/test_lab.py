"""The table and cache shared by all pages."""

from collections.abc import Callable

import numpy as np
import pytest

from rowspace.errors import UsageError
from rowspace.lab.lab import Lab


def test_table_without_rows_is_refused(small_lab: Callable[..., Lab]) -> None:
    with pytest.raises(UsageError, match="small-table: the table has no rows to show; open another one"):
        small_lab([], np.ones((0, 3), np.float32))
