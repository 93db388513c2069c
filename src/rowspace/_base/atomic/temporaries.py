"""Hidden siblings of a target: their names, finding them, and removing those that dead processes have left.

A name is `.rowspace-<target>-<machine>-<process>-<random>.tmp`, or `.old` for a directory that makes way. Left out:
what is written into them (`replace.py`).
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

__all__ = ["clear_temporaries", "hidden_sibling", "kept_beside", "remove"]

StrPath = str | os.PathLike[str]


def kept_beside(path: StrPath) -> Path | None:
    """Find the old directory that a save killed between its two renames left beside a missing `path`.

    >>> kept_beside("no-such-table") is None
    True
    """
    target = Path(os.path.realpath(path))
    if target.exists() or not target.parent.is_dir():
        return None
    return next((entry for entry, _ in siblings(target) if entry.suffix == ".old"), None)


def hidden_sibling(target: Path, kind: str) -> Path:
    """Make up a name beside `target`, of fixed length: a target with the longest legal name needs one too."""
    return target.with_name(f"{_prefix(target)}{os.getpid()}-{secrets.token_hex(4)}.{kind}")


def clear_temporaries(target: Path) -> None:
    """Remove what dead processes left beside `target`; an old directory whose name is free gets it back."""
    for leftover, process in siblings(target):
        if _is_running(process):
            continue
        if leftover.suffix == ".old" and not target.exists():
            leftover.rename(target)
        else:
            remove(leftover)


def remove(path: Path) -> None:
    """Remove a file or a tree; what resists stays for the next save, which is no reason to fail this one."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def _prefix(target: Path) -> str:
    """Name target and machine: process ids mean something within one machine and process namespace only."""
    namespace = ""
    with suppress(OSError):
        namespace = str(Path("/proc/self/ns/pid").readlink())
    parts = (os.fsencode(target.name), f"{platform.node()} {namespace}".encode())
    return ".rowspace-" + "".join(f"{hashlib.sha256(part).hexdigest()[:8]}-" for part in parts)


def siblings(target: Path) -> Iterator[tuple[Path, int]]:
    """Yield what saves to `target` from this machine have left beside it, each with its process id."""
    pattern = re.compile(re.escape(_prefix(target)) + r"(\d+)-[0-9a-f]{8}\.(?:tmp|old)")
    for name in sorted(os.listdir(target.parent)):  # noqa: PTH208  # names, to match before any path is built
        match = pattern.fullmatch(name)
        if match:
            yield target.with_name(name), int(match[1])


def _is_running(process: int) -> bool:
    if sys.platform == "win32":  # there, signal 0 is not a question but Ctrl-C
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (
        OSError,
        OverflowError,
    ):  # it runs under another user; or no process has such a number, and we ask no more
        return True
    return True
