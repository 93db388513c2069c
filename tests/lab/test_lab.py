"""What every page works on."""

from collections.abc import Callable

import numpy as np
import pytest

from rowspace.errors import UsageError
from rowspace.lab.lab import Lab


def test_a_table_without_rows_is_refused_before_any_page_is(small_lab: Callable[..., Lab]) -> None:
    with pytest.raises(UsageError, match="small-table: a table without rows has nothing to show; open another"):
        small_lab([], np.ones((0, 3), np.float32))
