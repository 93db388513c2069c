"""rowspace: the embedding layer, whole.

`import rowspace as rs` brings `rs.fit`, `rs.load` and `rs.Table`. Folders are imported when first used, so the import
stays light; this is also the one place where a table learns how it is saved, since `table.py` knows nothing of files.
Start reading at `table.py`.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from rowspace.errors import RowspaceError
from rowspace.table import Table

if TYPE_CHECKING:
    from rowspace.learn.fit import fit
    from rowspace.store import load

__all__ = ["RowspaceError", "Table", "fit", "load"]

_LATER = {"fit": "rowspace.learn", "load": "rowspace.store"}


def __getattr__(name: str) -> Any:
    """Import what is first used now."""
    if name == "__version__":
        return version("rowspace")
    if name not in _LATER:
        raise AttributeError(f"module 'rowspace' has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)


def _save(table: Table, path: str, **options: Any) -> None:
    import_module("rowspace.store").save(table, path, **options)


def _check_target(path: str) -> None:
    import_module("rowspace.store").check_target(path)


Table.saver = _save
Table.target_checker = _check_target
