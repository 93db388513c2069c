"""Per-user cache directory."""

import os
from pathlib import Path

from platformdirs import user_cache_dir

from rowspace.errors import RowspaceError

__all__ = ["cache_dir"]


def cache_dir() -> Path:
    """Return rowspace's cache directory, which may not exist yet.

    It is in `XDG_CACHE_HOME` if that is an absolute path, on any platform, otherwise in the platform's cache directory.

    Returns:
        The path.

    Raises:
        RowspaceError: If neither is known, because the user has no home directory.

    >>> cache_dir().name
    'rowspace'
    """
    parent = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if parent.is_absolute():
        return parent / "rowspace"
    try:
        path = Path(user_cache_dir("rowspace", appauthor=False))
    except RuntimeError:
        path = Path()
    if not path.is_absolute():  # as older platformdirs return it
        raise RowspaceError("there is no home directory; set XDG_CACHE_HOME to a folder for caches")
    return path
