"""The word2vec binary format (.bin): read, and written byte for byte as gensim writes it.

A line `V D`, then V times: the word, a blank, D little-endian float32; some writers put a newline after each row. It
has no counts and no checksums. Its rows are not aligned, so they are copied, by several threads, and not mapped.

Some writers do not check that no word holds a blank or a newline, which the format cannot hold: the row would begin
within the word. Where a newline ends each row, this is certain, since a row would then end elsewhere. Elsewhere a word
is refused if the numbers after it are far from all that vectors hold, or text that is not UTF-8 follows, and neither is
so if the word ends at a later blank.
Source: Mikolov et al. 2013, word2vec.c.
"""

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rowspace._base.atomic import StrPath, atomic_file, check_file_target
from rowspace._base.parallel import map_ranges, split_range
from rowspace._base.plural import plural
from rowspace.errors import FileFormatError
from rowspace.files.content import SNIFFED, map_content, read_start, read_unpacked_start
from rowspace.store.kernels import copy_rows, find_suspects, find_words, has_odd_number
from rowspace.store.text_formats.sniff import Header, header_of, is_text_of
from rowspace.store.words import as_float32, decode_words, encode_words, table_without_duplicates
from rowspace.table import Table

__all__ = ["check_target", "load", "recognizes", "save"]

MAX_WORD = 1 << 16  # bytes; a longer one is damage, and would have us search the whole file for a blank
ROWS_AT_ONCE = 4096
MIN_SHARE = 1 << 20  # bytes of rows for which a thread is worth its start


def load(path: StrPath, *, limit: int | None = None) -> Table:
    """Read the word2vec binary file `path`, or its first `limit` words, into memory; rows are (V, D) float32.

    Counts are None. Raises `FileFormatError`, with the number of the word and the byte it begins at, where
    the file is cut off, damaged, or holds more or less than its first line declares; sizes are compared
    before memory is taken. Warns of words that are not valid UTF-8 or are duplicated.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat", "dog"], np.eye(2)), f"{folder}/pets.bin")
    ...     load(f"{folder}/pets.bin")["dog"].tolist()
    [0.0, 1.0]
    """
    source = os.fspath(path)
    data = map_content(Path(path))
    header = _checked_header(data, source)
    num_rows = header.size if limit is None else min(limit, header.size)
    places = _find_words(data, header, num_rows, source)
    _check_blanks(data, places, header.dim, source)
    rows = _rows(data, places, header.dim)
    _check_byte_order(rows[:ROWS_AT_ONCE], source)
    return table_without_duplicates(decode_words(data, places, source), rows, source)


def save(table: Table, path: StrPath) -> None:
    r"""Write `table` to the file `path`, replacing an older word2vec file all at once; rows become float32.

    Counts, settings and tokenizer are not part of the format. Raises `UsageError` where a token holds a
    blank or a newline, which the format cannot, or where `path` cannot be replaced, and `RowspaceError`
    where the system refuses (disk full, no permission).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat"], np.zeros((1, 1))), f"{folder}/pets.bin")
    ...     Path(folder, "pets.bin").read_bytes()
    b'1 1\ncat \x00\x00\x00\x00'
    """
    words = encode_words(table.vocabulary, forbidden=b" \n", max_bytes=MAX_WORD, format="word2vec")
    check_target(path)
    with atomic_file(path) as file:
        file.write(f"{len(table)} {table.dim}\n".encode())
        for begin in range(0, len(table), ROWS_AT_ONCE):
            block = as_float32(table.rows[begin : begin + ROWS_AT_ONCE])
            named = zip(words[begin : begin + ROWS_AT_ONCE], block, strict=True)
            file.write(b"".join([part for word, row in named for part in (word, b" ", row.tobytes())]))


def recognizes(path: Path) -> bool:
    """Whether the file `path` begins with the line `V D`, and goes on in binary."""
    return _recognizes_start(read_unpacked_start(path))


def check_target(path: StrPath) -> None:
    """Raise what `save` to `path` would raise about the path itself: call it before long work."""
    check_file_target(path, is_same_kind=lambda target: _recognizes_start(read_start(target)))


def _recognizes_start(start: bytes) -> bool:
    header = header_of(start)
    return header is not None and not is_text_of(start, header)


def _checked_header(data: NDArray[np.uint8], source: str) -> Header:
    """Return the header, once the file is known to be large enough for what it declares."""
    start = data[:SNIFFED].tobytes()
    header = header_of(start)
    if header is None:
        raise FileFormatError(
            f"{source}: byte 0: not a word2vec file: expected a line of two numbers, got {start[:20]!r}; check the path"
        )
    least = header.end + header.size * (4 * header.dim + 1)
    if is_text_of(start, header):
        raise FileFormatError(f"{source}: byte {header.end}: word2vec's text form; read it as 'word2vec-text'")
    if header.dim < 1 or data.size < least:
        raise FileFormatError(
            f"{source}: byte 0: declares {plural(header.size, 'word')} of {plural(header.dim, 'number')}, but has "
            f"{plural(data.size, 'byte')} instead of {least:,} or more; it is cut off or damaged, download it again"
        )
    return header


def _find_words(data: NDArray[np.uint8], header: Header, num_rows: int, source: str) -> NDArray[np.int64]:
    """Return where the first words begin and end, (wanted, 2); raises if one of them is incomplete."""
    places = np.empty((num_rows, 2), np.int64)
    found, place, is_misplaced = find_words(data, header.end, 4 * header.dim, MAX_WORD, places)
    rest = data[place : place + MAX_WORD + 3].tobytes()
    if is_misplaced:
        words = [data[slice(*words)].tobytes() for words in places[max(0, found - 1) : found]]
        words.append(rest.lstrip(b"\n").split(b" ")[0])
        raise _blank_error(f"{source}: byte {place}", found + 1, words)
    if found < num_rows:
        what = "has too few numbers after it" if b" " in rest else "has no blank after it"
        raise FileFormatError(
            f"{source}: byte {place}: word {found + 1:,} of {header.size:,} {what}: cut off or damaged, download it "
            "again"
        )
    if found == header.size and rest not in (b"", b"\n"):
        raise FileFormatError(
            f"{source}: byte {place}: data continues after {plural(header.size, 'declared word')}; "
            "it is damaged, download it again"
        )
    return places


def _check_blanks(data: NDArray[np.uint8], places: NDArray[np.int64], dim: int, source: str) -> None:
    """Raise `FileFormatError` for a word that holds a blank, where no newlines show it."""
    if len(places) > 1 and places[1, 0] > places[0, 1] + 1 + 4 * dim:  # a newline
        return
    suspects = np.empty(len(places), np.bool_)
    map_ranges(
        lambda begin, end: find_suspects(data, places[begin : end + 1], 4 * dim, suspects[begin:end]),
        split_range(len(places), minimum=max(1, MIN_SHARE // (4 * dim))),
    )
    for number in np.flatnonzero(suspects).tolist():
        word = _longer_word(data, places[number], 4 * dim)
        if word is not None:
            raise _blank_error(f"{source}: byte {places[number, 0]}", number + 1, [word])


def _longer_word(data: NDArray[np.uint8], place: NDArray[np.int64], width: int) -> bytes | None:
    """Return the word that ends at a later blank, if numbers and a word as in other files follow it, or else None."""
    begin, blank = place.tolist()
    row = data[blank + 1 : blank + 1 + width].tobytes()
    for blank in [blank + 1 + size for size in range(width) if row[size] == ord(" ")]:
        end = blank + 1 + width
        after = data[end : end + MAX_WORD].tobytes()
        texts = [data[begin:blank].tobytes(), after.split(b" ")[0]]
        if end > data.size or not all(map(_is_text, texts[:1])):
            return None
        if (b" " in after or not after) and _is_text(texts[1]) and not has_odd_number(data[blank + 1 : end]):
            return texts[0]
    return None


def _is_text(word: bytes) -> bool:
    """Whether a word is UTF-8 without control characters."""
    try:
        return not any(character < " " or character == "\x7f" for character in word.decode())
    except UnicodeDecodeError:
        return False


def _blank_error(place: str, number: int, words: list[bytes]) -> FileFormatError:
    shown = " or ".join(repr(word[:40].decode(errors="replace")) for word in words)
    return FileFormatError(
        f"{place}: word {number:,}: {shown} holds a blank or a newline, which the format cannot hold, so its row would "
        "be shifted; replace them in the words, for example by _, and save the vectors again, or save them as text"
    )


def _check_byte_order(rows: NDArray[np.float32], source: str) -> None:
    """Raise `FileFormatError` if most numbers are in the range of vectors only with their bytes exchanged."""
    if 2 * _ordinary(rows) < rows.size < 2 * _ordinary(rows.byteswap()):
        raise FileFormatError(
            f"{source}: its numbers are big-endian, and the format holds little-endian ones; write it again with "
            "array.astype('<f4')"
        )


def _ordinary(rows: NDArray[np.float32]) -> int:
    """How many numbers have a magnitude that numbers of vectors have."""
    with np.errstate(invalid="ignore"):
        sizes = np.abs(rows)
    return int(np.count_nonzero((sizes == 0) | ((sizes > 1e-12) & (sizes < 1e12))))


def _rows(data: NDArray[np.uint8], places: NDArray[np.int64], dim: int) -> NDArray[np.float32]:
    """Copy the rows that follow the words, (V, dim)."""
    rows = np.empty((len(places), dim), "<f4")
    bytes_of_rows = rows.view(np.uint8)
    map_ranges(
        lambda begin, end: copy_rows(data, places[begin:end], bytes_of_rows[begin:end]),
        split_range(len(places), minimum=max(1, MIN_SHARE // (4 * dim))),
    )
    return rows.astype(np.float32, copy=False)
