"""The columns of a Parquet or Arrow file that make a table, and the table built from its batches.

Tokens are the column of text, counts the integers called `count` or `frequency`. Rows are the column of lists of
numbers, all of one length, or columns of numbers with consecutive numbers as names, as pandas writes a frame with a
column for each dimension. Integers become floats. Of duplicated tokens the first is kept, with a warning.
"""

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import FileFormatError, printable
from rowspace.store.words import check_counts, warn_of_duplicates
from rowspace.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Columns", "TableBuilder", "choose_columns"]

TOKEN_NAMES = ("token", "word", "text", "vocabulary")
ROW_NAMES = ("row", "vector", "embedding", "embeddings")
COUNT_NAMES = ("count", "counts", "frequency")
NUMBERED = re.compile(r"(.*?)(\d{1,9})")


class Columns(NamedTuple):
    """The names of the columns of tokens, of rows (one of lists, or one for each dimension), and of counts."""

    token: str
    rows: tuple[str, ...]
    are_lists: bool
    counts: str | None

    @property
    def names(self) -> tuple[str, ...]:
        """All names."""
        return (self.token, *self.rows, *([self.counts] if self.counts is not None else []))


def choose_columns(schema: "pa.Schema", source: str) -> Columns:
    """Return the columns of a table; raises `FileFormatError` if there are several candidates."""
    kinds = {name: _kind(schema.field(name).type) for name in dict.fromkeys(schema.names)}
    token = _column(kinds, TOKEN_NAMES, "text", source)
    count = next((name for name in COUNT_NAMES if kinds.get(name) == "integers"), None)
    if "lists of numbers" not in kinds.values():
        numbered = _numbered([name for name, kind in kinds.items() if kind in ("integers", "floats") and name != count])
        if numbered:
            return Columns(token, numbered, False, count)
    return Columns(token, (_column(kinds, ROW_NAMES, "lists of numbers", source),), True, count)


def _kind(kind: "pa.DataType") -> str:
    """Name what a column of this type holds, for messages."""
    import pyarrow as pa

    kinds = pa.types
    if kinds.is_dictionary(kind):
        kind = kind.value_type
    if kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind):
        return "text"
    if kinds.is_integer(kind) or kinds.is_floating(kind):
        return "integers" if kinds.is_integer(kind) else "floats"
    is_list = kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind)
    is_number = is_list and (kinds.is_floating(kind.value_type) or kinds.is_integer(kind.value_type))
    return "lists of numbers" if is_number else str(kind)


def _column(kinds: dict[str, str], names: tuple[str, ...], kind: str, source: str) -> str:
    """Return the name of the column of a kind: one of `names`, or the only one."""
    fit = [name for name, found in kinds.items() if found == kind]
    named = [name for name in names if name in fit]
    if (not named and len(fit) != 1) or (len(named) > 1 and names is ROW_NAMES):
        listed = ", ".join(
            [*(printable(name[:40]) for name in list(kinds)[:9]), *(["..."] if len(kinds) > 9 else [])]
        )  # in one message
        raise FileFormatError(f"{source}: {len(fit)} of its columns ({listed}) hold {kind}; name one {names[0]!r}")
    return (named or fit)[0]


def _numbered(names: list[str]) -> tuple[str, ...]:
    """Return the names if there are two or more, of one prefix and consecutive numbers."""
    parts = [NUMBERED.fullmatch(name) for name in names]
    numbers = [int(part[2]) for part in parts if part]
    is_one_after_the_other = all(after == before + 1 for before, after in pairwise(numbers))
    if len(names) < 2 or None in parts or len({part[1] for part in parts if part}) > 1 or not is_one_after_the_other:
        return ()
    return tuple(names)


class TableBuilder:
    """Collect the batches of a table: the first of each token, its row and its count."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._ids: dict[str, int] = {}
        self._rows: list[NDArray[np.floating[Any]]] = []
        self._counts: list[NDArray[np.int64]] = []
        self._read = 0
        self._twice = ""

    def add(self, batch: "pa.RecordBatch", columns: Columns) -> None:
        """Add the rows of a batch whose tokens are new."""
        kept = self._new_tokens(batch.column(columns.token), columns.token)
        read = _rows_of_lists if columns.are_lists else _rows_of_columns
        rows = read([batch.column(name) for name in columns.rows], f"{self._source}: column {columns.rows[0]!r}")
        if self._rows and rows.shape[1] != self._rows[0].shape[1] and len(rows):
            raise _ragged(f"{self._source}: column {columns.rows[0]!r}")
        is_whole = len(kept) == len(rows)
        if len(kept) or not self._rows:
            self._rows.append(rows if is_whole else rows[kept])
        if columns.counts is not None:
            counts = _counts(batch.column(columns.counts), f"{self._source}: column {columns.counts!r}")
            self._counts.append(counts if is_whole else counts[kept])
        self._read += len(rows)

    def table(self, schema: "pa.Schema", columns: Columns) -> Table:
        """Build the table of all that was added; warns of duplicated tokens."""
        if len(self._ids) < self._read:
            warn_of_duplicates(self._source, self._read - len(self._ids), self._twice)
        rows = [rows for rows in self._rows if len(rows)] or self._rows or [_no_rows(schema, columns)]
        counts = None if columns.counts is None else np.concatenate([*self._counts, np.empty(0, np.int64)])
        check_counts(counts, self._source)
        return Table(list(self._ids), rows[0] if len(rows) == 1 else np.concatenate(rows), counts)

    def _new_tokens(self, column: Any, name: str) -> NDArray[np.int64]:
        """Return which places of the batch hold a token that was not there before, and remember the tokens."""
        if column.null_count:
            place = self._read + int(column.is_null().to_numpy(zero_copy_only=False).argmax())
            raise FileFormatError(f"{self._source}: column {name!r}: token {place} is missing; fill it in")
        encoded = column if hasattr(column, "dictionary") else column.dictionary_encode()
        indices = encoded.indices.to_numpy(zero_copy_only=False)
        _, first, times = np.unique(indices, return_index=True, return_counts=True)
        order = np.argsort(first)
        tokens = encoded.dictionary.take(encoded.indices.take(_indices(first[order]))).to_pylist()
        if None in tokens:
            raise FileFormatError(f"{self._source}: column {name!r}: a token is missing; fill it in")
        kept = [place for place, token in zip(first[order].tolist(), tokens, strict=True) if self._is_new(token)]
        if (times > 1).any() and not self._twice:
            self._twice = tokens[int(np.argmax(times[order] > 1))]
        return np.array(kept, np.int64)

    def _is_new(self, token: str) -> bool:
        known = len(self._ids)
        if self._ids.setdefault(token, known) < known:
            self._twice = self._twice or token
            return False
        return True


def _indices(places: NDArray[np.int64]) -> Any:
    import pyarrow as pa

    return pa.array(places)


def _rows_of_lists(columns: list[Any], source: str) -> NDArray[np.floating[Any]]:
    """Return a column of lists as an array (V, d)."""
    import pyarrow as pa
    from pyarrow import compute

    lists = columns[0]
    if pa.types.is_fixed_size_list(lists.type):
        dim = lists.type.list_size
    else:
        dim = len(lists[0]) if len(lists) and lists[0].is_valid else 0
    numbers = lists.flatten()
    is_ragged = len(lists) and compute.any(compute.not_equal(compute.list_value_length(lists), dim)).as_py()
    if lists.null_count or numbers.null_count or is_ragged or (dim < 1 and len(lists)):
        raise _ragged(source)
    return _as_floats(numbers.to_numpy(zero_copy_only=False).reshape(len(lists), max(dim, 1)))


def _rows_of_columns(columns: list[Any], source: str) -> NDArray[np.floating[Any]]:
    """Return one column for each dimension as an array (V, d)."""
    if any(column.null_count for column in columns):
        raise _ragged(source)
    return _as_floats(np.column_stack([column.to_numpy(zero_copy_only=False) for column in columns]))


def _as_floats(rows: NDArray[Any]) -> NDArray[np.floating[Any]]:
    """Return integers as floats: of 32 bits where those hold all of them, else of 64."""
    return rows if rows.dtype.kind == "f" else rows.astype(np.result_type(rows.dtype, np.float32))


def _no_rows(schema: "pa.Schema", columns: Columns) -> NDArray[np.floating[Any]]:
    """Return the rows of a file without batches."""
    kind = schema.field(columns.rows[0]).type
    dim = getattr(kind, "list_size", 1) if columns.are_lists else len(columns.rows)
    dtype = (kind.value_type if columns.are_lists else kind).to_pandas_dtype()
    return _as_floats(np.zeros((0, max(dim, 1)), dtype))


def _ragged(source: str) -> FileFormatError:
    return FileFormatError(f"{source}: lists must have the same length, of at least 1, and no missing values")


def _counts(column: Any, source: str) -> NDArray[np.int64]:
    if column.null_count:
        raise FileFormatError(f"{source}: has missing values; fill them in, or remove the column")
    counts: NDArray[np.integer[Any]] = column.to_numpy(zero_copy_only=False)
    if len(counts) and int(counts.max()) >= 2**63:
        raise FileFormatError(f"{source}: holds {counts.max():,}, which is beyond int64; scale the counts")
    return counts.astype(np.int64, copy=False)
