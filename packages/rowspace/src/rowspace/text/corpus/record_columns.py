"""The columns of a record: their names, their values, and what is said of those that are missing or not a text.

Data frames of pandas and Polars are recognized by their methods, so that neither library is imported.
"""

from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from rowspace._base.plural import join_names
from rowspace.errors import FileFormatError, UsageError
from rowspace.text.corpus.file_types import suffix_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "check_columns",
    "column_names",
    "frame_records",
    "frame_rows",
    "no_text",
    "place_of",
    "problem_of",
    "text_in",
    "value_in",
]


def check_columns(place: str, found: Mapping[str, Any], columns: Mapping[str, str | None]) -> None:
    """Raise `UsageError` if a column is missing.

    Args:
        place: Where, for the message.
        found: The values of a record, or anything else, by column.
        columns: Names of columns, or None, by the arguments that give them; dots separate nested names.
    """
    for argument, name in columns.items():
        if name is not None and value_in(found, name, columns) is columns:
            option = f"--{argument.replace('_', '-')} ({argument}= in Python)"
            names = join_names(map(str, found))
            raise UsageError(f"{place}: there is no column {name!r}; it has {names}; name one with {option}")


def place_of(path: str | PathLike[str], line: int) -> str:
    """Return where a record is, for a message: its line, or its row of Parquet."""
    return f"{path}: row {line:,}" if suffix_of(path) == ".parquet" else f"{path}: line {line}"


def value_in(values: Any, column: str, default: Any = None) -> Any:
    """Return the value in a column; dots separate nested names, unless a column has the whole name.

    >>> value_in({"a": {"b": 1}}, "a.b"), value_in({"a.b": 2}, "a.b"), value_in({}, "a")
    (1, 2, None)
    """
    if not isinstance(values, Mapping):
        return default
    if column in values:
        return values[column]
    first, _, rest = column.partition(".")
    return value_in(values.get(first), rest, default)


def text_in(place: str, values: Mapping[str, Any], column: str) -> str:
    """Return the text in a column of a record; raise `FileFormatError` if it is something else."""
    value = value_in(values, column)
    if not isinstance(value, str):
        raise FileFormatError(f"{place}: {no_text(column, value)}")
    return value


def no_text(column: str, value: object) -> str:
    """Return the message for a value that is not a text."""
    return f"{problem_of(column, value)}; repair the record or remove it"


def problem_of(column: str, value: object) -> str:
    """Return what is wrong with a value that is not a text."""
    return f"the column {column!r} has {'no value' if value is None else f'{value!r:.40}'}, expected a text"


def column_names(fields: Iterable["pa.Field"]) -> dict[str, Any]:
    """Return the names of the columns of Parquet, those of nested ones as keys of a dictionary."""
    return {field.name: column_names(field.type) if str(field.type).startswith("struct<") else None for field in fields}


def frame_rows(value: Any) -> Iterator[tuple[Any, ...]] | None:
    """Return the rows of a table of pandas or Polars as tuples; None for anything else."""
    if hasattr(value, "itertuples"):
        rows: Iterator[tuple[Any, ...]] = value.itertuples(index=False, name=None)
        return rows
    return iter(value.iter_rows()) if hasattr(value, "iter_rows") else None


def frame_records(value: Any) -> Iterator[dict[str, Any]] | None:
    """Return the rows of a table of pandas or Polars as dicts; None for anything else."""
    rows = frame_rows(value)
    return None if rows is None else (dict(zip(value.columns, row, strict=True)) for row in rows)
