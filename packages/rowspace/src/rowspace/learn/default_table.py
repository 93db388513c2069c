"""`default_table`: the table that the workbench opens by default, learned once from the standard library."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from rowspace._base.paths import cache_dir
from rowspace.errors import RowspaceError
from rowspace.store import load
from rowspace.table import Table

__all__ = ["default_table", "default_table_path"]


def default_table(learn: Callable[[], Table]) -> Table:
    """Load the table at `default_table_path`; if it is missing or damaged, save the result of `learn` there first.

    Saving is atomic: a killed process leaves no partial table. Raises `RowspaceError` if the folder is not writable.
    """
    path = default_table_path()
    try:
        return load(path, verify=True)
    except RowspaceError:
        _make_room(path)
    learn().save(path)
    return load(path)


def default_table_path() -> Path:
    """Return its path in `cache_dir()`, which depends on the Python version, as the standard library does.

    >>> default_table_path().name.startswith("stdlib-python3.")
    True
    """
    return cache_dir() / f"stdlib-python{sys.version_info.major}.{sys.version_info.minor}"


def _make_room(path: Path) -> None:
    """Create the folder and remove a damaged table, so that errors occur before minutes of learning."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        Table.check_target(path)
    except OSError as error:
        sentence = f"{path.parent}: cannot save the table there: {error.strerror}; set XDG_CACHE_HOME to another folder"
        raise RowspaceError(sentence) from error
