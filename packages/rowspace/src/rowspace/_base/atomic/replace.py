"""Write a file or a folder next to its target and swap it in once it is complete."""

import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from rowspace._base.atomic.swap import swap_in, sync, sync_tree
from rowspace._base.atomic.targets import FULL, check_file_target, check_folder_target, translate_os_errors
from rowspace._base.atomic.temporaries import clear_temporaries, hidden_sibling, is_own_temporary, remove

__all__ = ["StrPath", "atomic_file", "atomic_folder", "move_file"]

StrPath = str | os.PathLike[str]


@contextmanager
def atomic_folder(
    path: StrPath, *, marker: str = "rowspace.json", contents: Collection[str] | None = None
) -> Iterator[Path]:
    """Yield an empty folder next to `path`; when the block ends, it replaces `path` atomically.

    An exception inside the block leaves `path` unchanged and removes the new folder. If `path` is such a new
    folder itself, and still empty, it is yielded: it is replaced as a whole.

    Args:
        path: The target.
        marker: See `check_folder_target`.
        contents: See `check_folder_target`.

    Yields:
        The folder to write to.

    Raises:
        UsageError: If `path` cannot be replaced.
        RowspaceError: If the system refuses: a full disk, no permission.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_folder(f"{folder}/table") as new:
    ...         _ = (new / "rowspace.json").write_text("{}")
    ...     [file.name for file in Path(folder, "table").iterdir()]
    ['rowspace.json']
    """
    target = check_folder_target(path, marker=marker, contents=contents)
    if is_own_temporary(target) and not any(target.iterdir()):
        with translate_os_errors(target, kinds=FULL):
            yield target  # a sibling of it would stay for ever after a kill, since no later target has its name
        return
    temporary = hidden_sibling(target, "tmp")
    try:
        with translate_os_errors(target):
            clear_temporaries(target)
            temporary.mkdir()
        with translate_os_errors(target, kinds=FULL):
            yield temporary
        # A fit may have taken hours since the first check.
        check_folder_target(path, marker=marker, contents=contents)
        with translate_os_errors(target):
            sync_tree(temporary)
            swap_in(temporary, target)
    finally:
        remove(temporary)  # after an exchange this is the old folder


@contextmanager
def atomic_file(path: StrPath) -> Iterator[BinaryIO]:
    """Yield a binary file to write to; when the block ends, it replaces `path` atomically.

    An exception inside the block leaves `path` unchanged and removes the new file.

    Args:
        path: The target.

    Yields:
        The open file.

    Raises:
        UsageError: If `path` cannot be replaced.
        RowspaceError: If the system refuses: a full disk, no permission.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_file(f"{folder}/answer") as file:
    ...         _ = file.write(b"42")
    ...     Path(folder, "answer").read_bytes()
    b'42'
    """
    target = check_file_target(path)
    temporary = hidden_sibling(target, "tmp")
    try:
        with translate_os_errors(target):
            clear_temporaries(target)
            file = temporary.open("xb")
        with translate_os_errors(target, kinds=FULL), file:
            yield file
        with translate_os_errors(target):
            move_file(temporary, target)
    finally:
        remove(temporary)


def move_file(source: Path, target: Path) -> None:
    """Sync a complete file to the disk and rename it to `target`, in the same file system, with the old file's mode.

    Args:
        source: The file, which is closed.
        target: Its new name; an older file of that name is replaced.
    """
    sync(source)
    if target.exists():
        shutil.copymode(target, source)
    source.replace(target)
    sync(target.parent)
