"""Open the files of a folder: only regular files, of one version of the folder, and not through links out of it.

A path names the folder that is there at the moment; an open folder (`Folder`) stays the same one while a save
replaces it. Links are followed within the folder, and from a snapshot in the cache of huggingface_hub to the blobs of
the same repository:

    models--org--name/blobs/4a1f...                              the files themselves
    models--org--name/snapshots/REVISION/model.safetensors  →    ../../blobs/4a1f...
"""

import os
import stat
from io import BufferedReader
from pathlib import Path
from types import TracebackType
from typing import Self

from rowspace.errors import FileFormatError, RowspaceError
from rowspace.files.foreign import TELLING, kind_of, unfinished_beside

__all__ = ["Folder", "open_regular", "resolve_inside"]

MAX_NAME = 255  # bytes, on the usual file systems
# Non-blocking, so that a pipe does not hang; 0 where the system has no such flag.
READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def resolve_inside(folder: Path, name: str) -> Path:
    """Return the path of `name` in `folder`; raises `FileFormatError` for a name or a link that leads out of it."""
    path = folder / name
    try:
        if len(name.encode()) > MAX_NAME:
            raise ValueError(name)
        real = Path(os.path.realpath(path))
    except ValueError:  # too long, a NUL, or a lone surrogate
        raise FileFormatError(
            f"{folder}: {name[:80]!r} is not a valid file name; restore the file that contains it"
        ) from None
    if not name or Path(name).name != name or name == "..":
        raise FileFormatError(f"{folder}: the file name {name!r} is outside the folder; put the file into the folder")
    home = Path(os.path.realpath(folder))
    if not real.is_relative_to(home) and real.parent != _blobs_of(home):
        raise FileFormatError(
            f"{path}: a link out of the folder, to {real}, which is not followed; open a copy of the folder with "
            f"the linked files, made with: cp -rL {folder} COPY"
        )
    return path


def _blobs_of(folder: Path) -> Path | None:
    """The blobs that a snapshot in the cache of huggingface_hub, or a folder in it, links to."""
    for place in folder.parents:
        if place.name == "snapshots" and place.parent.name.startswith("models--"):
            return place.parent / "blobs"
    return None


def open_regular(path: Path, *, folder: int | None = None) -> BufferedReader:
    """Open `path` to read bytes; with `folder`, an open folder, its last name is looked up in there.

    Raises `FileFormatError` if it is missing, not a regular file, or of a kind that is never meant (`foreign`), and
    `RowspaceError` if it cannot be read.
    """
    try:
        file = _open(path, folder)
    except (FileNotFoundError, NotADirectoryError):
        raise FileFormatError(f"{path}: missing; restore the file{unfinished_beside(path)}") from None
    except IsADirectoryError:
        raise FileFormatError(f"{path}: a folder is there, expected a file; restore the file") from None
    except OSError as error:
        raise RowspaceError(f"{path}: cannot be read: {error.strerror}; check its permissions") from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise FileFormatError(f"{path}: not a regular file; restore the file")
    _check_kind(file, path)
    return file


def _check_kind(file: BufferedReader, path: Path) -> None:
    try:
        foreign = kind_of(file.peek(TELLING)[:TELLING])
    except OSError:  # of a damaged disk, or a file of the system: who reads it will say so
        return
    if foreign is not None:
        file.close()
        raise FileFormatError(f"{path}: {foreign}")


def _open(path: Path, folder: int | None) -> BufferedReader:
    name = path if folder is None else path.name
    return open(path, "rb", opener=lambda *_: os.open(name, READ, dir_fd=folder))


class Folder:
    """A folder to read from, as a context manager."""

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
        """Whether another folder has taken this one's path since it was opened."""
        if self._number is None:
            return False
        try:
            return not os.path.samestat(self.path.stat(), os.fstat(self._number))
        except OSError:
            return False
