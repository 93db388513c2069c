"""The name of an output → its format, checks before long work, and its sink."""

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
from rowspace.files.remote import is_url

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


def check_output(path: StrPath) -> Path:
    """Check that vectors can be saved to `path`; call it before long work.

    Returns:
        The path with symbolic links resolved.

    Raises:
        UsageError: Its suffix is that of no format, or it cannot be replaced.
        MissingExtraError: The format needs a package that is not installed.

    >>> check_output("vectors.csv")
    Traceback (most recent call last):
    rowspace.errors.UsageError: 'vectors.csv': vectors are saved as .npy, .parquet or .lance; give such a name
    """
    return format_of(path).check(path)


def format_of(path: StrPath) -> OutputFormat:
    """Return the format of an output from its suffix; raise `UsageError` if it has none of these, or is a URL."""
    if is_url(str(path)):
        raise UsageError(
            f"{path} is a URL, where a folder of Parquet files is saved with --on, such as --on processes "
            "(encode_parts in Python); without it, vectors are saved in a file of this machine"
        )
    suffix = Path(path).suffix.lower()
    for known in FORMATS:
        if known.suffix == suffix:
            return known
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
