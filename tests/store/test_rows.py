import numpy as np
import pytest

from rowspace.errors import UsageError
from rowspace.store.rows import check_rows
from rowspace.table import Table


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ">f4", ">f8"])
def test_what_safetensors_files_hold_passes(dtype):
    check_rows(Table(["cat"], np.ones((1, 2), dtype)))


def test_longer_floats_are_refused_with_what_to_do():
    rows = np.ones((1, 2), np.longdouble)
    with pytest.raises(UsageError, match=f"rows of {rows.dtype} cannot be saved; convert them to float32"):
        check_rows(Table(["cat"], rows))
