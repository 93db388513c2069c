"""`cache_dir`: where what was learned once is kept for the next time, for each user of a machine.

Source: XDG Base Directory Specification. Left out: what is kept there (`text/standard.py`, `lab/default_table.py`).
"""

import os
from pathlib import Path

from rowspace.errors import RowspaceError

__all__ = ["cache_dir"]


def cache_dir() -> Path:
    """The folder, which may not be there yet: in `XDG_CACHE_HOME` where this is a whole path, or in `~/.cache`.

    Raises `RowspaceError` where there is neither.

    >>> cache_dir().name
    'rowspace'
    """
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if named.is_absolute():
        return named / "rowspace"
    try:
        return Path.home() / ".cache" / "rowspace"
    except RuntimeError as error:
        raise RowspaceError("no home folder is known here; name a folder for caches in XDG_CACHE_HOME") from error
