"""Hidden siblings of a target: their names, finding them, and removing those of dead processes.

A name is `.rowspace-<target>-<machine>-<process>-<random>.tmp`, or `.old` for the folder that is being replaced.
Folders among the system's temporary files have such names, too, so that the next process removes those of killed ones.
"""

import hashlib
import os
import platform
import re
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rowspace.errors import UsageError

__all__ = [
    "check_not_interrupted",
    "clear_temporaries",
    "find_backup",
    "hidden_sibling",
    "is_of_running_process",
    "is_own_temporary",
    "make_scratch",
    "remove",
    "scratch_folder",
]

StrPath = str | os.PathLike[str]


def find_backup(path: StrPath) -> Path | None:
    """Find the old folder that a save killed between its two renames left next to a missing `path`.

    Args:
        path: The target of the save.

    Returns:
        The hidden folder, or None if there is none or `path` exists.

    >>> find_backup("no-such-table") is None
    True
    """
    target = Path(os.path.realpath(path))
    if target.exists() or not target.parent.is_dir():
        return None
    return next((entry for entry, _ in siblings(target) if entry.suffix == ".old"), None)


def check_not_interrupted(path: StrPath, what: str) -> None:
    """Raise the error for a missing `path` if a killed save has left the old folder under its hidden name.

    Args:
        path: The target of the save.
        what: What should be there, such as "table".

    Raises:
        UsageError: There is an old folder; the message names it.
    """
    if (kept := find_backup(path)) is not None:
        raise UsageError(
            f"there is no {what} at {path}, because a save to it was interrupted; the old one is complete in "
            f"{kept}: rename that to {path} (the next save to it does so too)"
        )


@contextmanager
def scratch_folder(name: str) -> Iterator[Path]:
    """Yield a new folder for temporary files, which is removed at the end; see `make_scratch`.

    Args:
        name: What it is for, such as "fit".

    >>> with scratch_folder("example") as folder:
    ...     folder.is_dir()
    True
    >>> folder.exists()
    False
    """
    folder = make_scratch(name)
    try:
        yield folder
    finally:
        remove(folder)


def make_scratch(name: str) -> Path:
    """Make a folder among the system's temporary files, and remove those that killed processes left for the same use.

    Args:
        name: What it is for, such as "fit".

    Returns:
        The folder, which only this user can open.
    """
    target = Path(tempfile.gettempdir(), name)
    for leftover, process in siblings(target):
        if not _is_running(process):
            remove(leftover)
    folder = hidden_sibling(target, "tmp")
    folder.mkdir(0o700)
    return folder


def is_own_temporary(target: Path) -> bool:
    """Whether a path has a name that `hidden_sibling` has given in this process."""
    return (
        re.fullmatch(rf"\.rowspace-[0-9a-f]{{8}}-[0-9a-f]{{8}}-{os.getpid()}-[0-9a-f]{{8}}\.tmp", target.name)
        is not None
    )


def is_of_running_process(path: Path) -> bool:
    """Whether a path has a name that `hidden_sibling` has given in a process of this machine that still runs."""
    match = re.fullmatch(rf"\.rowspace-[0-9a-f]{{8}}-{_machine()}-(\d+)-[0-9a-f]{{8}}\.(?:tmp|old)", path.name)
    return match is not None and _is_running(int(match[1]))


def hidden_sibling(target: Path, kind: str) -> Path:
    """Return a new hidden name next to `target`, of fixed length, since `target` may have the longest legal name."""
    return target.with_name(f"{_prefix(target)}{os.getpid()}-{secrets.token_hex(4)}.{kind}")


def clear_temporaries(target: Path) -> None:
    """Remove the temporaries of dead processes next to `target`; if `target` is missing, restore an old folder."""
    for leftover, process in siblings(target):
        if _is_running(process):
            continue
        if leftover.suffix == ".old" and not target.exists():
            leftover.rename(target)
        else:
            remove(leftover)


def remove(path: Path) -> None:
    """Remove a file or a tree and ignore errors: the next save removes the rest."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def _prefix(target: Path) -> str:
    """Return a prefix from target and machine: process ids are unique only within a machine and process namespace."""
    return f".rowspace-{_hashed(os.fsencode(target.name))}-{_machine()}-"


def _machine() -> str:
    namespace = ""
    with suppress(OSError):
        namespace = str(Path("/proc/self/ns/pid").readlink())
    return _hashed(f"{platform.node()} {namespace}".encode())


def _hashed(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:8]


def siblings(target: Path) -> Iterator[tuple[Path, int]]:
    """Yield the temporaries of `target` from this machine, each with its process id."""
    pattern = re.compile(re.escape(_prefix(target)) + r"(\d+)-[0-9a-f]{8}\.(?:tmp|old)")
    for name in sorted(os.listdir(target.parent)):  # noqa: PTH208  # names, to match before any path is built
        match = pattern.fullmatch(name)
        if match:
            yield target.with_name(name), int(match[1])


def _is_running(process: int) -> bool:
    if sys.platform == "win32":  # signal 0 is Ctrl-C there
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (
        OSError,
        OverflowError,
    ):  # it runs under another user, or the number is not a valid process id
        return True
    return True
