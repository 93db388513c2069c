import numpy as np
import pytest

from rowspace.errors import UsageError
from rowspace.store.words import check_rows
from rowspace.table import Table


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ">f4", ">f8"])
def test_float_dtypes_of_safetensors_pass(dtype):
    check_rows(Table(["cat"], np.ones((1, 2), dtype)))


def test_longdouble_is_refused_with_a_remedy():
    rows = np.ones((1, 2), np.longdouble)
    with pytest.raises(UsageError, match=f"rows of {rows.dtype} cannot be saved; convert them to float32"):
        check_rows(Table(["cat"], rows))
