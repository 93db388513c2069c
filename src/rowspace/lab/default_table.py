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
    """The table at `default_table_path`; if it is missing or damaged, what `learn` returns is saved there.

    It is saved atomically: a process that is killed meanwhile leaves nothing. Raises `RowspaceError` where the folder
    cannot be written.
    """
    path = default_table_path()
    try:
        return load(path, verify=True)
    except RowspaceError:
        _make_room(path)
    learn().save(path)
    return load(path)


def default_table_path() -> Path:
    """Its path in the `cache_dir`: one for each version of Python, whose library differs.

    >>> default_table_path().name.startswith("stdlib-python3.")
    True
    """
    return cache_dir() / f"stdlib-python{sys.version_info.major}.{sys.version_info.minor}"


def _make_room(path: Path) -> None:
    """Make the folder and remove a damaged table, before minutes are spent."""
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
