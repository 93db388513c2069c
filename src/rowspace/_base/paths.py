"""Per-user cache directory. Source: XDG Base Directory Specification."""

import os
from pathlib import Path

from rowspace.errors import RowspaceError

__all__ = ["cache_dir"]


def cache_dir() -> Path:
    """Return rowspace's cache directory, which may not exist yet.

    It is in `XDG_CACHE_HOME` where this is an absolute path, or in `~/.cache`.

    Raises:
        RowspaceError: there is neither.

    >>> cache_dir().name
    'rowspace'
    """
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if named.is_absolute():
        return named / "rowspace"
    try:
        return Path.home() / ".cache" / "rowspace"
    except RuntimeError as error:
        raise RowspaceError("there is no home directory; set XDG_CACHE_HOME to a directory for caches") from error
