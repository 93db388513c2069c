"""A locked folder such as `OUTPUT.fit` next to an output, where a task keeps what it needs to make the output.

It is removed at the end, unless the task was interrupted and has saved a state from which it can be resumed.

The system releases the lock when the process ends, so a killed fit leaves none. Without `flock` (Windows), or on a file
system without locks, nothing is locked, and two fits to one output are not detected.

`cache_dir` is the user's folder for caches.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_dir

from rowspace._base.atomic import name_with_suffix, translate_os_errors
from rowspace.errors import RowspaceError, UsageError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]  # a module elsewhere

__all__ = ["LOCK_NAME", "WorkFolder", "cache_dir", "folder_next_to", "locked"]

LOCK_NAME = "lock"


def folder_next_to(output: Path, suffix: str) -> Path:
    """Return the work folder of an output.

    >>> folder_next_to(Path("tables/english"), ".fit").name
    'english.fit'
    """
    return output.with_name(name_with_suffix(output.name, suffix))


@dataclass(frozen=True)
class WorkFolder:
    """A work folder that can be opened.

    Attributes:
        path: The folder.
        task: What it is needed for, in messages: "fit".
        own_files: Matches the names of files that the task writes.
        busy: The message if another process holds the lock.
        states: Files from which an interrupted task is resumed; any of them will do.
        none_to_resume: The message if there is no such file.
    """

    path: Path
    task: str
    own_files: re.Pattern[str]
    busy: str
    states: tuple[str, ...] = ()
    none_to_resume: str = ""

    @contextmanager
    def open(
        self, *, resume: bool = False, keeps: Callable[[BaseException], bool] = lambda _error: True
    ) -> Iterator[Path]:
        """Create and lock the folder; remove it at the end, unless an interrupted task has saved a state in it.

        Args:
            resume: Whether the folder must have a state, which is kept; otherwise an earlier task's files are removed.
            keeps: Whether a task that has saved a state can be resumed after an error.

        Yields:
            The folder.

        Raises:
            UsageError: The folder has other files, or there is nothing to resume.
            RowspaceError: Another task with the same output is running.
        """
        if resume and not self.path.is_dir():
            raise UsageError(self.none_to_resume)
        with translate_os_errors(self.path):
            self._refuse_foreign_files()
        with self._removed_if_unused():
            with translate_os_errors(self.path):
                self.path.mkdir(exist_ok=True)
            with locked(self.path) as is_ours:
                if not is_ours:
                    raise RowspaceError(self.busy)
                try:
                    if resume and not self._has_state():
                        raise UsageError(self.none_to_resume)
                    if not resume:
                        self._clear()
                    yield self.path
                except BaseException as error:
                    if not (self._has_state() and keeps(error)):
                        self._remove()
                    raise
                self._remove()

    @contextmanager
    def _removed_if_unused(self) -> Iterator[None]:
        """Remove the folder if Ctrl-C arrives before the lock is held and the folder has only the lock file."""
        try:
            yield
        except BaseException:
            if self.path.is_dir():
                with locked(self.path) as is_ours:
                    if is_ours and [entry.name for entry in self.path.iterdir()] == [LOCK_NAME]:
                        self._remove()
            raise

    def _refuse_foreign_files(self) -> None:
        """Raise `UsageError` if the folder is a file, or has files that no such task has written."""
        needed = f"{str(self.path)!r} is needed for the {self.task} but"
        if self.path.exists() and not self.path.is_dir():
            raise UsageError(f"{needed} is not a folder; move it away")
        for entry in self.path.iterdir() if self.path.exists() else ():
            if entry.name != LOCK_NAME and not self.own_files.match(entry.name):
                raise UsageError(f"{needed} contains {entry.name!r}; move it away")

    def _has_state(self) -> bool:
        return any((self.path / name).is_file() for name in self.states)

    def _clear(self) -> None:
        """Remove all files but the lock: first the states, which would otherwise describe missing files."""
        for name in self.states:
            (self.path / name).unlink(missing_ok=True)
        for entry in self.path.iterdir():
            if entry.name != LOCK_NAME:
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()

    def _remove(self) -> None:
        for name in self.states:
            (self.path / name).unlink(missing_ok=True)
        shutil.rmtree(self.path, ignore_errors=True)


@contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Hold the lock of an existing folder; yield False if this process or another one already holds it."""
    if fcntl is None:
        yield True
        return
    descriptor = _open_current(folder / LOCK_NAME)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _open_current(path: Path) -> int | None:
    """Open and lock the file, again if its last holder removed it in between; None if it is already locked."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except OSError:  # a file system without locks
            return descriptor
        except BaseException:  # Ctrl-C: an open descriptor would keep the lock
            os.close(descriptor)
            raise
        if path.exists() and os.path.samestat(os.fstat(descriptor), path.stat()):
            return descriptor
        os.close(descriptor)


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
