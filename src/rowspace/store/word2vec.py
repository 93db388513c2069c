"""The word2vec binary format (.bin): read, and written byte for byte as gensim writes it.

A line `V D`, then V times: the word, a blank, D little-endian float32; some writers put a newline after
each row. It has no counts and no checksums, and its rows lie at odd places, so they are read, not mapped.
The original tool cuts long words, at times within a character: such bytes become U+FFFD, with a warning. Of
words that stand twice the first is kept, with a warning, as gensim does. Source: Mikolov et al. 2013,
word2vec.c. Left out: the text form. Read next: `formats.py`.
"""

import os
import re
import warnings
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from rowspace.atomic import StrPath, atomic_file, check_file_target
from rowspace.errors import FileFormatError, UsageError
from rowspace.store.folder import open_regular
from rowspace.store.vocabulary import encode_token_list
from rowspace.table import Table

__all__ = ["check_target", "load", "recognises", "save"]

HEADER = re.compile(rb"[ \t]*(\d{1,18})[ \t]+(\d{1,18})[ \t\r]*\n", re.ASCII)
MAX_HEADER = 100
MAX_WORD = 1 << 16  # bytes; a longer one is damage, and would have us search the whole file for a blank
CHUNK = 1 << 20
NUMBER = re.compile(rb"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+]?(nan|inf)", re.ASCII | re.IGNORECASE)
ROWS_AT_ONCE = 4096


def load(path: StrPath) -> Table:
    """Read the word2vec binary file `path` into memory, rows as float32; counts are None.

    Raises `FileFormatError`, with the number of the word and the byte it begins at, where the file is cut
    off, damaged, or holds more or less than its first line promises; sizes are compared before memory is
    taken.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat", "dog"], np.eye(2)), f"{folder}/pets.bin")
    ...     load(f"{folder}/pets.bin")["dog"].tolist()
    [0.0, 1.0]
    """
    source = os.fspath(path)
    with open_regular(Path(path)) as file:
        size, dim = _read_header(file, source)
        try:
            words, rows = _read_rows(file, size, dim, source)
        except FileFormatError as error:
            if _looks_like_text(file, dim):
                raise FileFormatError(
                    f"{source}: word2vec's text form, which does not open here; write it anew as binary "
                    "(gensim: save_word2vec_format(..., binary=True))"
                ) from None
            raise error from None
    return _table(_decoded(words, source), rows, source)


def save(table: Table, path: StrPath) -> None:
    r"""Write `table` to the file `path`, replacing an older word2vec file all at once; rows become float32.

    Counts, settings and tokenizer are not part of the format. Raises `UsageError` where a token holds a
    blank or a newline, which the format cannot, or where `path` may not be replaced, and `RowspaceError`
    where the system refuses (disk full, no permission).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat"], np.zeros((1, 1))), f"{folder}/pets.bin")
    ...     Path(folder, "pets.bin").read_bytes()
    b'1 1\ncat \x00\x00\x00\x00'
    """
    words = _writable_words(table)
    check_target(path)
    with atomic_file(path) as file:
        file.write(f"{len(table)} {table.dim}\n".encode())
        for begin in range(0, len(table), ROWS_AT_ONCE):
            block = table.rows[begin : begin + ROWS_AT_ONCE].astype("<f4")
            named = zip(words[begin : begin + ROWS_AT_ONCE], block, strict=True)
            file.write(b"".join([part for word, row in named for part in (word, b" ", row.tobytes())]))


def recognises(path: Path) -> bool:
    """Whether the file `path` begins with the line `V D`."""
    with open_regular(path) as file:
        return HEADER.match(file.read(MAX_HEADER)) is not None


def check_target(path: StrPath) -> None:
    """Raise what `save` to `path` would raise about the path itself: call it before long work."""
    target = check_file_target(path)
    if target.exists() and target.stat().st_size and not recognises(target):
        raise UsageError(f"cannot save to {target}: a file of another kind is there; remove it or name another path")


def _read_header(file: BinaryIO, source: str) -> tuple[int, int]:
    """Return (V, D), once the file is known to be large enough for them; leave it at the first word."""
    start = file.read(MAX_HEADER)
    match = HEADER.match(start)
    if match is None:
        raise FileFormatError(
            f"{source}: byte 0: no word2vec file: not a line of two numbers but {start[:20]!r}; check the path"
        )
    size, dim = int(match[1]), int(match[2])
    total = file.seek(0, os.SEEK_END)
    least = match.end() + size * (4 * dim + 1)
    if dim < 1 or total < least:
        raise FileFormatError(
            f"{source}: byte 0: promises {size} words of {dim} numbers, but has {total} bytes instead of "
            f"{least} or more; it is cut off or damaged, get it anew"
        )
    file.seek(match.end())
    return size, dim


def _read_rows(file: BinaryIO, size: int, dim: int, source: str) -> tuple[list[bytes], NDArray[np.float32]]:
    """Read V = `size` words and rows (V, D) in one pass: find a blank, copy 4 D bytes, and so on."""
    width = 4 * dim
    rows = np.empty((size, dim), "<f4")
    target = rows.reshape(-1).view(np.uint8).data
    words = []
    buffer, begin, base = b"", 0, file.tell()  # base: where in the file the buffer begins
    view = memoryview(buffer)  # slices of it are not copied
    for number in range(size):
        blank = buffer.find(b" ", begin)
        if blank < 0 or blank + width >= len(buffer):
            base += begin
            buffer, begin = buffer[begin:] + file.read(CHUNK + width), 0
            view = memoryview(buffer)
            blank = buffer.find(b" ", 0, MAX_WORD + 2)
            if blank < 0 or blank + width >= len(buffer):
                raise _cut_off(number, size, base, blank, source)
        words.append(buffer[begin:blank])
        begin = blank + 1 + width
        target[number * width : (number + 1) * width] = view[blank + 1 : begin]
    rest = buffer[begin:] + file.read(MAX_HEADER)
    if rest.strip(b"\r\n"):
        raise FileFormatError(
            f"{source}: byte {base + begin}: data goes on after the {size} words that were promised; "
            "it is damaged, get it anew"
        )
    return [word.lstrip(b"\n") for word in words], rows.astype(np.float32, copy=False)


def _cut_off(number: int, size: int, place: int, blank: int, source: str) -> FileFormatError:
    what = "has no blank after it" if blank < 0 else "has too few numbers after it"
    return FileFormatError(
        f"{source}: byte {place}: word {number + 1} of {size} {what}: cut off or damaged, get it anew"
    )


def _looks_like_text(file: BinaryIO, dim: int) -> bool:
    """Whether the line after the first is a word and D numbers in digits."""
    file.seek(0)
    file.readline(MAX_HEADER)
    line = file.readline(MAX_WORD + 40 * dim)
    fields = line.split()[-dim:]
    is_text = b"\0" not in line and line.decode(errors="replace").encode() == line
    return is_text and len(fields) == dim and all(map(NUMBER.fullmatch, fields))


def _decoded(words: list[bytes], source: str) -> list[str]:
    try:
        return [word.decode() for word in words]
    except UnicodeDecodeError:
        tokens = [word.decode(errors="replace") for word in words]
    broken = [token for token, word in zip(tokens, words, strict=True) if token.encode() != word]
    warnings.warn(
        f"{source}: {len(broken)} words are no UTF-8, perhaps cut in mid character; what is not readable is "
        f"U+FFFD now, first in {broken[0]!r}",
        stacklevel=3,
    )
    return tokens


def _table(tokens: list[str], rows: NDArray[np.float32], source: str) -> Table:
    """Build the table of the first of each token."""
    if len(set(tokens)) < len(tokens):
        first: dict[str, int] = {}
        for number, token in enumerate(tokens):
            first.setdefault(token, number)
        twice = next(token for number, token in enumerate(tokens) if first[token] != number)
        warnings.warn(
            f"{source}: {len(tokens) - len(first)} words stand twice, the first is kept; one is {twice!r}",
            stacklevel=3,
        )
        return Table(list(first), rows[np.fromiter(first.values(), np.int64, len(first))])
    return Table(tokens, rows)


def _writable_words(table: Table) -> list[bytes]:
    words = encode_token_list(table.vocabulary)
    for number, word in enumerate(words):
        if b" " in word or b"\n" in word or len(word) > MAX_WORD:
            what = f"has more than {MAX_WORD} bytes" if len(word) > MAX_WORD else "holds a blank or a newline"
            raise UsageError(
                f"token {table.vocabulary[number]!r:.80} (id {number}) {what}, which word2vec cannot hold; "
                "save to a directory instead (format 'native')"
            )
    return words
