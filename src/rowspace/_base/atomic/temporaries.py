"""Hidden siblings of a target: their names, finding them, and removing those of dead processes.

A name is `.rowspace-<target>-<machine>-<process>-<random>.tmp`, or `.old` for the directory that is being replaced.
"""

import hashlib
import os
import platform
import re
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

__all__ = ["clear_temporaries", "find_backup", "hidden_sibling", "remove"]

StrPath = str | os.PathLike[str]


def find_backup(path: StrPath) -> Path | None:
    """Find the old directory that a save killed between its two renames left next to a missing `path`.

    Args:
        path: The target of the save.

    Returns:
        The hidden directory, or None if there is none or `path` exists.

    >>> find_backup("no-such-table") is None
    True
    """
    target = Path(os.path.realpath(path))
    if target.exists() or not target.parent.is_dir():
        return None
    return next((entry for entry, _ in siblings(target) if entry.suffix == ".old"), None)


def hidden_sibling(target: Path, kind: str) -> Path:
    """Return a new hidden name next to `target`, of fixed length, since `target` may have the longest legal name."""
    return target.with_name(f"{_prefix(target)}{os.getpid()}-{secrets.token_hex(4)}.{kind}")


def clear_temporaries(target: Path) -> None:
    """Remove the temporaries of dead processes next to `target`; if `target` is missing, restore an old directory."""
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
    namespace = ""
    with suppress(OSError):
        namespace = str(Path("/proc/self/ns/pid").readlink())
    parts = (os.fsencode(target.name), f"{platform.node()} {namespace}".encode())
    return ".rowspace-" + "".join(f"{hashlib.sha256(part).hexdigest()[:8]}-" for part in parts)


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
