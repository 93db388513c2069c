import numpy as np
import pytest

from rowspace.errors import UsageError
from rowspace.store.writable import check_rows, modules_of, normalizes
from rowspace.table import Table


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ">f4", ">f8"])
def test_what_safetensors_files_hold_passes(dtype):
    check_rows(Table(["cat"], np.ones((1, 2), dtype)))


def test_longer_floats_are_refused_with_what_to_do():
    rows = np.ones((1, 2), np.longdouble)
    with pytest.raises(UsageError, match=f"rows of {rows.dtype} cannot be saved; convert them to float32"):
        check_rows(Table(["cat"], rows))


@pytest.mark.parametrize(
    ("setting", "expected"), [(True, True), (False, False), (None, False), ("yes", False), (1, False)]
)
def test_only_a_table_that_says_so_normalizes(setting, expected):
    table = Table(["cat"], np.ones((1, 2)), settings={"normalize": setting})
    assert normalizes(table) == expected
    assert [module["type"].rpartition(".")[2] for module in modules_of(table)] == (
        ["StaticEmbedding", "Normalize"] if expected else ["StaticEmbedding"]
    )
