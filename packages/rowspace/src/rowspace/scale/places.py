"""`Place`: the folder of outputs, local or at a URL, in which files appear complete or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rowspace._base.atomic import atomic_file, clear_temporaries, move_file, scratch_folder, translate_os_errors
from rowspace._base.atomic.temporaries import hidden_sibling, is_of_running_process
from rowspace.errors import UsageError
from rowspace.files.remote import delete_remote, inside_url, is_url, read_remote, remote_names, upload, write_remote
from rowspace.files.remote_place import TEMPORARY

__all__ = ["Place"]


class Place:
    """A folder, at a path or a URL.

    Args:
        name: The path or the URL.

    Attributes:
        name: The absolute path, or the URL without a slash at its end unless options follow.
        is_local: Whether it is a path.

    >>> Place("s3://bucket/vectors/").name
    's3://bucket/vectors'
    """

    def __init__(self, name: str | os.PathLike[str]) -> None:
        text = os.fspath(name)
        self.is_local = not is_url(text)
        self.name = os.path.realpath(text) if self.is_local else text.rstrip("/")

    def make(self) -> None:
        """Make the folder if it is local and missing; raise `UsageError` if a file is there."""
        if self.is_local:
            if Path(self.name).is_file():
                raise UsageError(f"{self.name} is a file, and parts are saved in a folder; name a folder")
            with translate_os_errors(Path(self.name)):
                Path(self.name).mkdir(parents=True, exist_ok=True)

    def names(self) -> set[str]:
        """Return the names of the files in it, without those that are being written."""
        if not self.is_local:
            return {name for name in remote_names(self.name) if not _is_temporary(name)}
        found = set[str]()
        for folder, folders, files in os.walk(self.name):
            folders[:] = [name for name in folders if not _is_temporary(name)]
            found |= {os.path.relpath(Path(folder, name), self.name) for name in files if not _is_temporary(name)}
        return found

    def path(self, name: str) -> str:
        """Return the path or URL of a file in it."""
        return f"{self.name}/{name}" if self.is_local else inside_url(self.name, name)

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a file, or None if there is none."""
        if not self.is_local:
            return read_remote(self.path(name))
        path = Path(self.path(name))
        return path.read_bytes() if path.is_file() else None

    def write(self, name: str, data: bytes) -> None:
        """Write a file in one step."""
        if not self.is_local:
            write_remote(self.path(name), data)
            return
        with atomic_file(self.path(name)) as file:
            file.write(data)

    def remove(self, name: str) -> None:
        """Remove a file if it exists."""
        if self.is_local:
            Path(self.path(name)).unlink(missing_ok=True)
        else:
            delete_remote(self.path(name))

    @contextmanager
    def adding(self, name: str) -> Iterator[Path]:
        """Yield the local path of a file to write, which appears under its name when the block ends."""
        if not self.is_local:
            with scratch_folder("rowspace-part") as folder:
                made = folder / Path(name).name
                yield made
                upload(made, self.path(name))
            return
        target = Path(self.path(name))
        with translate_os_errors(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            clear_temporaries(target)
            folder = hidden_sibling(target, "tmp")
            folder.mkdir()
        try:
            yield folder / target.name
            with translate_os_errors(target):
                move_file(folder / target.name, target)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def clean(self) -> None:
        """Remove what killed processes left; at a URL, and of other machines, also what others are writing."""
        if self.is_local:
            for path in [*Path(self.name).rglob(".rowspace-*.tmp")]:
                if not is_of_running_process(path):
                    shutil.rmtree(path, ignore_errors=True)
            return
        for name in filter(_is_temporary, remote_names(self.name)):
            delete_remote(self.path(name))


def _is_temporary(name: str) -> bool:
    last = name.rpartition("/")[2]
    return last.startswith(".") and last.endswith(TEMPORARY)
