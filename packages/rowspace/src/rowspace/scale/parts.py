"""Paths, patterns and URLs → parts of bulk work, each a file or a range of row groups of a large Parquet file."""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from rowspace.errors import CorpusError, UsageError, reason_of
from rowspace.files.remote import common_folder, is_url, open_remote, remote_files, without_options
from rowspace.files.remote_place import RemoteFile
from rowspace.text.corpus import STANDARD_INPUT, corpus_files
from rowspace.text.corpus.pieces import is_parquet_file

__all__ = ["Part", "check_names", "find_parts", "open_source_file"]

PARQUET = ".parquet"
_WILDCARD = re.compile(r"[*?[]")


class Part(NamedTuple):
    """A part of bulk work.

    Attributes:
        name: The name of its output, relative to the folder of outputs; no other part has it.
        source: The absolute path or the URL of its file.
        size: The bytes of the file.
        modified_ns: When the file was last modified, in nanoseconds.
        groups: The first row group of the part and the one after its last; None for a whole file.
    """

    name: str
    source: str
    size: int
    modified_ns: int
    groups: tuple[int, int] | None = None

    @property
    def bytes(self) -> int:
        """The size of the file, in the part that begins it; the other parts of the file count nothing."""
        return self.size if self.groups is None or self.groups[0] == 0 else 0


def find_parts(
    source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    max_bytes: int = 1 << 28,
    known: Sequence[Part] = (),
) -> list[Part]:
    """Return the parts of a source, in the order of their names.

    The output of a part has the path of its file below the folder that all sources have in common, and ends in
    .parquet; a known part keeps its name.

    Args:
        source: A path, folder, pattern or URL, or several. In a folder, hidden files and names that begin with _ are
            left out.
        max_bytes: Parquet files of more bytes are divided between row groups into parts of about this size.
        known: Parts of an earlier run: a file with the same size and time is divided as before, and is not opened.

    Raises:
        CorpusError: There is no text file in a folder, or a Parquet file is damaged.
        UsageError: There is no such file, standard input is named, or two parts would have one name.
        RowspaceError: A place cannot be read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.txt", "a.txt"):
    ...         _ = Path(folder, name).write_text("one text")
    ...     [part.name for part in find_parts(folder)]
    ['a.txt.parquet', 'b.txt.parquet']
    """
    sources = [os.fspath(each) for each in ([source] if isinstance(source, str | os.PathLike) else source)]
    files = _files(sources)
    names = [without_options(file.url) for file in files]
    base = common_folder([*(name.rpartition("/")[0] for name in names), *folders_of(sources)])
    before = dict[RemoteFile, list[Part]]()
    for part in known:
        before.setdefault(RemoteFile(part.source, part.size, part.modified_ns), []).append(part)
    parts = list[Part]()
    for file, path in zip(files, names, strict=True):
        name = path[len(base) :].lstrip("/")
        parts += before.get(file) or [
            Part(_output_name(name, groups), *file, groups) for groups in _ranges(file, max_bytes)
        ]
    check_names(parts)
    return sorted(parts)


def open_source_file(source: str) -> IO[bytes]:
    """Open the file of a part to read bytes at any place."""
    return open_remote(source) if is_url(source) else Path(source).open("rb")


def folders_of(sources: Iterable[str]) -> list[str]:
    """Return the folder of each source: itself, or that before the first wildcard of a pattern, or that of a file.

    >>> folders_of(["s3://bucket/day*/x.parquet", "s3://bucket/docs/"])
    ['s3://bucket', 's3://bucket/docs']
    """
    folders = list[str]()
    for source in sources:
        name = without_options(source).rstrip("/") if is_url(source) else os.path.abspath(source)  # noqa: PTH100  # resolve() follows links
        magic = None if not is_url(source) and Path(name).exists() else _WILDCARD.search(name)
        folder = name if magic is None else name[: magic.start()].rpartition("/")[0]
        if not is_url(source):
            folder = os.path.realpath(Path(folder).parent if Path(folder).is_file() else folder)
        folders.append(folder)
    return folders


def _files(sources: Iterable[str]) -> list[RemoteFile]:
    """Return each file once, by name."""
    found = set[RemoteFile]()
    for source in sources:
        if source == STANDARD_INPUT:
            raise UsageError("standard input ('-') has no parts; name files, or leave out --on")
        if is_url(source):
            found |= set(remote_files(source))
            continue
        for file in corpus_files([source]):
            if not file.named and Path(file.name).name.startswith("_"):  # a marker such as _SUCCESS
                continue
            facts = Path(file.name).stat()
            found.add(RemoteFile(os.path.realpath(file.name), facts.st_size, facts.st_mtime_ns))
    if not found:
        raise UsageError("there are no files to read; name at least one")
    return sorted(found)


def _ranges(file: RemoteFile, max_bytes: int) -> list[tuple[int, int] | None]:
    """Return the ranges of row groups of a file, of about `max_bytes` each; [None] for one that is not divided."""
    if file.size <= max_bytes or not is_parquet_file(file.url):
        return [None]
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        with open_source_file(file.url) as opened:
            metadata = ParquetFile(opened).metadata
            sizes = [metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups)]
    except (pa.ArrowException, OSError) as error:
        raise CorpusError(f"{file.url!r} is a damaged Parquet file: {reason_of(error)}; write it again") from error
    scale = file.size / max(1, sum(sizes))  # sizes are uncompressed
    ranges, first, total = list[tuple[int, int] | None](), 0, 0.0
    for number, size in enumerate(sizes):
        total += size * scale
        if total >= max_bytes or number == len(sizes) - 1:
            ranges.append((first, number + 1))
            first, total = number + 1, 0.0
    return ranges if len(ranges) > 1 else [None]


def _output_name(name: str, groups: tuple[int, int] | None) -> str:
    stem = name.removesuffix(PARQUET)
    return f"{stem}{PARQUET}" if groups is None else f"{stem}-{groups[0]:06}-{groups[1]:06}{PARQUET}"


def check_names(parts: Iterable[Part]) -> None:
    """Raise `UsageError` if two parts have one name."""
    seen = dict[str, str]()
    for part in parts:
        if part.name in seen:
            raise UsageError(
                f"{seen[part.name]} and {part.source} would both become {part.name}; encode them into two folders"
            )
        seen[part.name] = part.source
