"""What the first kilobytes of a text show: the line `V D` of word2vec, and how many numbers end a line.

These functions read little and never raise, so that a format can call them on any file.
"""

import re
from collections import Counter
from typing import NamedTuple

from rowspace.files.content import SNIFFED

__all__ = [
    "MARK",
    "NUMBER",
    "Header",
    "has_column_names",
    "header_of",
    "infer_dim",
    "is_table_of_numbers",
    "is_text_of",
    "numbers_at_end",
    "whole_lines",
    "width_without_header",
    "wrong_kind_of_text",
]

MARK = b"\xef\xbb\xbf"  # UTF-8's byte-order mark, which some editors put before a text
MAX_HEADER = 100
MAX_LINES = 100
MANY = 100  # consecutive numbers, which other data does not have by chance
HEADER = re.compile(rb" *(\d{1,18})[ \t]+(\d{1,18})[ \t\r]*\n", re.ASCII)
NUMBER = re.compile(rb"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+]?(nan|inf|infinity)", re.ASCII | re.IGNORECASE)
FIRST_COLUMNS = (b"", b"token", b"word", b"text", b"index", b"unnamed: 0")  # pandas' names for a column of words
PIECES = ("▁".encode(), b"<unk>")
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
COUNT = re.compile(rb"\d{1,18}(\W\d*)?", re.ASCII)
MAX_HEADER_FIELDS = 4
BETWEEN = re.compile(rb"[ \t]+")


class Header(NamedTuple):
    """The first line of a word2vec file: V words of D numbers, the first of which begins at byte `end`."""

    size: int
    dim: int
    end: int


def header_of(start: bytes) -> Header | None:
    r"""Return the line `V D` that a word2vec file begins with, if there is one.

    >>> header_of(b"2 300\ncat ")
    Header(size=2, dim=300, end=6)
    """
    match = HEADER.match(start[:MAX_HEADER])
    return match and Header(int(match[1]), int(match[2]), match.end())


def is_text_of(start: bytes, header: Header) -> bool:
    r"""Whether what follows the header is text: a line of a word and D numbers in digits, or lines of other text.

    >>> start = b"1 2\ncat 0.5 1e-3\n"
    >>> is_text_of(start, header_of(start))
    True
    """
    lines = whole_lines(start)[1:]
    if header.dim < 1 or not lines or any(b"\0" in line for line in lines[:1]):
        return False
    found = numbers_at_end(lines[0])
    is_long = len(start) == SNIFFED and len(lines) == 1 and found >= MANY
    return (
        header.dim <= found or is_long or all(_is_line_of_text(line, is_whole=start.count(b"\n") > 1) for line in lines)
    )


def _is_line_of_text(line: bytes, *, is_whole: bool) -> bool:
    """Whether a line ends in numbers, or is whole and UTF-8, without the control characters of binary files."""
    is_text = numbers_at_end(line) > 0 or (is_whole and line.decode(errors="ignore").encode() == line)
    return is_text and CONTROL.search(line) is None


def width_without_header(lines: list[bytes]) -> int | None:
    r"""Return the number of numbers in the lines after the first, if that seems to be a header of a wrong form.

    >>> width_without_header([b"3 4 utf-8", b"the 1 2", b"of 3 4"]), width_without_header([b"2000 1 2", b"of 3 4"])
    (2, None)
    """
    width = infer_dim(lines[1:])
    fields = BETWEEN.split(lines[0].strip(b" \t\r")) if lines else []
    is_header = width > 1 and 1 <= len(fields) <= MAX_HEADER_FIELDS and COUNT.fullmatch(fields[0]) is not None
    return width if is_header and numbers_at_end(lines[0]) < width else None


def whole_lines(start: bytes) -> list[bytes]:
    r"""Return the first lines of what `read_start` returned, less blank ones; a cut one if there is no other.

    >>> whole_lines(b"a 1\n\r\nb 2")
    [b'a 1', b'b 2']
    """
    lines = start.split(b"\n", MAX_LINES)
    is_cut = len(start) == SNIFFED or len(lines) > MAX_LINES
    last = lines.pop() if is_cut else b""
    lines = [line for line in lines if line.strip(b"\r")]
    return lines if len(lines) > 1 or not is_cut else [*lines, last[: max(last.rfind(b" "), last.rfind(b"\t"), 0)]]


def numbers_at_end(line: bytes) -> int:
    """Count the numbers that end a line of text; the first field is the word, or a part of it.

    >>> [numbers_at_end(line) for line in (b"New York 0.5 -1 2e3 ", b"1 2", b" 1 2", b"a b", b"a")]
    [3, 1, 2, 0, 0]
    """
    _, *fields = BETWEEN.split(line.rstrip(b" \t\r"))
    words = (place for place, field in enumerate(reversed(fields)) if not NUMBER.fullmatch(field))
    return next(words, len(fields))


def infer_dim(lines: list[bytes]) -> int:
    """Return the number of numbers that most of the `lines` end in; of two as frequent ones, the smaller.

    A word may itself end in numbers, so a single line is not enough.

    >>> infer_dim([b"the 0.1 0.2", b"route 66 0.3 0.4", b"a 0.5 0.6"])
    2
    """
    found = Counter(map(numbers_at_end, lines))
    return min(found, key=lambda width: (-found[width], width), default=0)


def is_table_of_numbers(lines: list[bytes]) -> bool:
    r"""Whether each of the `lines` holds equally many numbers, with tabs between, and nothing else.

    >>> is_table_of_numbers([b"0.1\t0.2", b"1\t2"]), is_table_of_numbers([b"0.1 0.2"])
    (True, False)
    """
    rows = [line.rstrip(b"\r").split(b"\t") for line in lines]
    return len(set(map(len, rows))) == 1 and all(NUMBER.fullmatch(field) for row in rows for field in row)


def has_column_names(lines: list[bytes]) -> bool:
    r"""Whether the first of the `lines`, with tabs between fields, names the columns, as pandas writes them.

    >>> has_column_names([b"\t0\t1", b"cat\t0.5\t1"]), has_column_names([b"word\tx\ty", b"cat\t0.5\t1"])
    (True, True)
    >>> has_column_names([b"of\t0\t1", b"cat\t0.5\t1"]), has_column_names([b"of\t0 1", b"cat\t0.5 1"])
    (False, False)
    """
    first, *others = [line.rstrip(b"\r").split(b"\t") for line in lines] or [[]]
    width = len(first) - 1
    if width < 1 or not others or any(len(fields) != len(first) for fields in others):
        return False
    if not all(first[1:]) or not all(NUMBER.fullmatch(field) for fields in others for field in fields[1:] if field):
        return False
    are_numbered = first[1:] == [b"%d" % number for number in range(width)]
    are_names = not any(NUMBER.fullmatch(name) for name in first[1:])
    return are_names or (are_numbered and first[0].lower() in FIRST_COLUMNS)


def wrong_kind_of_text(start: bytes) -> str | None:
    r"""Describe a text that looks like rows of words and numbers but is not, and the next step.

    >>> wrong_kind_of_text(b"cat 0.5 1\rdog 2 3\r")
    "its lines end in CR alone; convert it with tr '\\r' '\\n' < FILE > NEW"
    """
    if b"\n" not in start and numbers_at_end(start.removeprefix(MARK).split(b"\r")[0]) and b"\r" in start.strip(b"\r"):
        return r"its lines end in CR alone; convert it with tr '\r' '\n' < FILE > NEW"
    lines = whole_lines(start.removeprefix(MARK))
    if lines and all(numbers_at_end(line) == 0 < numbers_at_end(line.replace(b",", b".")) for line in lines):
        return "its numbers have decimal commas; convert it with tr , . < FILE > NEW"
    fields = [line.rstrip(b"\r").split(b"\t") for line in lines]
    if (
        fields
        and all(len(parts) == 2 and NUMBER.fullmatch(parts[1]) for parts in fields)
        and any(parts[0].startswith(PIECES) for parts in fields)
    ):
        return "it is the vocabulary of a SentencePiece model, which has scores but no vectors"
    if (
        fields
        and fields[0][0].lower() in FIRST_COLUMNS
        and {len(parts) for parts in fields} == {infer_dim(lines[1:]) + 2}
    ):
        return r"it has an index or a second column of text; write it with to_csv(NEW, sep='\t', index=False)"
    return None
