"""word2vec's text form (.txt, .vec), as word2vec.c, gensim and fastText write it.

A line `V D`, then V lines of a word and D numbers (`text_matrix.py`). It has no counts. Of duplicated words the first
is kept, with a warning, as gensim does. A blank in a word is read, as the row is taken from the right, but not
written: other readers split from the left. Source: Mikolov et al. 2013, word2vec.c.
"""

import os
from pathlib import Path

from rowspace._base.atomic import StrPath, atomic_file, check_file_target
from rowspace._base.plural import plural
from rowspace.errors import FileFormatError
from rowspace.files.content import SNIFFED, map_content, read_start, read_unpacked_start
from rowspace.store.text_formats.sniff import MARK, Header, header_of, is_text_of, numbers_at_end, whole_lines
from rowspace.store.text_formats.text_matrix import (
    FORBIDDEN,
    FORBIDDEN_ENDS,
    MAX_WORD,
    Text,
    lines_in,
    table_of_lines,
    text_of,
)
from rowspace.store.words import encode_words
from rowspace.table import Table

__all__ = ["check_target", "load", "recognizes", "save"]


def load(path: StrPath, *, limit: int | None = None) -> Table:
    """Read the word2vec text file `path`, or its first `limit` words, into memory; rows are (V, D) float32.

    Counts are None. Raises `FileFormatError` with the number of the line that is not a word and D numbers,
    or where there are more or fewer of them than the first line declares. Warns of words that are not valid UTF-8 or
    are duplicated.

    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat", "dog"], np.eye(2)), f"{folder}/pets.vec")
    ...     load(f"{folder}/pets.vec")["dog"].tolist()
    [0.0, 1.0]
    """
    source = os.fspath(path)
    data = map_content(Path(path))
    start = data[:SNIFFED].tobytes()
    header = header_of(start.removeprefix(MARK))
    if header is None or header.dim < 1:
        raise FileFormatError(
            f"{source}: line 1: not a word2vec file: expected a line of two numbers, got {start[:20]!r}; check the path"
        )
    text = Text(data, source, header.end + (len(MARK) if start.startswith(MARK) else 0))
    num_rows = header.size if limit is None else min(limit, header.size)
    _check_dim(text, start, header)
    lines = lines_in(text, limit=limit if limit is None else num_rows)
    if len(lines) != num_rows:
        raise FileFormatError(
            f"{source}: line 1: declares {plural(header.size, 'word')}, but "
            f"{plural(len(lines), 'line follows', 'lines follow')}; if the file is complete, correct line 1 to "
            f"'{len(lines)} {header.dim}', or else download it again"
        )
    return table_of_lines(text, lines, header.dim)


def _check_dim(text: Text, start: bytes, header: Header) -> None:
    """Raise `FileFormatError` if all of the first lines have more or fewer numbers than the header declares."""
    found = [numbers_at_end(line) for line in whole_lines(start)[1:]]
    is_cut = len(start) == SNIFFED and len(found) == 1
    if any(found) and not is_cut and not min(found) <= header.dim <= max(found):
        raise FileFormatError(
            f"{text.source}: line 1: declares {plural(header.dim, 'number')} a word, but the next lines have "
            f"{min(found)}; correct line 1 to '{len(lines_in(text))} {min(found)}'"
        )


def save(table: Table, path: StrPath) -> None:
    r"""Write `table` to the file `path`, replacing an older one atomically; rows become float32.

    Each number is the shortest text that reads back to the same float32. Counts, settings and tokenizer are
    not part of the format. Raises `UsageError` where a token holds a blank, a newline or a NUL, or where
    `path` cannot be replaced, and `RowspaceError` if the system refuses (disk full, no permission).

    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat"], np.array([[0.1, 3]])), f"{folder}/pets.vec")
    ...     Path(folder, "pets.vec").read_bytes()
    b'1 2\ncat 0.1 3.0\n'
    """
    words = encode_words(
        table.vocabulary,
        forbidden=b" " + FORBIDDEN,
        forbidden_ends=FORBIDDEN_ENDS,
        max_bytes=MAX_WORD,
        format="word2vec's text",
    )
    check_target(path)
    with atomic_file(path) as file:
        file.write(f"{len(table)} {table.dim}\n".encode())
        file.writelines(text_of(words, table.rows))


def recognizes(path: Path) -> bool:
    """Whether the file `path` begins with the line `V D` and a line of a word and D numbers in digits."""
    start = read_unpacked_start(path).removeprefix(MARK)
    header = header_of(start)
    return header is not None and is_text_of(start, header)


def check_target(path: StrPath) -> None:
    """Raise what `save` to `path` would raise about the path itself: call it before long work."""
    check_file_target(path, is_same_kind=lambda target: header_of(read_start(target).removeprefix(MARK)) is not None)
