"""The numbers of the pages' "Why" panels, computed on the open table."""

from typing import TypedDict

from rowspace.table import Table


class Size(TypedDict):
    """The size of a table."""

    rows: int
    dim: int
    numbers: int


def size(table: Table) -> Size:
    """Return the size of the table."""
    return {"rows": len(table), "dim": table.dim, "numbers": len(table) * table.dim}
