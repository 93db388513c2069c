"""Damage of an index: sizes and checksums of its files, compared before Lance reads them, and Lance's errors.

Lance compares no checksums: it searches changed rows, and fails in many ways, also by a Rust panic, where a file cannot
be decoded. `checksums.json` in the folder of the dataset has its version after the last update, and of each file that
belongs to it the size and two CRC-32: of its ends, where Lance has its descriptions of the rest, and of all bytes.
Lance never changes a file, so that they hold until the next update.
"""

import json
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rowspace._base.atomic import atomic_file
from rowspace.errors import FileFormatError, RowspaceError, reason_of
from rowspace.files.strict_json import read_object, sealed, unsealed

if TYPE_CHECKING:
    import lance

__all__ = ["CHECKSUMS", "REMEDY", "Checksums", "lance_errors"]

CHECKSUMS = "checksums.json"
REMEDY = "build it again with --rebuild"

_VERSION = 1
_END = 1 << 16  # bytes at each end of a file
_CHECKED_WHOLE = 1 << 23  # bytes of all files that are read on opening, the smallest first: about 4 ms
_AT_ONCE = 1 << 20
_PLACE = re.compile(r",? /\S+?:\d+:\d+$")  # of Lance's source, at the end of its messages


class _Sums(NamedTuple):
    """The size of a file, and the CRC-32 of its ends and of all of it."""

    size: int
    ends: int
    whole: int


class Checksums:
    """The files of an index in a folder, as the last update left them.

    Args:
        dataset: The folder of the dataset, which has the file.
    """

    def __init__(self, dataset: str) -> None:
        self._folder = Path(dataset)
        self._checked = set[str]()  # files that this process has compared
        self.version = 0
        self.files = dict[str, _Sums]()

    def check(self, *, whole: bool = False) -> bool:
        """Read the checksums and compare files that were not compared before; return whether there are any checksums.

        Args:
            whole: Compare all bytes of all files. Otherwise only of the smallest files, 8 MB together, and the ends of
                the others.

        Raises:
            FileFormatError: A file is missing or differs.
        """
        while self._read():
            wrong = self._first_difference(whole)
            before = self.version
            if wrong is None:
                return True
            if not (self._read() and self.version != before):  # an update has not replaced the file meanwhile
                raise FileFormatError(f"{self._folder / wrong}: the index is damaged; {REMEDY}")
        return False

    def write(self, dataset: "lance.LanceDataset") -> None:
        """Replace the checksums by those of the newest version of the dataset; known files are not read again."""
        known, self.files = self.files, {}
        for name in _files_of(dataset, self._folder):
            self.files[name] = known.get(name) or _sums(self._folder / name)
        self.version = dataset.version
        self._checked = set(self.files)
        document = sealed({"version": _VERSION, "dataset": self.version, "files": self.files})
        with atomic_file(self._folder / CHECKSUMS) as file:
            file.write(json.dumps(document).encode())

    def _read(self) -> bool:
        """Read the file; return whether there is one."""
        path = self._folder / CHECKSUMS
        if not path.exists():
            return False
        document = read_object(path, remedy=REMEDY)
        if document.get("version") != _VERSION:
            raise FileFormatError(f"{path}: written by another version of rowspace; upgrade rowspace, or {REMEDY}")
        found = unsealed(document, str(path), remedy=REMEDY)
        self.version = found["dataset"]
        self.files = {name: _Sums(*sums) for name, sums in found["files"].items()}
        self._checked &= self.files.keys()
        return True

    def _first_difference(self, whole: bool) -> str | None:
        """Return the first file that is missing or differs."""
        left = _CHECKED_WHOLE
        for name, sums in sorted(self.files.items(), key=lambda item: item[1].size):
            if name in self._checked and not whole:
                continue
            left -= sums.size
            path = self._folder / name
            try:
                if path.stat().st_size != sums.size:
                    return name
                differs = _sums(path) != sums if whole or left >= 0 else _ends(path) != sums.ends
            except OSError:
                return name
            if differs:
                return name
            self._checked.add(name)
        return None


@contextmanager
def lance_errors(source: str, *, is_remote: bool, writes: bool = False) -> Iterator[None]:
    """Translate what Lance raises.

    Args:
        source: The path of the index, for messages.
        is_remote: Whether it is in an object store.
        writes: Whether the block changes the index.

    Raises:
        FileFormatError: Lance cannot read it.
        RowspaceError: Lance cannot write it.
    """
    import pyarrow as pa

    try:
        yield
    except RowspaceError:
        raise
    except BaseException as error:
        kinds = (OSError, RuntimeError, ValueError, pa.ArrowException)
        if not isinstance(error, kinds) and type(error).__name__ != "PanicException":  # a Rust panic is no Exception
            raise
        reason = reason_of(RuntimeError(_PLACE.sub("", str(error).split("\n")[0])))
        if writes:
            advice = "check the disk and its permissions, and update it again, or build it again with --rebuild"
            raise RowspaceError(f"{source}: the index cannot be written ({reason}); {advice}") from error
        advice = "check the URL and the credentials" if is_remote else REMEDY
        raise FileFormatError(f"{source}: the index cannot be read ({reason}); {advice}") from error


def _files_of(dataset: "lance.LanceDataset", root: Path) -> Iterator[str]:
    """Yield the files of the newest version, relative to the dataset's folder."""
    for fragment in dataset.get_fragments():
        yield from (f"data/{file.path}" for file in fragment.data_files())
        if (deleted := fragment.deletion_file()) is not None:
            yield str(deleted)
    for index in dataset.describe_indices():
        for segment in index.segments:
            folder = root / "_indices" / segment.uuid
            yield from (str(file.relative_to(root)) for file in sorted(folder.rglob("*")) if file.is_file())
    version = dataset.version
    names = f"{(1 << 64) - 1 - version:020}", str(version)  # the second one in datasets of old versions of Lance
    yield next(path for name in names if (root / (path := f"_versions/{name}.manifest")).exists())


def _sums(path: Path) -> _Sums:
    size, whole = 0, 0
    with path.open("rb") as file:
        while block := file.read(_AT_ONCE):
            size, whole = size + len(block), zlib.crc32(block, whole)
    return _Sums(size, _ends(path), whole)


def _ends(path: Path) -> int:
    """Return the CRC-32 of the first and the last 64 KiB, which overlap in a shorter file."""
    with path.open("rb") as file:
        first = zlib.crc32(file.read(_END))
        file.seek(max(0, path.stat().st_size - _END))
        return zlib.crc32(file.read(_END), first)
