"""Per-user cache directory: `cache_dir`."""

import os
from pathlib import Path

from rowspace.errors import RowspaceError

__all__ = ["cache_dir"]


def cache_dir() -> Path:
    """Return the cache directory: in `XDG_CACHE_HOME` if that is an absolute path, otherwise in `~/.cache`.

    Source: XDG Base Directory Specification.

    Returns:
        The path, which may not exist yet.

    Raises:
        RowspaceError: If `XDG_CACHE_HOME` is not an absolute path and the user has no home directory.

    >>> cache_dir().name
    'rowspace'
    """
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if named.is_absolute():
        return named / "rowspace"
    try:
        return Path.home() / ".cache" / "rowspace"
    except RuntimeError as error:
        raise RowspaceError("no home directory found; set XDG_CACHE_HOME to a directory for caches") from error
