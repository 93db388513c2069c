"""A text column of a Parquet file → lists of texts, read batch by batch with pyarrow."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rowspace._base.lazy import import_extra
from rowspace.errors import CorpusError, FileFormatError, reason_of
from rowspace.files.content import read_start
from rowspace.files.remote import is_url, open_remote, remote_file
from rowspace.text.corpus.record_columns import check_columns, column_names, problem_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

__all__ = ["check_text_column", "is_parquet", "read_column", "read_column_texts", "text_column", "texts_of"]

MAGIC = b"PAR1"
BYTES_AT_ONCE, ROWS_AT_ONCE = 1 << 22, 1 << 14


def is_parquet(name: str) -> bool:
    """Whether a file begins as Parquet files do."""
    if is_url(name):
        with open_remote(name) as file:
            return file.read(len(MAGIC)) == MAGIC
    return read_start(Path(name)).startswith(MAGIC)


def read_column(name: str, column: str, *, on_bytes: Callable[[int], None] | None = None) -> Iterator[list[str]]:
    """Yield the texts of a column; as `read_column_texts`, but a row without a text is a `FileFormatError`."""

    def refuse(row: int, problem: str) -> None:
        raise FileFormatError(f"{name}: row {row:,}: {problem}; repair the record or remove it")

    return cast("Iterator[list[str]]", read_column_texts(name, column, on_bytes=on_bytes, on_bad=refuse))


def read_column_texts(
    name: str, column: str, *, on_bytes: Callable[[int], None] | None, on_bad: Callable[[int, str], None]
) -> Iterator[list[str | None]]:
    """Yield the texts of a column, in lists of about four megabytes; text i is row i, None if the row has no text.

    Args:
        name: The path or URL of a Parquet file.
        column: The name of a column of strings, dictionary-encoded or not; dots separate nested names.
        on_bytes: Called with the share of the file's bytes that was read.
        on_bad: Called with each row without a text and what is wrong with it.

    Raises:
        UsageError: There is no such column.
        CorpusError: The file is damaged.
        FileFormatError: The column holds something else than text.
        MissingExtraError: pyarrow is not installed.
    """
    pa = import_extra("pyarrow", "Parquet files need pyarrow", "arrow")
    from pyarrow import parquet

    try:
        # Without pre_buffer, pages are read as they are needed, and not a row group at once.
        opened = open_remote(name) if is_url(name) else name
        with parquet.ParquetFile(opened, pre_buffer=False, buffer_size=1 << 20) as file:
            check_text_column(name, file.schema_arrow, column)
            share = _Share(
                remote_file(name).size if is_url(name) else Path(name).stat().st_size, file.metadata.num_rows, on_bytes
            )
            row = 0
            for batch in file.iter_batches(batch_size=_rows_at_once(file, column), columns=[column]):
                texts, bad = texts_of(column, text_column(batch, column))
                for place, problem in bad:
                    on_bad(row + place, problem)
                row += len(texts)
                share.add(len(texts))
                yield texts
    except (pa.ArrowException, OSError) as error:
        raise CorpusError(f"{name!r} is a damaged Parquet file: {reason_of(error)}; write it again") from error


class _Share:
    """Turns rows into a share of a file's bytes, for progress."""

    def __init__(self, size: int, rows: int, on_bytes: Callable[[int], None] | None) -> None:
        self.size, self.rows, self.on_bytes = size, max(1, rows), on_bytes
        self._rows_done = self._bytes_done = 0

    def add(self, rows: int) -> None:
        self._rows_done += rows
        done = self.size * self._rows_done // self.rows
        if self.on_bytes is not None:
            self.on_bytes(done - self._bytes_done)
        self._bytes_done = done


def check_text_column(name: str, schema: "pa.Schema", column: str) -> None:
    """Raise `UsageError` unless a file's schema has the column, `FileFormatError` unless it holds strings."""
    import pyarrow as pa

    check_columns(name, column_names(schema), {"column": column})
    kind = text_column(pa.RecordBatch.from_pylist([], schema), column).type
    values = kind.value_type if pa.types.is_dictionary(kind) else kind
    is_text = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)
    if not any(is_kind(values) for is_kind in is_text):
        raise FileFormatError(f"{name}: the column {column!r} has {kind}, expected a text; name another column")


def text_column(batch: "pa.RecordBatch", column: str) -> "pa.Array":
    """Return a column of a batch; dots separate nested names, unless a column has the whole name."""
    from pyarrow import compute

    if column in batch.schema.names:
        return batch.column(column)
    first, _, rest = column.partition(".")
    values = batch.column(first)
    while rest:
        names = [field.name for field in values.type]
        first, _, rest = (rest, "", "") if rest in names else rest.partition(".")
        values = compute.struct_field(values, names.index(first))
    return values


def _rows_at_once(file: "ParquetFile", column: str) -> int:
    """Return how many rows to read at once, from the uncompressed size of the column."""
    rows = size = 0
    for number in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(number)
        sizes = [
            group.column(place).total_uncompressed_size
            for place in range(group.num_columns)
            if group.column(place).path_in_schema == column
        ]
        rows, size = rows + group.num_rows, size + sum(sizes)
    return max(1, min(ROWS_AT_ONCE, BYTES_AT_ONCE * rows // max(1, size)))


def texts_of(column: str, values: "pa.Array") -> tuple[list[str | None], list[tuple[int, str]]]:
    """Return the texts of an array, None for what is none, and the places of these with what is wrong.

    Args:
        column: Its name.
        values: Strings, dictionary-encoded or not.
    """
    null = problem_of(column, None)
    if hasattr(values, "dictionary"):  # a text that is repeated is one object in the list
        words, problems = texts_of(column, values.dictionary)
        found = [None if place is None else words[place] for place in values.indices.to_pylist()]
        damaged = dict(problems)
        bad = [place for place, text in enumerate(found) if text is None] if values.null_count or damaged else []
        return found, [(place, damaged.get(values.indices[place].as_py(), null)) for place in bad]
    try:
        texts: list[str | None] = values.to_pylist()
        return texts, [(place, null) for place, text in enumerate(texts) if text is None] if values.null_count else []
    except UnicodeDecodeError:
        found, problems = [], []
        for place, value in enumerate(values.cast("binary").to_pylist()):
            try:
                found.append(None if value is None else value.decode())
            except UnicodeDecodeError:
                found.append(None)
                problems.append((place, f"the column {column!r} has bytes that are not UTF-8"))
            else:
                problems += [(place, null)] if value is None else []
        return found, problems
