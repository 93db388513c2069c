"""Parquet and Arrow files, through the optional pyarrow: columns `token`, `row` and, where known, `count`.

A name that ends in .arrow or .feather is written as an Arrow file, which is uncompressed, so that rows can be
mapped; any other as Parquet. Read are also lists of any length that turn out to be equally long, as pandas
writes them, float16 and float64, and columns called otherwise: the one of text, the one of lists of numbers,
`count` or `frequency`. Of tokens that stand twice the first is kept, with a warning. Left out: the formats
themselves (pyarrow). Read next: `words.py`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rowspace.atomic import StrPath, atomic_file, check_file_target
from rowspace.errors import FileFormatError, MissingExtraError, UsageError
from rowspace.store.folder import open_regular
from rowspace.store.sniffing import start_of
from rowspace.store.vocabulary import encode_token_list
from rowspace.store.words import table_of_first
from rowspace.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["check_target", "load", "recognises", "save"]

PARQUET_MAGIC, ARROW_MAGIC = b"PAR1", b"ARROW1"
ARROW_SUFFIXES = (".arrow", ".feather")
TOKEN_NAMES = ("token", "word", "text", "vocabulary")
ROW_NAMES = ("row", "vector", "embedding", "embeddings")
COUNT_NAMES = ("count", "counts", "frequency")
ROWS_AT_ONCE = 1 << 16


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
    _require_pyarrow()
    source = str(path)
    with open_regular(Path(path)):  # says what pyarrow would say less clearly
        pass
    with _refusing(source):
        columns = _read(source, limit)
        columns.validate(full=True)  # offsets that lead out of the file would end the process, not raise
        names = columns.schema.names
        token = _column(columns, TOKEN_NAMES, "text", source)
        row = _column(columns, ROW_NAMES, "lists of numbers", source)
        rows = _rows(_joined(columns[row]), f"{source}: column {row!r}")
        count = next((name for name in COUNT_NAMES if name in names and _kind(columns, name) == "integers"), None)
        tokens = columns[token].to_pylist()
        counts = None if count is None else _counts(columns[count], f"{source}: column {count!r}")
    if None in tokens:
        raise FileFormatError(f"{source}: column {token!r}: token {tokens.index(None)} is missing; fill the gap")
    return table_of_first(tokens, rows, source, counts)


def save(table: Table, path: StrPath) -> None:
    """Write `table` to the file `path`, replacing an older one all at once; rows keep their dtype.

    Settings and tokenizer are not part of the format. Raises `UsageError` where a token is no Unicode text or
    `path` may not be replaced, `MissingExtraError` where pyarrow is not installed, and `RowspaceError` where
    the system refuses (disk full, no permission).

    >>> import tempfile
    >>> import pyarrow.parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat"], np.eye(1)), f"{folder}/pets.parquet")
    ...     pyarrow.parquet.read_table(f"{folder}/pets.parquet").to_pylist()
    [{'token': 'cat', 'row': [1.0]}]
    """
    _require_pyarrow()
    import pyarrow as pa  # noqa: PLC0415  # optional
    from pyarrow import parquet  # noqa: PLC0415

    encode_token_list(table.vocabulary)  # refuses what has no UTF-8
    check_target(path)
    is_arrow = Path(path).suffix.lower() in ARROW_SUFFIXES
    with atomic_file(path) as file:
        schema = _batch(table, 0, 0).schema
        open_writer = pa.ipc.new_file if is_arrow else parquet.ParquetWriter
        step = max(1, len(table)) if is_arrow else ROWS_AT_ONCE  # one batch, so that it can be mapped as one array
        with open_writer(file, schema) as writer:
            for begin in range(0, len(table), step):
                writer.write_batch(_batch(table, begin, begin + step))


def recognises(path: Path) -> bool:
    """Whether the file `path` begins as Parquet or Arrow files do."""
    return start_of(path).startswith((PARQUET_MAGIC, ARROW_MAGIC))


def check_target(path: StrPath) -> None:
    """Raise what `save` to `path` would raise about the path itself: call it before long work."""
    target = check_file_target(path)
    if target.exists() and target.stat().st_size and not recognises(target):
        raise UsageError(f"cannot save to {target}: a file of another kind is there; remove it or name another path")


def _require_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401, PLC0415  # optional
    except ImportError:
        raise MissingExtraError("Parquet and Arrow files need pyarrow: pip install 'rowspace[arrow]'") from None


def _batch(table: Table, begin: int, end: int) -> "pa.RecordBatch":
    import pyarrow as pa  # noqa: PLC0415

    rows = np.ascontiguousarray(table.rows[begin:end])
    columns = {
        "token": pa.array(list(table.vocabulary[begin:end]), pa.string()),
        "row": pa.FixedSizeListArray.from_arrays(pa.array(rows.reshape(-1)), table.dim),
    }
    if table.counts is not None:
        columns["count"] = pa.array(table.counts[begin:end])
    return pa.RecordBatch.from_pydict(columns)


def _read(source: str, limit: int | None) -> "pa.Table":
    """Read all columns, as many batches of them as `limit` needs."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    if start_of(Path(source)).startswith(ARROW_MAGIC):
        file = pa.ipc.open_file(pa.memory_map(source))
        schema, batches = file.schema, (file.get_batch(number) for number in range(file.num_record_batches))
    else:
        file = parquet.ParquetFile(source)
        schema = file.schema_arrow
        if limit is None:
            return file.read()
        batches = file.iter_batches(batch_size=max(1, min(limit, ROWS_AT_ONCE)))
    return pa.Table.from_batches(_enough(batches, limit), schema)[:limit]


def _enough(batches: "Iterator[pa.RecordBatch]", limit: int | None) -> "list[pa.RecordBatch]":
    """Return the first batches that hold `limit` rows together."""
    if limit is None:
        return list(batches)
    kept: list[pa.RecordBatch] = []
    while sum(batch.num_rows for batch in kept) < limit:
        batch = list(islice(batches, 1))
        if not batch:
            break
        kept += batch
    return kept


def _kind(columns: "pa.Table", name: str) -> str:
    """Say what a column holds, in the words of the errors."""
    import pyarrow as pa  # noqa: PLC0415

    kind = columns.schema.field(name).type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return "text"
    if pa.types.is_integer(kind):
        return "integers"
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    return "lists of numbers" if is_list and pa.types.is_floating(kind.value_type) else str(kind)


def _column(columns: "pa.Table", names: tuple[str, ...], kind: str, source: str) -> str:
    """Return the name of the column of a kind: one of `names`, or the only one."""
    fit = [name for name in dict.fromkeys(columns.schema.names) if _kind(columns, name) == kind]
    named = [name for name in names if name in fit]
    if not named and len(fit) != 1:
        raise FileFormatError(
            f"{source}: {len(fit)} of its columns ({', '.join(columns.schema.names)}) hold {kind}; name one "
            f"{names[0]!r}"
        )
    return (named or fit)[0]


def _joined(column: Any) -> Any:
    """Return a column as one array: where it is one already, in place."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _rows(lists: Any, source: str) -> NDArray[np.floating[Any]]:
    """Return a column of lists as an array (V, d)."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import compute  # noqa: PLC0415

    if pa.types.is_fixed_size_list(lists.type):
        dim = lists.type.list_size
    else:
        dim = len(lists[0]) if len(lists) and lists[0].is_valid else 0
    numbers = lists.flatten()
    is_ragged = len(lists) and compute.any(compute.not_equal(compute.list_value_length(lists), dim)).as_py()
    if lists.null_count or numbers.null_count or is_ragged or (dim < 1 and len(lists)):
        raise FileFormatError(f"{source}: lists must be equally long, of 1 number or more, and without gaps")
    rows: NDArray[np.floating[Any]] = numbers.to_numpy(zero_copy_only=False).reshape(len(lists), max(dim, 1))
    return rows


def _counts(column: Any, source: str) -> NDArray[np.int64]:
    if column.null_count:
        raise FileFormatError(f"{source}: has gaps; fill them, or leave the column out")
    counts: NDArray[np.int64] = column.to_numpy().astype(np.int64)
    return counts


@contextmanager
def _refusing(source: str) -> Iterator[None]:
    """Turn what pyarrow raises on damage into one sentence."""
    import pyarrow as pa  # noqa: PLC0415

    try:
        yield
    except FileFormatError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, MemoryError, OverflowError) as error:
        why = str(error).split("\n")[0]
        raise FileFormatError(f"{source}: pyarrow cannot read it ({why}); restore the file from a copy") from None
