"""The columns of a source with records → record batches, to be kept next to its vectors."""

import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

from rowspace.encode.stream.bad_rows import BadRows
from rowspace.errors import CorpusWarning, FileFormatError, UsageError
from rowspace.files.remote import is_url, open_remote
from rowspace.text.characters import clean
from rowspace.text.corpus import read_text_records
from rowspace.text.corpus.pieces import is_parquet_file
from rowspace.text.corpus.record_columns import column_names, value_in
from rowspace.text.corpus.records import csv_header, has_records, is_typed

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SourceColumns", "check_kept", "columns_of", "joined"]

_ROWS = 1 << 12  # of a record batch


class SourceColumns(Protocol):
    """The columns of a source, in the order of its texts."""

    schema: "pa.Schema"

    def batches(self) -> "Iterator[pa.RecordBatch]":
        """Yield the rows; called once the vectors are complete."""


def columns_of(
    files: Iterable[str],
    column: str | None,
    vector_column: str,
    *,
    keep_text: bool,
    strict: bool = False,
    on_bytes: Callable[[int], None] | None = None,
) -> SourceColumns | None:
    """Return the columns of files, None if there are none; a warning unless all are Parquet, or all other records.

    Args:
        files: Their paths or URLs; none for a source that can be read only once.
        column: The column of the text.
        vector_column: The column of vectors, which no file may have.
        keep_text: Whether the text is kept.
        strict: Whether a record without a text is an error.
        on_bytes: Called with the number of bytes read, of records but Parquet, which are all read for their types.

    Raises:
        UsageError: A file has a column of vectors, or the text is inside another column and is not kept.
        FileFormatError: A file is damaged, or if `strict`, a record has no text.
    """
    names = list(files)
    if column is None:
        return None
    omitted = None if keep_text else column
    are_parquet = {is_parquet_file(name) for name in names}
    found: SourceColumns | None = None
    if are_parquet == {True}:
        found = _ParquetColumns(names, omitted, vector_column)
    elif are_parquet == {False} and all(has_records(name, arrays=True) for name in names):
        found = _RecordColumns(names, column, omitted, vector_column, BadRows(strict=strict), on_bytes)
    if found is not None:
        return found if found.schema.names else None
    warnings.warn(
        "only the texts are kept; other columns are if all files are Parquet, or all are .jsonl, .json, .csv or .tsv",
        CorpusWarning,
        stacklevel=2,
    )
    return None


def check_kept(source: str, values: Mapping[str, Any], vector_column: str, omitted: str | None = None) -> None:
    """Raise `UsageError` if a source has a column of vectors, or the column to leave out inside another one."""
    if vector_column in values and vector_column != omitted:
        raise UsageError(
            f"{source}: there is a column {vector_column!r} already; choose another name for the column of vectors "
            "with --vector-column (vector_column= in Python)"
        )
    if omitted is not None and omitted not in values and value_in(values, omitted, values) is not values:
        raise UsageError(
            f"{source}: --no-text cannot leave out {omitted!r}, which is inside another column; keep the text, or make "
            "it a column of its own"
        )


def joined(columns: "Iterator[pa.RecordBatch]", vectors: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
    """Yield record batches with the columns of both, which have the same number of rows.

    Raises:
        FileFormatError: They differ in length.
    """
    import pyarrow as pa

    left: pa.RecordBatch | None = None
    for batch in vectors:
        place = 0
        while place < len(batch):
            left = left if left is not None and len(left) else next(columns, None)
            if left is None:
                raise FileFormatError("the source has fewer records than vectors; it has changed, so encode it again")
            size = min(len(left), len(batch) - place)
            arrays = [*left.slice(0, size).columns, *batch.slice(place, size).columns]
            yield pa.RecordBatch.from_arrays(arrays, [*left.schema.names, *batch.schema.names])
            left, place = left.slice(size), place + size
    if (left is not None and len(left)) or next((batch for batch in columns if len(batch)), None) is not None:
        raise FileFormatError("the source has more records than vectors; it has changed, so encode it again")


class _ParquetColumns:
    """The columns of all files, with the common type, or as text; null for files without them."""

    def __init__(self, names: list[str], omitted: str | None, vector_column: str) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        self.names = names
        fields: dict[str, pa.Field] = {}
        for name in names:
            with parquet.ParquetFile(_opened(name)) as file:
                schema = file.schema_arrow.remove_metadata()
            check_kept(name, column_names(schema), vector_column, omitted)
            for field in schema:
                if schema.names.count(field.name) > 1:
                    raise UsageError(f"{name!r} has two columns {field.name!r}; rename one")
                fields[field.name] = _common(fields.get(field.name, field), field, name)
        fields.pop(str(omitted), None)
        self.schema = pa.schema(fields.values())

    def batches(self) -> "Iterator[pa.RecordBatch]":
        """Yield the rows of all files."""
        import pyarrow as pa
        from pyarrow import parquet

        for name in self.names:
            with parquet.ParquetFile(_opened(name), pre_buffer=False) as file:
                found = [field.name for field in self.schema if field.name in file.schema_arrow.names]
                for batch in file.iter_batches(batch_size=_ROWS, columns=found):
                    arrays = [
                        batch[field.name].cast(field.type) if field.name in found else pa.nulls(len(batch), field.type)
                        for field in self.schema
                    ]
                    yield pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def _common(one: "pa.Field", other: "pa.Field", name: str) -> "pa.Field":
    """Return a column with a type for the values of both, text if there is no other."""
    import pyarrow as pa

    try:
        return pa.unify_schemas([pa.schema([one]), pa.schema([other])], promote_options="permissive").field(0)
    except (pa.ArrowTypeError, pa.ArrowInvalid):
        if pa.types.is_nested(one.type) or pa.types.is_nested(other.type):
            raise UsageError(
                f"column {one.name!r} is {other.type} in {name!r} and {one.type} in another file; encode them apart"
            ) from None
        return pa.field(one.name, pa.string())


def _opened(name: str) -> Any:
    return open_remote(name) if is_url(name) else name


class _RecordColumns:
    """The columns of records: texts, numbers or truth values; all else, and mixed values, as the text of its JSON."""

    def __init__(
        self,
        names: list[str],
        column: str,
        omitted: str | None,
        vector_column: str,
        bad: BadRows,
        on_bytes: Callable[[int], None] | None,
    ) -> None:
        import pyarrow as pa

        self.names, self._column = names, column
        kinds: dict[str, set[type]] = {}
        for name in names:
            for record in read_text_records(name, column, on_bytes=on_bytes):
                if record.bad is not None:
                    bad.add(record.bad)
                check_kept(name, record.values, vector_column, omitted)
                for key, value in record.values.items():
                    kinds.setdefault(key, set()).add(_kind(value) if is_typed(name) else str)
            header = dict.fromkeys([] if is_typed(name) else csv_header(name))
            check_kept(name, header, vector_column, omitted)
            for key in header:
                kinds.setdefault(key, {str})
        kinds.pop(str(omitted), None)
        types = {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
        fields = []
        for key, found in kinds.items():
            known = found - {type(None)}
            if _Long in known and float not in known:
                known = known - {_Long} | {int}
            only = float if known == {int, float} else next(iter(known)) if len(known) == 1 else str
            fields.append(pa.field(clean(key), types.get(only, pa.string())))
        self.schema, self._keys = pa.schema(fields), list(kinds)

    def batches(self) -> "Iterator[pa.RecordBatch]":
        """Yield the records of all files."""
        import pyarrow as pa

        for name in self.names:
            records = read_text_records(name, self._column)
            while rows := list(islice(records, _ROWS)):
                arrays = [
                    pa.array([_value(row.values.get(key), field.type) for row in rows], field.type)
                    for key, field in zip(self._keys, self.schema, strict=True)
                ]
                yield pa.RecordBatch.from_arrays(arrays, schema=self.schema)


class _Long(int):
    """The kind of an integer that a float does not hold."""


def _kind(value: object) -> type:
    """Return the type of a JSON value, `object` for one that has no column of its own type."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53:
        return _Long if -(2**63) <= value < 2**63 else object
    return type(value) if isinstance(value, str | bool | int | float | None) else object


def _value(value: object, kind: Any) -> object:
    if value is None or str(kind) != "string":
        return value
    return clean(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
