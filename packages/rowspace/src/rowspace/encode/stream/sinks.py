"""The name of an output → its format, checks before long work, and its sink."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rowspace._base.atomic import StrPath, check_file_target, check_folder_target
from rowspace._base.lazy import import_extra
from rowspace.encode.stream.arrow_sink import (
    LANCE_CONTENTS,
    LANCE_MARKER,
    LanceSink,
    ParquetSink,
)
from rowspace.encode.stream.npy_sink import NpySink, is_moved
from rowspace.encode.stream.sink import Mark, Sink, SinkOptions
from rowspace.errors import UsageError
from rowspace.files.content import read_start
from rowspace.files.remote import check_remote_target, is_url, remote_names, split_url

__all__ = ["OutputFormat", "check_output", "format_of"]


@dataclass(frozen=True)
class OutputFormat:
    """A format of vectors.

    Attributes:
        suffix: The end of its names.
        has_text: Whether it can hold the texts next to the vectors.
        check: Checks a target before long work and returns it with links resolved.
        open: Opens its sink, at a mark of an earlier run.
        is_moved: Whether a run that was killed at its end has moved the rows in its folder to the target.
    """

    suffix: str
    has_text: bool
    check: Callable[[StrPath], Path]
    open: Callable[[SinkOptions, Mark | None], Sink]
    is_moved: Callable[[Path, Path], bool] = lambda _folder, _target: False


def check_output(path: StrPath) -> None:
    """Check that vectors can be saved to a path or URL; call it before long work.

    Raises:
        UsageError: Its suffix is that of no format, or it cannot be replaced.
        MissingExtraError: The format needs a package that is not installed.
        RowspaceError: There is no permission to write there.

    >>> check_output("vectors.csv")
    Traceback (most recent call last):
    rowspace.errors.UsageError: 'vectors.csv': vectors are saved as .npy, .parquet or .lance; give such a name
    """
    output, name = format_of(path), os.fspath(path)
    if not is_url(name):
        output.check(path)
        return
    if output.suffix == ".lance":
        raise UsageError(f"{name}: at a URL, vectors are saved as .npy or .parquet; give such a name")
    check_remote_target(name)
    if remote_names(name):
        raise UsageError(f"{name} is a folder, but a file would be written; name another place")


def format_of(path: StrPath) -> OutputFormat:
    """Return the format of an output from its suffix; raise `UsageError` if it has none of these."""
    name = os.fspath(path)
    suffix = Path(split_url(name)[1] if is_url(name) else name).suffix.lower()
    for known in FORMATS:
        if known.suffix == suffix:
            return known
    if is_url(name):
        raise UsageError(
            f"{name}: at a URL, vectors are saved as .npy or .parquet, or as a folder of Parquet files with --on, such "
            "as --on processes (encode_parts in Python)"
        )
    raise UsageError(f"{str(path)!r}: vectors are saved as .npy, .parquet or .lance; give such a name")


def _check_npy(path: StrPath) -> Path:
    return check_file_target(path, is_same_kind=lambda target: read_start(target).startswith(b"\x93NUMPY"))


def _check_parquet(path: StrPath) -> Path:
    import_extra("pyarrow", "Parquet files need pyarrow", "arrow")
    return check_file_target(path, is_same_kind=lambda target: read_start(target).startswith(b"PAR1"))


def _check_lance(path: StrPath) -> Path:
    import_extra("lance", "Lance datasets need Lance", "search")
    return check_folder_target(path, marker=LANCE_MARKER, contents=LANCE_CONTENTS)


FORMATS = (
    OutputFormat(".npy", False, _check_npy, NpySink, is_moved),
    OutputFormat(".parquet", True, _check_parquet, ParquetSink),
    OutputFormat(".lance", True, _check_lance, LanceSink),
)
