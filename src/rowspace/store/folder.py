"""`Folder`: a directory opened once, so that all its files are of one version even while a save replaces it.

A path names whatever directory stands there at the moment; an open directory stays the one it was. Left
out: what the files mean. Read next: `native.py`.
"""

import os
import stat
from io import BufferedReader
from pathlib import Path
from types import TracebackType
from typing import Self

from rowspace.errors import FileFormatError, RowspaceError

__all__ = ["Folder", "open_regular"]

# Not to hang on a pipe that stands where a file should; 0 where the system has no such thing.
READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def open_regular(path: Path, *, folder: int | None = None) -> BufferedReader:
    """Open `path` to read bytes; with `folder`, an open directory, its last name is looked up in there.

    Raises `FileFormatError` where it is missing or no regular file, `RowspaceError` where it may not be read.
    """
    try:
        file = open(path, "rb", opener=lambda _, __: _open(path, folder))  # noqa: SIM115  # the caller closes it  # handed on
    except (FileNotFoundError, NotADirectoryError):
        raise FileFormatError(f"{path}: missing; save the table again or restore the file") from None
    except IsADirectoryError:
        raise FileFormatError(f"{path}: a directory stands where a file should; restore the file") from None
    except OSError as error:
        raise RowspaceError(f"{path}: cannot be read: {error.strerror}; check its permissions") from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise FileFormatError(f"{path}: not a regular file; restore the file")
    return file


def _open(path: Path, folder: int | None) -> int:
    return os.open(path, READ) if folder is None else os.open(path.name, READ, dir_fd=folder)


class Folder:
    """A directory to read from, as a context manager."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._number: int | None = None

    def __enter__(self) -> Self:
        if os.open in os.supports_dir_fd:
            self._number = os.open(self.path, os.O_RDONLY)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._number is not None:
            os.close(self._number)

    def open(self, name: str) -> BufferedReader:
        """Open the file `name` in it; raises as `open_regular` does."""
        return open_regular(self.path / name, folder=self._number)

    def was_replaced(self) -> bool:
        """Whether another directory has taken this one's path since it was opened."""
        if self._number is None:
            return False
        try:
            return not os.path.samestat(self.path.stat(), os.fstat(self._number))
        except OSError:
            return False
