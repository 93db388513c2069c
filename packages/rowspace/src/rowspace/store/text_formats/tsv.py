"""The TensorBoard projector's pair: vectors.tsv, numbers between tabs, and metadata.tsv, a token a line.

Metadata of one column has no header; of several it has one, as the projector requires: the token is the column named
`token`, `word`, `label` or `name`, or else the first; `count` or `frequency` are the counts. The metadata of NAME.tsv
is searched under NAME with vector, tensor or embedding (or its plural) replaced by metadata, and then as metadata.tsv.
Of duplicated tokens the first is kept, with a warning. Two files cannot be replaced in one step;
`array_formats/npy.py` describes what a killed save leaves. Source: https://projector.tensorflow.org.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.atomic import StrPath, atomic_file, check_file_target
from rowspace._base.plural import plural
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.content import read_start
from rowspace.files.mapped import map_bytes
from rowspace.files.open_folder import open_regular
from rowspace.files.vocabulary import encode_lines, read_lines
from rowspace.store.text_formats.sniff import MARK, is_table_of_numbers, whole_lines
from rowspace.store.text_formats.text_matrix import Text, lines_in, rows_of_lines, text_of
from rowspace.store.words import table_without_duplicates
from rowspace.table import Table

__all__ = ["check_target", "load", "recognizes", "save"]

ROWS_NAME = re.compile(r"(vector|tensor|embedding)s?(?=[^/]*$)", re.IGNORECASE)
TOKEN_NAMES = ("token", "word", "label", "name")
COUNT_NAMES = ("count", "frequency")
COUNT = re.compile(r"\d{1,18}", re.ASCII)


class Metadata(NamedTuple):
    """The tokens, and their counts if there are any."""

    tokens: list[str]
    counts: NDArray[np.int64] | None


def load(path: StrPath, *, limit: int | None = None) -> Table:
    """Read the rows of `path` and the tokens next to it, or the first `limit` of both; rows are (V, d) float32.

    Raises `FileFormatError`, naming the line, where either is missing or damaged, or their sizes differ.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat", "dog"], np.eye(2), np.array([7, 5])), f"{folder}/vectors.tsv")
    ...     load(f"{folder}/vectors.tsv").counts.tolist()
    [7, 5]
    """
    source = Path(path)
    with open_regular(source) as file:
        data = map_bytes(file)
    text = Text(data, str(source), len(MARK) if data[: len(MARK)].tobytes() == MARK else 0)
    lines = lines_in(text, limit=limit)
    first = text.data[slice(*lines[0])].tobytes() if len(lines) else b""
    rows = rows_of_lines(text, lines, 1 + first.rstrip(b" \t").count(b"\t"), has_words=False)
    metadata_path = next((name for name in _metadata_paths(source) if name.exists()), None)
    if metadata_path is None:
        raise FileFormatError(f"{source}: rows without tokens: expected {_metadata_paths(source)[0].name} next to it")
    tokens, counts = _read_metadata(metadata_path)
    size = len(lines) if limit is None else len(lines_in(text))
    if len(tokens) != size:
        raise FileFormatError(
            f"{metadata_path}: has {plural(len(tokens), 'token')}, but {source} has {plural(size, 'row')}; "
            f"{_next_step(metadata_path, len(tokens) - size)}"
        )
    return table_without_duplicates(
        tokens[: len(rows)], rows, str(metadata_path), counts if counts is None else counts[: len(rows)]
    )


def save(table: Table, path: StrPath) -> None:
    r"""Write the rows of `table` to `path`, its tokens and counts to the metadata next to it; rows as float32.

    Settings and tokenizer are not part of the format. Raises `UsageError` where a token holds a tab or a
    newline or ends in a carriage return, or where `path` cannot be replaced, and `RowspaceError` if the
    system refuses (disk full, no permission).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat"], np.array([[0.5, 1]]), np.array([7])), f"{folder}/vectors.tsv")
    ...     Path(folder, "vectors.tsv").read_bytes(), Path(folder, "metadata.tsv").read_bytes()
    (b'0.5\t1.0\n', b'token\tcount\ncat\t7\n')
    """
    lines = encode_lines(list(table.vocabulary), forbidden="\t\n", format="a projector")
    if table.counts is not None:
        named = zip(lines.split(b"\n"), table.counts.tolist(), strict=False)
        lines = b"token\tcount\n" + b"".join([b"%s\t%d\n" % pair for pair in named])
    check_target(path)
    with atomic_file(_metadata_paths(Path(path))[0]) as metadata, atomic_file(path) as file:
        metadata.write(lines)
        file.writelines(_written_rows(table))


def recognizes(path: Path) -> bool:
    """Whether the first lines of the file `path` are as many numbers each, with tabs between, and nothing else.

    The last of them may be cut off.
    """
    lines = whole_lines(read_start(path).removeprefix(MARK))
    return bool(lines) and is_table_of_numbers(lines[:-1] or lines)


def check_target(path: StrPath) -> None:
    """Raise what `save` to `path` would raise about the path itself: call it before long work."""
    target = check_file_target(path, is_same_kind=recognizes)
    metadata = check_file_target(_metadata_paths(Path(path))[0])
    if metadata == target:
        raise UsageError(f"cannot save to {target}: that is the name of its metadata file; name another path")
    if metadata.exists() and not target.exists():
        raise UsageError(
            f"cannot save to {target}: {metadata} exists and belongs to other rows, so it cannot be replaced; "
            "name a path in a separate folder"
        )


def _metadata_paths(path: Path) -> list[Path]:
    """Return where the metadata of the rows at `path` may be, the best place first."""
    renamed = ROWS_NAME.sub("metadata", path.name)
    places = [path.with_name("metadata.tsv")]
    return places if renamed == path.name else [path.with_name(renamed), *places]


def _written_rows(table: Table) -> Iterator[bytes]:
    """Yield the lines of numbers: those of a text of empty words, with the blank before each row left out."""
    for lines in text_of([b""] * len(table), table.rows):
        yield lines.replace(b"\n ", b"\n")[1:].replace(b" ", b"\t")


def _read_metadata(path: Path) -> Metadata:
    lines = read_lines(path)
    if not any("\t" in line for line in lines[:1]):
        return Metadata(lines, None)
    header, *rows = [line.split("\t") for line in lines]
    for number, fields in enumerate(rows, 2):
        if len(fields) != len(header):
            raise FileFormatError(
                f"{path}: line {number}: has {plural(len(fields), 'field')}, but the header has {len(header)}; "
                "correct the line"
            )
    names = [name.strip().lower() for name in header]
    tokens = next((names.index(name) for name in TOKEN_NAMES if name in names), 0)
    counts = next((names.index(name) for name in COUNT_NAMES if name in names), None)
    return Metadata(
        [fields[tokens] for fields in rows],
        None if counts is None else _counts([fields[counts] for fields in rows], path),
    )


def _next_step(path: Path, excess: int) -> str:
    """Return what to do about metadata of a wrong size: a missing or an extra header makes it one line off."""
    first = next(iter(read_lines(path)), "")[:40]
    if excess == 1 and "\t" not in first:
        return f"if its first line, {first!r}, is a header, remove it: metadata of one column has none"
    if excess == -1 and "\t" in first:
        return f"its first line, {first!r}, was read as the header, which several columns need: write one before it"
    return "restore them"


def _counts(fields: list[str], path: Path) -> NDArray[np.int64]:
    for number, field in enumerate(fields, 2):
        if not COUNT.fullmatch(field):
            raise FileFormatError(f"{path}: line {number}: {field[:40]!r} is not a count; correct the line")
    return np.array(list(map(int, fields)), np.int64)
