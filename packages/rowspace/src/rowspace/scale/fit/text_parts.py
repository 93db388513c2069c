"""A corpus of files → parts of about the same number of bytes, in order, each of whole files or ranges of lines."""

import os
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from rowspace._base import in_batches
from rowspace.errors import CorpusError, UsageError, reason_of
from rowspace.files.remote import is_url
from rowspace.scale.parts import open_source_file
from rowspace.text import TextOptions
from rowspace.text.corpus import STANDARD_INPUT, corpus_files, file_bytes
from rowspace.text.corpus.open_corpus import warn_of_tags
from rowspace.text.corpus.pieces import read_pieces
from rowspace.text.corpus.reading import BLOCK, Piece, cut_pieces, read_chunks

__all__ = ["FileRange", "TextPart", "read_part", "text_parts", "warn_of_tags_in"]

Source = str | os.PathLike[str] | Sequence[os.PathLike[str]]
"""Paths, folders, patterns and URLs, as for `rowspace.fit`."""


class FileRange(NamedTuple):
    """A file, or some of its lines.

    Attributes:
        source: The absolute path or the URL.
        named: Whether the caller named the file; others are skipped if they are binary.
        start: The offset of the first byte.
        end: The offset after the last byte.
        size: The bytes of the file.
    """

    source: str
    named: bool
    start: int
    end: int
    size: int


class TextPart(NamedTuple):
    """A part of a corpus.

    Attributes:
        name: Where it begins, for messages.
        ranges: Its files, in the order of the corpus.
    """

    name: str
    ranges: tuple[FileRange, ...]

    @property
    def bytes(self) -> int:
        """The number of its bytes, compressed as they are."""
        return sum(each.end - each.start for each in self.ranges)


def text_parts(corpus: Source, count: int, *, options: TextOptions) -> list[TextPart]:
    r"""Divide a corpus; together, the parts have the words and sentences of the whole, in order.

    Files of plain text are divided at the ends of lines if each line is a sentence. Compressed files, and files with
    records, are not divided.

    Args:
        corpus: Files, folders, patterns or URLs.
        count: The number of parts; there are fewer if files that are not divided are large.
        options: How text becomes words.

    Raises:
        CorpusError: A file cannot be read, or all are empty.
        UsageError: The corpus is not of files, or there is no such file.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "text.txt")
    ...     _ = file.write_text("one two\nthree\nfour five six\n")
    ...     [(part.ranges[0].start, part.bytes) for part in text_parts(file, 2, options=TextOptions())]
    [(0, 14), (14, 14)]
    """
    text = _Text([file for file in _files(corpus) if file.size], options)
    total = text.ends[-1]
    cuts = sorted({text.cut(total * number // count) for number in range(1, count)} - {0, total})
    return [text.part(start, end) for start, end in zip([0, *cuts], [*cuts, total], strict=True)]


def read_part(
    part: TextPart, options: TextOptions, *, on_bytes: Callable[[int], None] | None = None
) -> Iterator[Piece]:
    """Yield the text of a part, and report how many bytes are read; raises as `read_pieces`."""
    for each in part.ranges:
        if (each.start, each.end) == (0, each.size):
            yield from read_pieces(each.source, named=each.named, column=options.column, on_bytes=on_bytes)
        else:
            yield from cut_pieces(_range_chunks(each, on_bytes))


def _files(corpus: Source) -> Iterator[FileRange]:
    """Yield all files, each whole."""
    paths = [corpus] if isinstance(corpus, str | os.PathLike) else corpus
    if not (isinstance(paths, list | tuple) and paths):
        raise UsageError("only files are divided into parts; give a path or a list of paths, or leave out on (--on)")
    if paths[0] is not corpus and not all(isinstance(path, os.PathLike) for path in paths):
        raise UsageError("only files are divided into parts; give paths or URLs, or leave out on (--on)")
    for file in corpus_files(paths):
        if file.name == STANDARD_INPUT:
            raise UsageError("standard input ('-') has no parts; name files, or leave out on (--on)")
        size = file_bytes(file.name)
        name = file.name if is_url(file.name) else os.path.realpath(file.name)
        yield FileRange(name, file.named, 0, size, size)


def warn_of_tags_in(part: TextPart, options: TextOptions) -> None:
    """Warn as `warn_of_tags` of the first megabyte of a part."""
    begin = next(in_batches(read_part(part, options), lambda piece: len(piece[0]), BLOCK), [])
    warn_of_tags(b"\n".join(data for data, _ in begin))


class _Text:
    """The files of a corpus one after the other, with places between 0 and the sum of their sizes."""

    def __init__(self, files: Sequence[FileRange], options: TextOptions) -> None:
        if not files:
            raise CorpusError("the files of the corpus are empty; name files with text")
        self.files = files
        self.ends = list(accumulate(file.size for file in files))
        self._has_lines = options.sentences == "line" and options.column is None
        self._divided = dict[FileRange, bool]()

    def cut(self, place: int) -> int:
        """Return the cut nearest to a place: after a line, or between two files."""
        number = bisect_right(self.ends, place)
        file = self.files[number]
        before = self.ends[number] - file.size
        offset = place - before
        if offset and self._is_divided(file):
            return before + _end_of_line(file, offset - 1)
        return before + (0 if 2 * offset < file.size else file.size)

    def part(self, start: int, end: int) -> TextPart:
        """Return the part between two places."""
        ranges = list[FileRange]()
        for number in range(bisect_right(self.ends, start), bisect_left(self.ends, end) + 1):
            file = self.files[number]
            before = self.ends[number] - file.size
            ranges.append(file._replace(start=max(start - before, 0), end=min(end - before, file.size)))
        begin = f" from byte {ranges[0].start:,}" if ranges[0].start else ""
        return TextPart(f"{ranges[0].source}{begin}", tuple(ranges))

    def _is_divided(self, file: FileRange) -> bool:
        if file not in self._divided:
            self._divided[file] = self._has_lines and _is_plain(file)
        return self._divided[file]


def _is_plain(file: FileRange) -> bool:
    """Whether the bytes of a file are its text, in lines that end with LF."""
    chunk = next(read_chunks(file.source, named=file.named), b"")
    with open_source_file(file.source) as opened:
        return bool(chunk) and opened.read(len(chunk)) == chunk


def _end_of_line(file: FileRange, offset: int) -> int:
    """Return the offset after the first end of a line at or after `offset`; that of the end of the file without one."""
    with open_source_file(file.source) as opened:
        opened.seek(offset)
        while block := opened.read(1 << 16):
            found = block.find(b"\n")
            if found >= 0:
                return offset + found + 1
            offset += len(block)
    return file.size


def _range_chunks(part: FileRange, on_bytes: Callable[[int], None] | None) -> Iterator[bytes]:
    """Yield the bytes of a range."""
    try:
        with open_source_file(part.source) as file:
            file.seek(part.start)
            left = part.end - part.start
            while left and (chunk := file.read(min(left, BLOCK))):
                left -= len(chunk)
                if on_bytes is not None:
                    on_bytes(len(chunk))
                yield chunk
    except OSError as error:
        raise CorpusError(
            f"{part.source!r} cannot be read: {reason_of(error)}; check that it is still there"
        ) from error
