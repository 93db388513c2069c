"""A claim about tables, measured on three tables of the workbench and on the one that the reader has opened.

The verdict is that of the three tables; the table of the reader has a verdict of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from rowspace.errors import RowspaceError
from rowspace_lab.lab import Lab
from rowspace_lab.lessons.computed import claims
from rowspace_lab.lessons.computed.claims.verdict import on_tables_verdict
from rowspace_lab.lessons.source import Values
from rowspace_lab.tables.choice import TableChoice
from rowspace_lab.tables.english import ENGLISH
from rowspace_lab.tables.everyday import EVERYDAY
from rowspace_lab.tables.tables import Tables, first_lab, is_opened
from rowspace_lab.tables.world import SMALL_WORLD

__all__ = ["MEASURED_ON", "OnTable", "field_of", "measure_on_tables", "numbers_of", "tables"]

MEASURED_ON: Sequence[TableChoice] = (ENGLISH, EVERYDAY, SMALL_WORLD)
"""The tables that give the verdict: words of books, tokens of a sentence encoder, and sentences of a grammar."""


@dataclass(frozen=True)
class OnTable:
    """A claim on one table: its numbers and the table, or the reason why it cannot be measured there."""

    id: str
    title: str
    own: bool
    """Whether it is another table that the reader has opened."""
    numbers: Mapping[str, Any] | None = None
    lab: Lab | None = None
    reason: str = ""


def measure_on_tables(name: str, opened: Lab) -> list[OnTable]:
    """Measure a claim on each of `MEASURED_ON`, and on `opened` if it is another table.

    Raises:
        MissingExtraError: The claim needs PyTorch, which is not installed.
    """
    claims.claim_function(name)  # raises if PyTorch is missing
    found = [_measure(name, choice, opened) for choice in MEASURED_ON]
    if not any(_is_table(choice, opened) for choice in MEASURED_ON):
        found.append(_result(name, OnTable(opened.id, "Your table", own=True), opened))
    return found


def numbers_of(found: Sequence[OnTable]) -> Mapping[str, Any]:
    """Return the numbers of each table by `field_of`, or the reason in their place, and the verdict over `MEASURED_ON`.

    English words is part of the workbench and can test each claim, so there is always a verdict.
    """
    measured = [each.numbers for each in found if each.numbers is not None and not each.own]
    by_table: dict[str, Any] = {field_of(each.id): each.numbers or each.reason for each in found if not each.own}
    return by_table | {"verdict": on_tables_verdict(measured)}


def field_of(id: str) -> str:
    """Return the name of a table in the texts.

    >>> field_of("small-world")
    'small_world'
    """
    return id.replace("-", "_")


def _measure(name: str, choice: TableChoice, opened: Lab) -> OnTable:
    """Measure a claim on a table of the workbench, which may be the opened one."""
    row = OnTable(choice.id, choice.title, own=False)
    try:
        lab = opened if _is_table(choice, opened) else tables().lab(choice.id)
    except RowspaceError as error:  # the table is not installed
        return OnTable(row.id, row.title, row.own, reason=str(error))
    return _result(name, row, lab)


def _result(name: str, row: OnTable, lab: Lab) -> OnTable:
    try:
        numbers = cast("Mapping[str, Any]", Values(claims, lab).result(name))
    except RowspaceError as error:
        return OnTable(row.id, row.title, row.own, lab=lab, reason=str(error))
    return OnTable(row.id, row.title, row.own, numbers, lab)


def _is_table(choice: TableChoice, lab: Lab) -> bool:
    """Return whether a lab shows this table, under its own id or as the table that the workbench was started with."""
    return lab.id == choice.id or is_opened(choice, lab)


@cache
def tables() -> Tables:
    """Return the tables of the workbench, each opened once for all requests."""
    return Tables(first_lab())
