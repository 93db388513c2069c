"""Lines of a word and D numbers ↔ tables: what word2vec's text form and GloVe's have in common.

Fields are separated by blanks or tabs; the last D are the row, and everything before them is the word, which may hold
any character but a newline. The blanks and tabs before the row are not part of it, unless it holds nothing else: then
all but one are. Blank lines are skipped, and lines may end in CR LF. A number is what Python's `float` reads, except
underscores and digits of other scripts, and becomes `np.float32(float(text))`, bit for bit. The file is mapped; several
threads find its lines and then parse them straight into the rows.
"""

import re
import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.parallel import available_cores, map_ranges, split_range
from rowspace._base.plural import plural
from rowspace.errors import FileFormatError
from rowspace.store.text_formats.kernels import find_lines, parse_rows
from rowspace.store.text_formats.print_kernels import MAX_NUMBER_BYTES, print_rows
from rowspace.store.text_formats.sniff import NUMBER
from rowspace.store.words import as_float32, decode_words, table_without_duplicates
from rowspace.table import Table

__all__ = ["FORBIDDEN", "FORBIDDEN_ENDS", "MAX_WORD", "Text", "lines_in", "rows_of_lines", "table_of_lines", "text_of"]

FORBIDDEN = b"\n\0"  # a newline ends the word, a NUL makes a binary file of a text
FORBIDDEN_ENDS = b" \t"  # which separate the word from its row
MIN_SHARE = 1 << 20  # bytes of text for which it is worth starting a thread
MAX_WORD = 1 << 16  # bytes; a longer one is damage, and no other reader would take it
ODD_FIELDS = 1024  # that a thread gathers before Python converts them
PRINTED_AT_ONCE = 1 << 22  # bytes that a thread may fill
LONG = re.compile(r"[ \t][-+]?(\d*\.\d+|\d+\.?[eE][-+]?\d+)([ \t]|$)", re.ASCII)
NO_LINES = np.empty((0, 2), np.int64)


class Text(NamedTuple):
    """The mapped bytes of a text file, its name in errors, and where the rows begin, after the header if any."""

    data: NDArray[np.uint8]
    source: str
    begin: int


def lines_in(text: Text, *, limit: int | None = None) -> NDArray[np.int64]:
    r"""Return where the lines that hold anything, or the first `limit` of them, begin and end: (V, 2).

    >>> lines_in(Text(np.frombuffer(b"a 1\n\nb 2\r\n", np.uint8), "x", 0)).tolist()
    [[0, 3], [5, 8]]
    """
    data, size = text.data, text.data.size
    pieces = [(text.begin, size)] if limit is not None else _pieces(text)
    max_lines = size if limit is None else limit
    counts = map_ranges(lambda begin, end: find_lines(data, begin, end, max_lines, NO_LINES), pieces)
    lines = np.empty((sum(counts), 2), np.int64)
    places = {piece: sum(counts[:number]) for number, piece in enumerate(pieces)}
    map_ranges(lambda begin, end: find_lines(data, begin, end, max_lines, lines[places[begin, end] :]), pieces)
    return lines


def table_of_lines(text: Text, lines: NDArray[np.int64], dim: int) -> Table:
    r"""Build the table of V `lines` of a word and `dim` numbers; rows are (V, dim) float32, counts None.

    Raises `FileFormatError` with the number of the first line that holds anything else. Memory is taken only
    once the file is known to be long enough for as many numbers. Warns of words that are not valid UTF-8 or are
    duplicated.

    >>> text = Text(np.frombuffer(b"New York 0.5 1e-3\n", np.uint8), "x", 0)
    >>> table_of_lines(text, lines_in(text), 2)["New York"].tolist()
    [0.5, 0.0010000000474974513]
    """
    rows = rows_of_lines(text, lines, dim)
    too_long = np.flatnonzero(lines[:, 1] - lines[:, 0] > MAX_WORD)
    if too_long.size:
        line = lines[too_long[0]]
        raise FileFormatError(
            f"{text.source}: line {_line_number(text, int(line[0]))}: a word of {line[1] - line[0]:,} bytes, but words "
            f"have at most {MAX_WORD:,}; correct the line"
        )
    words = decode_words(text.data, lines, text.source)
    _warn_of_long_lines(text, lines, words)
    return table_without_duplicates(words, rows, text.source)


def _warn_of_long_lines(text: Text, lines: NDArray[np.int64], words: list[str]) -> None:
    """Warn of a word that holds a number with a point, where the line probably has too many numbers."""
    found = (number for number, word in enumerate(words) if (" " in word or "\t" in word) and LONG.search(word))
    number = next(found, None)
    if number is not None:
        place = f"{text.source}: line {_line_number(text, int(lines[number, 0]))}"
        warnings.warn(
            f"{place}: the word {words[number][:40]!r} holds a number, as if the line had more numbers than others; "
            "check the line",
            stacklevel=4,
        )


def rows_of_lines(text: Text, lines: NDArray[np.int64], dim: int, *, has_words: bool = True) -> NDArray[np.float32]:
    r"""Return the numbers of V `lines`, (V, dim) float32; raises as `table_of_lines` does.

    Where they have words, the ends of the lines become the ends of their words.

    >>> text = Text(np.frombuffer(b"0.5\t1\n2\t.5\n", np.uint8), "x", 0)
    >>> rows_of_lines(text, lines_in(text), 2, has_words=False).tolist()
    [[0.5, 1.0], [2.0, 0.5]]
    """
    least = 2 * dim if has_words else 2 * dim - 1  # bytes: a digit and a separator each
    if len(lines) * least > text.data.size:
        short = lines[lines[:, 1] - lines[:, 0] < least]  # there must be one
        raise _short(text, short[0], dim, has_words)
    rows = np.empty((len(lines), dim), np.float32)
    longest = max(1, text.data.size // max(1, len(lines)))
    map_ranges(
        lambda begin, end: _parse(text, lines[begin:end], has_words, rows[begin:end]),
        split_range(len(lines), minimum=max(1, MIN_SHARE // longest)),
    )
    return rows


def text_of(words: list[bytes], rows: NDArray[np.floating]) -> Iterator[bytes]:
    r"""Yield the lines of V `words` and `rows` (V, D), some thousands at a time.

    Each number is the shortest text that is nearer to its float32 than to any other: what numpy prints, but
    for one in some thousands of the large whole numbers, where that is the middle between two float32.

    >>> list(text_of([b"cat", b"dog"], np.array([[0.1, -2], [1e-9, np.inf]])))
    [b'cat 0.1 -2.0\ndog 1e-09 inf\n']
    """

    def printed(begin: int, end: int) -> bytes:
        offsets = np.cumsum([0, *(len(word) + 1 for word in words[begin:end])])
        block = as_float32(rows[begin:end])
        run = b"\n".join([*words[begin:end], b""])
        text = np.empty(len(run) + MAX_NUMBER_BYTES * block.size, np.uint8)
        return text[: print_rows(np.frombuffer(run, np.uint8), offsets, block, text)].tobytes()

    step = max(1, PRINTED_AT_ONCE // (MAX_NUMBER_BYTES * rows.shape[1]))
    edges = [*range(0, len(words), step), len(words)]
    pieces = list(pairwise(edges))
    for number in range(0, len(pieces), 4 * available_cores()):
        yield b"".join(map_ranges(printed, pieces[number : number + 4 * available_cores()]))


def _pieces(text: Text) -> list[tuple[int, int]]:
    """Cut the text into pieces for the threads, at ends of lines."""
    edges = [text.begin]
    for _, end in split_range(text.data.size - text.begin, minimum=MIN_SHARE):
        edges.append(max(edges[-1], _line_end(text.data, text.begin + end)))
    return list(pairwise(edges))


def _line_end(data: NDArray[np.uint8], place: int) -> int:
    """Return where the line at `place` ends, its newline included."""
    step = 1 << 12
    while place < data.size:
        found = np.flatnonzero(data[place : place + step] == ord("\n"))
        if found.size:
            return place + int(found[0]) + 1
        place += step
    return data.size


def _parse(text: Text, lines: NDArray[np.int64], has_words: bool, rows: NDArray[np.float32]) -> None:
    """Read some lines into their rows; leaves in `lines` where the words end."""
    odd = np.empty((max(ODD_FIELDS, rows.shape[1]), 4), np.int64)
    first = 0
    while first < len(lines):
        first, found, is_short = parse_rows(text.data, lines, first, has_words, rows, odd)
        for number, column, begin, end in odd[:found].tolist():
            rows[number, column] = _number(text, begin, end)
        if is_short:
            raise _short(text, lines[first], rows.shape[1], has_words)


def _number(text: Text, begin: int, end: int) -> np.float32:
    """Let Python read one field."""
    field = text.data[begin:end].tobytes()
    if not NUMBER.fullmatch(field):
        raise FileFormatError(
            f"{text.source}: line {_line_number(text, begin)}: {field[:40].decode(errors='replace')!r} is not a "
            "number; correct the line, or check what kind of file it is"
        )
    with np.errstate(over="ignore"):
        return np.float32(float(field))


def _short(text: Text, line: NDArray[np.int64], dim: int, has_words: bool) -> FileFormatError:
    start = text.data[line[0] : line[0] + 20].tobytes().split(b"\n")[0].decode(errors="replace")
    expected = (
        f"a word and {plural(dim, 'number')}, but found fewer"
        if has_words
        else f"{plural(dim, 'number')}, but found more or fewer"
    )
    return FileFormatError(
        f"{text.source}: line {_line_number(text, int(line[0]))}: expected {expected} fields: {start!r}...; "
        "the file is cut off or damaged, download it again"
    )


def _line_number(text: Text, place: int) -> int:
    """Return the number of the line at `place`, from 1, as editors count."""
    step = 1 << 20
    newlines = (np.count_nonzero(text.data[at : min(at + step, place)] == ord("\n")) for at in range(0, place, step))
    return 1 + sum(map(int, newlines))
