"""The evidence of a claim as HTML, from its text in `claims.md` and numbers that are measured already."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from rowspace_lab.lessons.claims.replies import ClaimBar, Measured
from rowspace_lab.lessons.computed import claims
from rowspace_lab.lessons.computed.claims.verdict import on_tables_verdict
from rowspace_lab.lessons.source import Block, Document, SourceError, Values, prose_html, read_document
from rowspace_lab.lessons.source.values import Value

__all__ = [
    "MeasuredValues",
    "block_of",
    "chart_bars",
    "document",
    "evidence",
    "is_on_tables",
    "not_measured",
    "rule_of",
]


class MeasuredValues(Values):
    """The values of one claim, whose numbers are given; no table is needed.

    A claim that is measured on several tables has a mapping for each of them, or the reason why it has none.
    """

    def __init__(self, name: str, numbers: Mapping[str, Any]) -> None:
        self.module, self._name, self._numbers = claims, name, numbers

    def find(self, expression: str) -> Value:
        """Return the value of the text between braces, or that it is missing for a table that was not measured."""
        _, *fields = expression.partition(":")[0].split(".")
        if len(fields) > 1 and isinstance(reason := self._numbers.get(fields[0]), str):
            return Value("—", reason, "missing")
        return super().find(expression)

    def result(self, name: str) -> Any:
        """Return the numbers of the claim."""
        if name != self._name:
            raise SourceError(f"the evidence of {self._name} must not name the numbers of {name}")
        return self._numbers


@cache
def document() -> Document:
    """Return the parsed text of the page."""
    return read_document("claims.md")


def block_of(name: str) -> Block:
    """Return the statement and the evidence of a claim."""
    (found,) = (block for block in document().of("claim") if block.argument == name)
    return found


def is_on_tables(name: str) -> bool:
    """Return whether a claim is about tables, so that its block has a third part: what is said of each table."""
    return len(block_of(name).parts) > 2


def rule_of(name: str) -> str:
    """Return the rule of the verdict, on one table and on several.

    >>> rule_of("large_dot").split(". ")[-1]
    'Over several tables, it depends if they give different verdicts.'
    """
    rule = claims.claim_rule(name)
    return f"{rule} {on_tables_verdict.__doc__}" if is_on_tables(name) else rule


def evidence(name: str, numbers: Mapping[str, Any]) -> Measured:
    """Return the verdict, its rule, and the evidence with the measured numbers."""
    return {
        "verdict": numbers["verdict"],
        "rule": rule_of(name),
        "evidence": prose_html(block_of(name).parts[1], MeasuredValues(name, numbers)),
    }


def chart_bars(bars: Mapping[str, float]) -> list[ClaimBar]:
    """Return the numbers of a claim's chart as the page has them.

    >>> chart_bars({"tied": 2})
    [{'name': 'tied', 'value': 2.0}]
    """
    return [{"name": name, "value": float(value)} for name, value in bars.items()]


def not_measured() -> Measured:
    """Return a claim without a verdict."""
    return {"verdict": "", "rule": "", "evidence": ""}
