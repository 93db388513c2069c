"""Files → lists of texts: one text per line, or per record."""

import warnings
from collections.abc import Callable, Iterator

from rowspace.errors import CorpusError, CorpusWarning
from rowspace.text.corpus.parquet_column import read_column
from rowspace.text.corpus.pieces import is_parquet_file, read_pieces
from rowspace.text.corpus.reading import BLOCK, read_chunks

__all__ = ["MAX_LINE", "read_lines"]

MAX_LINE = 1 << 28  # bytes; a longer one is not one text of many
_BOM = b"\xef\xbb\xbf"


def read_lines(
    name: str,
    *,
    named: bool,
    column: str | None = None,
    max_line: int = MAX_LINE,
    on_bytes: Callable[[int], None] | None = None,
) -> Iterator[list[str]]:
    r"""Yield the lines of a file, or of standard input for '-', in lists of about a megabyte.

    Lines end with LF, CR LF or, in a file without LF, CR. An empty line is an empty text, so that text i is line i + 1;
    blank lines between records are not texts. Invalid UTF-8 is replaced by U+FFFD, with a `CorpusWarning` for
    each file.

    Args:
        name: The path of the file, compressed or not.
        named: Whether the caller named this file; a binary file that was found in a folder is skipped.
        column: The column of records that holds the text; see `read_pieces`.
        max_line: Maximum bytes of a line, unless `column` is given.
        on_bytes: Called with the number of bytes read.

    Raises:
        UsageError: There is no such file or column.
        FileFormatError: A record is damaged, or has no text in the column.
        CorpusError: The file cannot be read, is damaged or binary, holds records and no `column` is given, or has a
            line of more than `max_line` bytes.
        MissingExtraError: A .zst file without zstandard.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"one\n\nthree\r\n")
    ...     file.flush()
    ...     list(read_lines(file.name, named=True))
    [['one', '', 'three']]
    """
    if column is None:
        return _lines(name, read_chunks(name, named=named, on_bytes=on_bytes), max_line)
    if is_parquet_file(name):
        return read_column(name, column, on_bytes=on_bytes)
    return _records(read_pieces(name, named=named, column=column, on_bytes=on_bytes))


def _lines(name: str, chunks: Iterator[bytes], max_line: int) -> Iterator[list[str]]:
    before, parts, size = 0, list[bytes](), 0  # lines before the parts, and the beginning of a line
    for chunk in chunks:
        cut = chunk.rfind(b"\n") + 1
        if cut:
            lines = _decode(name, b"".join([*parts, chunk[: cut - 1]]), before)
            yield lines
            before, parts, size = before + len(lines), [], 0
        parts.append(chunk[cut:])
        size += len(chunk) - cut
        if size > max_line:
            raise CorpusError(
                f"{name!r} line {before + 1} is longer than {max_line >> 20} MiB; write one text per line"
            )
    if size:
        yield _decode(name, b"".join(parts), before)


def _decode(name: str, data: bytes, before: int) -> list[str]:
    """Return the lines in `data`, which begins after `before` lines."""
    if not before:
        data = data.removeprefix(_BOM)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = before + data.count(b"\n", 0, error.start) + 1
        warnings.warn(
            f"{name!r} line {line:,} is not valid UTF-8; such bytes are replaced by U+FFFD",
            CorpusWarning,
            stacklevel=2,
        )
        text = data.decode(errors="replace")
    lines = text.split("\n")
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines


def _records(pieces: Iterator[tuple[bytes, bool]]) -> Iterator[list[str]]:
    texts, size = list[str](), 0
    for data, _ in pieces:
        texts.append(data.decode(errors="replace"))
        size += len(data)
        if size >= BLOCK:
            yield texts
            texts, size = [], 0
    if texts:
        yield texts
