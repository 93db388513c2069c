"""The evidence of a claim as HTML, from its text in `claims.md` and numbers that are measured already."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from rowspace_lab.lessons.claims.replies import Measured
from rowspace_lab.lessons.computed import claims
from rowspace_lab.lessons.source import Block, Document, SourceError, Values, prose_html, read_document

__all__ = ["block_of", "document", "evidence", "not_measured"]


class MeasuredValues(Values):
    """The values of one claim, whose numbers are given; no table is needed."""

    def __init__(self, name: str, numbers: Mapping[str, Any]) -> None:
        self.module, self._name, self._numbers = claims, name, numbers

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


def evidence(name: str, numbers: Mapping[str, Any]) -> Measured:
    """Return the verdict, its rule, and the evidence with the measured numbers."""
    return {
        "verdict": numbers["verdict"],
        "rule": claims.claim_rule(name),
        "evidence": prose_html(block_of(name).parts[1], MeasuredValues(name, numbers)),
    }


def not_measured() -> Measured:
    """Return a claim without a verdict."""
    return {"verdict": "", "rule": "", "evidence": ""}
