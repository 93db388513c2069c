"""Parquet and Arrow files, through the optional pyarrow: columns `token`, `row` and, where known, `count`.

A name that ends in .arrow or .feather is written as an uncompressed Arrow file, whose rows can be mapped; any other as
Parquet. Files are read batch by batch, so that a compressed file takes no more memory than its table.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rowspace._base.atomic import StrPath, atomic_file, check_file_target
from rowspace._base.lazy import import_extra
from rowspace.errors import FileFormatError, reason_of
from rowspace.files.content import read_start
from rowspace.files.open_folder import open_regular
from rowspace.files.vocabulary import encode_token_list
from rowspace.store.array_formats.arrow_batches import ArrowBatches
from rowspace.store.array_formats.parquet_columns import Columns, TableBuilder, choose_columns
from rowspace.store.words import check_rows
from rowspace.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

    Batches = Callable[[Columns, int | None], Iterator[pa.RecordBatch]]

__all__ = ["check_target", "load", "recognizes", "save"]

PARQUET_MAGIC, ARROW_MAGIC = b"PAR1", b"ARROW1"
ARROW_SUFFIXES = (".arrow", ".feather")
ROWS_AT_ONCE, NUMBERS_AT_ONCE = 1 << 16, 1 << 22
NEED = "Parquet and Arrow files need pyarrow"


def load(path: StrPath, *, limit: int | None = None) -> Table:
    """Open the Parquet or Arrow file `path`, or its first `limit` rows, (V, d) floats of 16, 32 or 64 bits.

    Rows of an uncompressed Arrow file of one batch are mapped. Raises `FileFormatError`, naming the column,
    where one is missing or of another kind, has gaps, or holds lists of several lengths, and
    `MissingExtraError` where pyarrow is not installed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat", "dog"], np.eye(2), np.array([7, 5])), f"{folder}/pets.parquet")
    ...     load(f"{folder}/pets.parquet")["dog"].tolist()
    [0.0, 1.0]
    """
    import_extra("pyarrow", NEED, "arrow")
    source = str(path)
    with open_regular(Path(path)):  # a clearer error than pyarrow's
        pass
    with _translate_errors(source):
        schema, batches = _opened(source)
        columns = choose_columns(schema, source)
        found = TableBuilder(source)
        for batch in _first(batches(columns, limit), limit):
            found.add(batch, columns)
        return found.table(schema, columns)


def save(table: Table, path: StrPath) -> None:
    """Write `table` to the file `path`, replacing an older one atomically; rows keep their dtype.

    Settings and tokenizer are not part of the format. Raises `UsageError` if a token is not Unicode text or
    `path` cannot be replaced, `MissingExtraError` where pyarrow is not installed, and `RowspaceError` if
    the system refuses (disk full, no permission).

    >>> import tempfile
    >>> import pyarrow.parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat"], np.eye(1)), f"{folder}/pets.parquet")
    ...     pyarrow.parquet.read_table(f"{folder}/pets.parquet").to_pylist()
    [{'token': 'cat', 'row': [1.0]}]
    """
    pa = import_extra("pyarrow", NEED, "arrow")
    from pyarrow import parquet

    check_rows(table)
    encode_token_list(table.vocabulary)  # refuses what is not valid UTF-8
    check_target(path)
    is_arrow = Path(path).suffix.lower() in ARROW_SUFFIXES
    with atomic_file(path) as file:
        schema = _batch(table, 0, 0).schema
        open_writer = pa.ipc.new_file if is_arrow else parquet.ParquetWriter
        step = max(1, len(table)) if is_arrow else ROWS_AT_ONCE  # one batch, so that it can be mapped as one array
        with open_writer(file, schema) as writer:
            for begin in range(0, len(table), step):
                writer.write_batch(_batch(table, begin, begin + step))


def recognizes(path: Path) -> bool:
    """Whether the file `path` begins as Parquet or Arrow files do."""
    return read_start(path).startswith((PARQUET_MAGIC, ARROW_MAGIC))


def check_target(path: StrPath) -> None:
    """Raise what `save` to `path` would raise about the path itself: call it before long work."""
    check_file_target(path, is_same_kind=recognizes)


def _batch(table: Table, begin: int, end: int) -> "pa.RecordBatch":
    import pyarrow as pa

    rows = np.ascontiguousarray(table.rows[begin:end], table.rows.dtype.newbyteorder("="))  # pyarrow's
    columns = {
        "token": pa.array(list(table.vocabulary[begin:end]), pa.string()),
        "row": pa.FixedSizeListArray.from_arrays(pa.array(rows.reshape(-1)), table.dim),
    }
    if table.counts is not None:
        columns["count"] = pa.array(table.counts[begin:end])
    return pa.RecordBatch.from_pydict(columns)


def _opened(source: str) -> "tuple[pa.Schema, Batches]":
    """Open the file, and return its schema and the function that reads some of its columns batch by batch."""
    from pyarrow import parquet

    if read_start(Path(source)).startswith(ARROW_MAGIC):
        arrow = ArrowBatches(source)
        return arrow.schema, arrow.read

    def read(columns: "Columns", limit: int | None) -> "Iterator[pa.RecordBatch]":
        # Tokens as a dictionary: one that is repeated often takes no more memory than in the file.
        file = parquet.ParquetFile(source, read_dictionary=[columns.token])
        names = list(dict.fromkeys(columns.names))
        width = max(1, file.metadata.num_columns, _values(file, names) // max(1, file.metadata.num_rows))
        size = max(1, min(ROWS_AT_ONCE, NUMBERS_AT_ONCE // width, limit or ROWS_AT_ONCE))
        yield from file.iter_batches(batch_size=size, columns=names)

    return parquet.ParquetFile(source).schema_arrow, read


def _values(file: Any, names: list[str]) -> int:
    """Return how many values the named columns have together, as the file says."""
    paths = [file.schema.column(place).path for place in range(len(file.schema))]
    starts = tuple(f"{name}." for name in names)
    places = [place for place, path in enumerate(paths) if f"{path}.".startswith(starts)]
    total = 0
    for number in range(file.num_row_groups):
        # pyarrow ends the process on access to the metadata of a damaged column, but raises when the column is read.
        next(file.iter_batches(batch_size=1, row_groups=[number], columns=names, use_threads=False), None)
        group = file.metadata.row_group(number)
        total += sum(group.column(place).num_values for place in places)
    return total


def _first(batches: "Iterator[pa.RecordBatch]", limit: int | None) -> "Iterator[pa.RecordBatch]":
    """Yield batches up to the first `limit` rows, each checked, since pyarrow crashes on offsets outside the file."""
    left = limit
    while left is None or left > 0:
        batch = next(batches, None)
        if batch is None:
            return
        batch = batch if left is None else batch[:left]
        batch.validate(full=True)
        left = left if left is None else left - batch.num_rows
        yield batch


@contextmanager
def _translate_errors(source: str) -> Iterator[None]:
    """Turn errors of pyarrow into `FileFormatError`."""
    import pyarrow as pa

    try:
        yield
    except FileFormatError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, MemoryError, OverflowError) as error:
        raise FileFormatError(
            f"{source}: pyarrow cannot read it ({reason_of(error)}); restore the file from a copy"
        ) from None
