"""rowspace: the embedding layer, whole.

`import rowspace as rs` brings `rs.fit`, `rs.load` and `rs.Table`. Modules are imported when first used, so the import
stays light, and the command line can catch Ctrl-C before numpy is loaded. Start reading at `table.py`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rowspace.errors import RowspaceError
    from rowspace.learn.fit import fit
    from rowspace.store import load
    from rowspace.table import Table

__all__ = ["RowspaceError", "Table", "fit", "load"]

_MODULES = {
    "RowspaceError": "rowspace.errors",
    "Table": "rowspace.table",
    "fit": "rowspace.learn.fit",
    "load": "rowspace.store",
}


def __getattr__(name: str) -> Any:
    """Import what is first used now."""
    if name == "__version__":
        return import_module("importlib.metadata").version("rowspace")
    if name not in _MODULES:
        raise AttributeError(f"module 'rowspace' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
