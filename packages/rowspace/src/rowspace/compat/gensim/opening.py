"""Opening what gensim opens: the path of a file, which may be compressed, or a binary file object."""

import bz2
import gzip
import lzma
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from rowspace.compat.gensim.errors import ArgumentTypeError, BadEncodingError, MissingFileError, UnreadableFileError

__all__ = ["check_exists", "decode_bytes", "open_binary", "opening_error", "read_text"]

OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


@contextmanager
def open_binary(source: Any) -> Iterator[IO[bytes]]:
    """Open a file for reading bytes; .gz, .bz2 and .xz are decompressed.

    Args:
        source: A path, or an open binary file, which is read from its start and stays open.

    Yields:
        The file.

    Raises:
        MissingFileError: There is no such file; this is a `FileNotFoundError`.
        UnreadableFileError: It cannot be opened; this is an `OSError`.
        ArgumentTypeError: `source` is neither a path nor a file.
    """
    if hasattr(source, "read"):
        if hasattr(source, "seek"):
            source.seek(0)
        yield source
        return
    if not isinstance(source, (str, os.PathLike)):
        raise ArgumentTypeError(f"expected a path or an open binary file, got {type(source).__name__}")
    path = Path(source)
    try:
        file = cast("IO[bytes]", OPENERS.get(path.suffix, open)(path, "rb"))
    except OSError as error:
        raise opening_error(path, error) from error
    with file:
        yield file


def check_exists(path: Any) -> None:
    """Raise the error of `open_binary` if there is nothing at a path, which another reader opens."""
    try:
        os.stat(path)  # noqa: PTH116  # any type of path
    except OSError as error:
        raise opening_error(path, error) from error


def opening_error(path: Any, error: OSError) -> UnreadableFileError:
    """Return the error for a file that the system cannot open: a `MissingFileError` if there is none.

    >>> opening_error("a.txt", FileNotFoundError(2, "No such file or directory"))
    MissingFileError("'a.txt' cannot be opened: No such file or directory; check the path")
    """
    kind = MissingFileError if isinstance(error, FileNotFoundError) else UnreadableFileError
    return kind(f"{str(path)!r} cannot be opened: {error.strerror}; check the path")


def read_text(source: Any, encoding: str = "utf-8", errors: str = "strict") -> str:
    """Return the text of a file.

    Args:
        source: As for `open_binary`.
        encoding: The encoding of the file.
        errors: What becomes of invalid bytes, as for `bytes.decode`.

    Raises:
        BadEncodingError: The file has invalid bytes, and `errors` is "strict".
    """
    with open_binary(source) as file:
        return decode_bytes(file.read(), encoding, errors, str(source))


def decode_bytes(data: bytes, encoding: str, errors: str, source: str) -> str:
    """Return bytes of a file as text.

    Args:
        data: The bytes.
        encoding: Their encoding.
        errors: What becomes of invalid bytes, as for `bytes.decode`.
        source: The name of the file.

    Raises:
        BadEncodingError: There are invalid bytes, and `errors` is "strict"; this is a `UnicodeDecodeError`.
    """
    try:
        return data.decode(encoding, errors)
    except UnicodeDecodeError as error:
        shown = data[max(0, error.start - 10) : error.end + 10].decode(encoding, "replace")
        raise BadEncodingError(
            f"{source}: {shown!r} is not valid {encoding}; give its encoding, or unicode_errors='replace' or 'ignore'",
            error,
        ) from None
