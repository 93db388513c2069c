"""What rows a safetensors file can be made of.

Left out: how (`tensors.py`, `native.py`).
"""

from rowspace.errors import UsageError
from rowspace.store.layout import DTYPES
from rowspace.table import Table

__all__ = ["check_rows"]


def check_rows(table: Table) -> None:
    """Raise `UsageError` where the table's dtype has no name in safetensors files."""
    if table.rows.dtype.name not in DTYPES:
        raise UsageError(f"rows of {table.rows.dtype} cannot be saved; convert them to float32")
