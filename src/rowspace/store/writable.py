"""What safetensors files, and the JSON files beside them, can be made of: which rows, and whether texts are normalised.

Left out: how (`tensors.py`, `native.py`).
"""

from rowspace.errors import UsageError
from rowspace.store.layout import DTYPES, MODULES_CONTENT, NORMALIZE_MODULE
from rowspace.table import Table

__all__ = ["check_rows", "modules_of", "normalizes"]


def check_rows(table: Table) -> None:
    """Raise `UsageError` where the table's dtype has no name in safetensors files."""
    if table.rows.dtype.name not in DTYPES:
        raise UsageError(f"rows of {table.rows.dtype} cannot be saved; convert them to float32")


def normalizes(table: Table) -> bool:
    """Whether the table was opened from a model that normalises texts."""
    return table.settings.get("normalize") is True


def modules_of(table: Table) -> list[dict[str, object]]:
    """Return the content of modules.json: the static module, and one that normalises where the table says so."""
    return [*MODULES_CONTENT, NORMALIZE_MODULE] if normalizes(table) else MODULES_CONTENT
