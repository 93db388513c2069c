"""Files → chunks of bytes, decompressed, and pieces of text, cut where a text may be cut.

A piece is some UTF-8 and whether a document ends with it; no piece ends inside a word. The scanner finds bad UTF-8.
"""

import bz2
import contextlib
import io
import lzma
import sys
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, cast

from rowspace._base.lazy import import_extra
from rowspace.errors import CorpusError, CorpusWarning, missing_file
from rowspace.files.remote import is_url, open_remote
from rowspace.text.characters import as_array, character_table
from rowspace.text.corpus.file_types import not_text, records_in, suffix_of

__all__ = ["BLOCK", "STANDARD_INPUT", "Piece", "cut_pieces", "read_chunks"]

Piece = tuple[bytes, bool]

BLOCK = 1 << 20  # bytes that are read, and passed to a worker, at a time
STANDARD_INPUT = "-"
_MAX_CHARACTER_BYTES = 4  # bytes of a character
_GZIP = b"\x1f\x8b"


def read_chunks(
    name: str, *, named: bool, has_records: bool = False, on_bytes: Callable[[int], None] | None = None
) -> Iterator[bytes]:
    """Yield the decompressed bytes of a file, or of standard input for '-', about `BLOCK` at a time.

    Lines that end with CR alone end with LF in the chunks. An empty file yields one empty chunk, a binary file that was
    found in a folder none.

    Args:
        name: The path or URL of the file.
        named: Whether the caller named this file.
        has_records: Whether records are expected; otherwise they are an error. In a folder, a file without is skipped.
        on_bytes: Called with the number of bytes read.

    Raises:
        UsageError: There is no such file.
        CorpusError: The file cannot be read, is damaged or binary, or holds records unexpectedly.
        MissingExtraError: A .zst file without zstandard.
    """
    try:
        with _open(name) as raw:
            chunks = _decompressed(name, io.BufferedReader(_Meter(raw, on_bytes)))
            start = next(chunks, b"")
            if not _is_text(name, start, named=named):
                return
            if not has_records:
                _refuse_records(name, start, named=named)
            elif not named and records_in(name, start, named=True) is None:
                return
            chunks = chain([start], chunks)
            if b"\r" in start[:-1] and b"\n" not in start:  # the line ends of old Macs
                chunks = (chunk.replace(b"\r", b"\n") for chunk in chunks)
            yield from chunks
    except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise missing_file(name) from error
        if isinstance(error, OSError) and error.errno:
            message = f"{name!r} cannot be read: {error.strerror}; check the path and its permissions"
        else:
            message = f"{name!r} is damaged or cut short: {error}; download or compress it again"
        raise CorpusError(message) from error


def cut_pieces(chunks: Iterable[bytes]) -> Iterator[Piece]:
    """Yield a document's bytes in pieces that end at the end of a line or, if there is no such end, outside words."""
    rest = bytearray()  # it holds no cut, so that each byte is examined once, however long a word is
    for chunk in chunks:
        cut = len(rest) + chunk.rfind(b"\n") + 1
        if cut == len(rest):
            window = bytes(rest[-_MAX_CHARACTER_BYTES:]) + chunk  # a character may have begun in the chunk before
            from rowspace.text.characters.kernels import last_cut  # numba

            found = int(last_cut(as_array(window), character_table(cased=True)))
            cut = len(rest) + len(chunk) - len(window) + found if found else 0
        rest += chunk
        if cut:
            with memoryview(rest) as view:
                piece = bytes(view[:cut])
            del rest[:cut]
            yield piece, False
    yield bytes(rest), True


def _open(name: str) -> contextlib.AbstractContextManager[Any]:
    if name == STANDARD_INPUT:
        if sys.stdin is None:
            raise CorpusError("standard input is closed; pipe a text into it, or name a file")
        return contextlib.nullcontext(sys.stdin.buffer)
    return open_remote(name) if is_url(name) else Path(name).open("rb", buffering=0)


class _Meter(io.RawIOBase):
    """Reads from another file and reports how many bytes."""

    def __init__(self, raw: io.RawIOBase, on_bytes: Callable[[int], None] | None) -> None:
        self.raw, self.on_bytes = raw, on_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        size = cast("int", self.raw.readinto(buffer))
        if self.on_bytes and size:
            self.on_bytes(size)
        return size


def _decompressed(name: str, file: io.BufferedReader) -> Iterator[bytes]:
    """Yield a file's content in chunks of about BLOCK bytes; its first bytes show the compression."""
    magic = file.peek(6)[:6]
    stream: Any = file
    if magic.startswith(_GZIP):
        return _gzip(name, file)
    if magic == b"\xfd7zXZ\x00":
        stream = lzma.LZMAFile(file)  # noqa: SIM115  # the caller closes `file`
    elif magic.startswith(b"BZh"):
        stream = bz2.BZ2File(file)
    elif magic.startswith(b"\x28\xb5\x2f\xfd"):
        return _zstd(name, file)
    return iter(lambda: cast("bytes", stream.read(BLOCK)), b"")


def _gzip(name: str, file: io.BufferedReader) -> Iterator[bytes]:
    """Yield the content of a .gz file, of one member or several; what follows the last is ignored, as gzip does."""
    member = zlib.decompressobj(zlib.MAX_WBITS | 16)
    while compressed := file.read(1 << 14):  # few, because few bytes may decompress to many
        while compressed:
            if member.eof:
                compressed = compressed.lstrip(b"\0")  # padding
                compressed += file.read(1) if len(compressed) == 1 else b""
                if not compressed:
                    break
                if not compressed.startswith(_GZIP):
                    warnings.warn(
                        f"{name!r}: the data after the compressed text is not gzip and is ignored",
                        CorpusWarning,
                        stacklevel=2,
                    )
                    return
                member = zlib.decompressobj(zlib.MAX_WBITS | 16)
            if text := member.decompress(compressed):
                yield text
            compressed = member.unused_data
    if not member.eof:
        raise EOFError("the compressed text is truncated")


def _zstd(name: str, file: io.BufferedReader) -> Iterator[bytes]:
    """Yield the content of a .zst file, of one frame or several."""
    need = f"{name!r} is compressed with Zstandard, which needs an extra"
    zstandard = import_extra("zstandard", need, "zstd")
    frame = None
    try:
        while compressed := file.read(1 << 14):  # few, because few bytes may decompress to many
            while compressed:
                if frame is None or frame.eof:
                    frame = zstandard.ZstdDecompressor().decompressobj()
                if text := frame.decompress(compressed):
                    yield text
                compressed = frame.unused_data if frame.eof else b""
    except zstandard.ZstdError as error:
        raise EOFError(str(error)) from error
    if frame is not None and not frame.eof:
        raise EOFError("the last frame is truncated")


def _is_text(name: str, start: bytes, *, named: bool) -> bool:
    """Return whether a file with these first bytes is text; raise CorpusError if it is not, but was named."""
    found = not_text(start, name)
    if found and named:
        raise CorpusError(f"{name!r} is {found.what}; {found.advice}")
    return found is None


def _refuse_records(name: str, start: bytes, *, named: bool) -> None:
    """Raise CorpusError for records, since the names of their columns would be learned too."""
    found = records_in(name, start, named=named)
    if found is not None:
        raise CorpusError(
            f"{name!r} holds {found.kind}; name the column with the text, as in --column {found.example} "
            f"(column={found.example!r} in Python): {found.first} has "
            f"{', '.join(map(repr, found.columns[:8])) or 'none'}{found.otherwise}"
        )
    if named and suffix_of(name) == ".json" and start.lstrip().startswith(b"{"):
        raise CorpusError(
            f"{name!r} is a JSON object; write its records as JSON lines, and name the column with the text"
        )
