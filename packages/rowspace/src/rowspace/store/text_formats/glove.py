"""GloVe's text form (.txt): lines of a word and D numbers (`text_matrix.py`), without a header.

D is the number of numbers at the end of most of the first hundred lines, the smaller one in a tie: a word may contain
blanks, like `. . .` in the published vectors, and may end in a number, so a single line is not enough.
The format has no counts. Of duplicated words the first is kept, with a warning, as gensim does. Source: Pennington et
al. 2014, https://nlp.stanford.edu/projects/glove/.
"""

import os
from itertools import chain
from pathlib import Path

from rowspace._base.atomic import StrPath, atomic_file, check_file_target
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.content import SNIFFED, map_content, read_start, read_unpacked_start
from rowspace.store.text_formats.sniff import (
    MARK,
    has_column_names,
    header_of,
    infer_dim,
    is_table_of_numbers,
    whole_lines,
    width_without_header,
    wrong_kind_of_text,
)
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

TELLING = 100  # lines from which the width is inferred
MAX_START = 1 << 24  # bytes that these may take


def load(path: StrPath, *, limit: int | None = None) -> Table:
    """Read the GloVe text file `path`, or its first `limit` words, into memory; rows are (V, D) float32.

    Counts are None. Raises `FileFormatError` with the number of the line that is not a word and D numbers.
    Warns of words that are not valid UTF-8 or are duplicated.

    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["New York", "dog"], np.eye(2)), f"{folder}/places.txt")
    ...     load(f"{folder}/places.txt")["New York"].tolist()
    [1.0, 0.0]
    """
    source = os.fspath(path)
    data = map_content(Path(path))
    text = Text(data, source, _first_line(data[:SNIFFED].tobytes()))
    telling = lines_in(Text(text.data[:MAX_START], source, text.begin), limit=TELLING)
    first_lines = [text.data[begin:end].tobytes() for begin, end in telling.tolist()]
    dim, width = infer_dim(first_lines), width_without_header(first_lines)
    if width is not None:
        first = first_lines[0][:40].decode(errors="replace")
        raise FileFormatError(
            f"{source}: line 1: {first!r} is not a header, which has two numbers; correct it to "
            f"'{len(lines_in(text)) - 1} {width}', or remove the line"
        )
    if dim < 1:
        start = text.data[:20].tobytes()
        raise FileFormatError(
            f"{source}: line 1: not a GloVe file: expected lines of a word and numbers, got {start!r}; check the path"
        )
    return table_of_lines(text, lines_in(text, limit=limit), dim)


def save(table: Table, path: StrPath) -> None:
    r"""Write `table` to the file `path`, replacing an older one atomically; rows become float32.

    Each number is the shortest text that reads back to the same float32. Counts, settings and tokenizer are
    not part of the format. Raises `UsageError` where a token holds a newline or a NUL, where the table is
    empty or its first tokens end in numbers (so that the width of its rows could not be inferred), or where `path`
    cannot be replaced, and `RowspaceError` if the system refuses (disk full, no permission).

    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["New York"], np.array([[0.1, 3]])), f"{folder}/places.txt")
    ...     Path(folder, "places.txt").read_bytes()
    b'New York 0.1 3.0\n'
    """
    words = encode_words(
        table.vocabulary, forbidden=FORBIDDEN, forbidden_ends=FORBIDDEN_ENDS, max_bytes=MAX_WORD, format="GloVe"
    )
    check_target(path)
    if words and words[0].startswith(MARK):
        raise UsageError(
            "the first token begins with U+FEFF, which would be read as a byte-order mark; save to a folder instead "
            "(format 'native')"
        )
    first = b"".join(text_of(words[:TELLING], table.rows[:TELLING]))
    if infer_dim(first.split(b"\n")[:-1]) != table.dim:
        why = "end in numbers" if words else "are missing"
        raise UsageError(
            f"the first tokens {why}, so the number of columns could not be detected in a GloVe file, which "
            "has no header; save to a folder instead (format 'native')"
        )
    with atomic_file(path) as file:
        file.writelines(chain([first], text_of(words[TELLING:], table.rows[TELLING:])))


def recognizes(path: Path) -> bool:
    """Whether the file `path` begins with lines of a word and as many numbers each, and no header.

    One integer a word is a count, not a vector; numbers only, with tabs between, are a projector's rows.
    """
    return _recognizes_start(read_unpacked_start(path))


def _recognizes_start(start: bytes) -> bool:
    if wrong_kind_of_text(start) is not None:
        return False
    start = start[_first_line(start) :]
    lines = whole_lines(start)
    if header_of(start) is not None or b"\0" in start or not lines or is_table_of_numbers(lines[:-1] or lines):
        return False
    width = infer_dim(lines)
    return width > 1 or (width == 1 and any(b"." in line.split()[-1] for line in lines))


def _first_line(start: bytes) -> int:
    """Return where the rows begin: after a byte-order mark and a line that names the columns, if there are any."""
    marked = len(MARK) if start.startswith(MARK) else 0
    return start.index(b"\n") + 1 if has_column_names(whole_lines(start[marked:])) else marked


def check_target(path: StrPath) -> None:
    """Raise what `save` to `path` would raise about the path itself: call it before long work."""
    check_file_target(path, is_same_kind=lambda target: _recognizes_start(read_start(target)))
