"""Conditions on the metadata of records, such as `year>=1999` → a condition of SQL."""

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from rowspace._base.plural import join_names
from rowspace.errors import UsageError
from rowspace.search.storage.dataset import sql_list
from rowspace.search.storage.settings import ColumnType, RecordColumns
from rowspace.text.corpus.examples_file import is_unicode

__all__ = ["Where", "where_filter"]

Where = str | Iterable[str] | Mapping[str, str | int | float | bool | None]
"""A condition such as "year>=1999", several, or values by column that records must have."""

_OPERATORS = ("==", "!=", ">=", "<=", "=", ">", "<")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,99}(?:\.[0-9]{0,99})?|\.[0-9]{1,99})(?:[eE][+-]?[0-9]{1,2})?")
_SQL_TYPES = {"integer": "bigint", "number": "double"}


class _Condition(NamedTuple):
    column: str
    operator: str
    value: str


def where_filter(where: Where, columns: RecordColumns) -> str:
    """Return the condition of SQL that a record meets all of some conditions.

    Values are compared as the type of the column says: texts by their characters, numbers by their size. `column=` and
    `column!=` are met by records without a value and with one. `!=` is also met by records without a value. A warning
    says that texts are not compared with a number by size.

    Args:
        where: The conditions.
        columns: The columns of the index.

    Raises:
        UsageError: If a condition is not valid, or there is no such column.

    >>> where_filter("year>=1999", RecordColumns("text", "id", None, {"year": "integer"}))
    "try_cast(json_get_string(metadata, 'year') as bigint) >= 1999"
    """
    return " AND ".join(_sql(condition, columns) for condition in _conditions(where, columns)) or "true"


def _conditions(where: Where, columns: RecordColumns) -> Iterator[_Condition]:
    if isinstance(where, Mapping):
        for name, value in where.items():
            text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
            yield _Condition(_known(name, columns), "=", text)
        return
    for condition in [where] if isinstance(where, str) or not isinstance(where, Iterable) else where:
        if not isinstance(condition, str):
            raise UsageError(f"a condition must be text such as 'year>=1999', not {condition!r:.80}")
        yield _parsed(condition, columns)


def _parsed(condition: str, columns: RecordColumns) -> _Condition:
    """Return the parts of a condition; the name of a column may have signs of operators."""
    for name in sorted(_names(columns), key=len, reverse=True):
        rest = condition.removeprefix(name).lstrip()
        operator = next((each for each in _OPERATORS if rest.startswith(each)), None)
        if condition.startswith(name) and operator is not None:
            return _Condition(name, operator.replace("==", "="), rest.removeprefix(operator).strip())
    found = re.match(r"(.*?)\s*(?:[=<>]|!=)", condition, re.DOTALL)
    if found is None or not found[1]:
        raise UsageError(f"a condition is a column, one of = != < <= > >=, and a value, not {condition!r:.80}")
    return _Condition(_known(found[1], columns), "=", "")


def _known(name: str, columns: RecordColumns) -> str:
    if name not in _names(columns):
        raise UsageError(f"the index has no column {name!r:.80}; it has {join_names(_names(columns))}")
    return name


def _names(columns: RecordColumns) -> list[str]:
    return list({**columns.types, _id_name(columns): "text"})


def _id_name(columns: RecordColumns) -> str:
    return columns.id or "id"


def _sql(condition: _Condition, columns: RecordColumns) -> str:
    name, operator, value = condition
    is_id = name == _id_name(columns) and name not in columns.types
    kind: ColumnType = "text" if is_id else columns.types[name]
    stored = "path" if is_id else f"json_get_string(metadata, {_quoted(name)})"
    if not value:
        if operator not in ("=", "!="):
            raise UsageError(f"there is no value after {name}{operator}; give one")
        return f"{stored} IS {'' if operator == '=' else 'NOT '}NULL"
    if kind == "boolean" and (value not in ("true", "false") or operator not in ("=", "!=")):
        raise UsageError(f"the column {name!r} has true and false: compare it by = or != with one of them")
    if kind in _SQL_TYPES:
        stored, literal = f"try_cast({stored} as {_SQL_TYPES[kind]})", _number(name, value)
    else:
        literal = _quoted(value)
        if operator not in ("=", "!=") and not is_id and _NUMBER.fullmatch(value):
            message = f"the column {name!r} has texts, which are compared by their characters: right for dates such as "
            warnings.warn(f"{message}2020-01-31, not for numbers", stacklevel=6)  # of the caller of `Index.search`
    found = f"{stored} {operator} {literal}"
    return found if operator != "!=" else f"({found} OR {stored} IS NULL)"


def _number(name: str, value: str) -> str:
    if not _NUMBER.fullmatch(value):
        raise UsageError(f"the column {name!r} has numbers, and {value!r:.80} is not one")
    number = float(value)
    return str(int(value)) if value.lstrip("+-").isdigit() and abs(number) < 2.0**62 else repr(number)


def _quoted(text: str) -> str:
    """Return a text as a literal of SQL."""
    if "\0" in text or not is_unicode(text):
        raise UsageError(f"a condition must be text in UTF-8 without NUL, not {text!r:.80}")
    return sql_list([text])[1:-1]
