"""The routes of the Claims page: the list of statements, and one of them measured on the table."""

from collections.abc import Mapping
from functools import partial
from types import ModuleType
from typing import Any

from rowspace.errors import RowspaceError, UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.lessons.claims.measured import block_of, document, evidence, not_measured
from rowspace_lab.lessons.claims.replies import ClaimReply, ClaimsReply
from rowspace_lab.lessons.computed import claims
from rowspace_lab.lessons.routes import reference
from rowspace_lab.lessons.source import Values, prose_html
from rowspace_lab.page import Handler
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown
from rowspace_lab.tables.tables import BUILT_IN

__all__ = ["ROUTES"]

_MEASURED_BY_JOB = "this takes longer than a request; start the measurement on the Claims page"


def listed(lab: Lab, query: Query) -> ClaimsReply:
    """Return all statements; each is measured by a separate request, so that no thread waits for another."""
    values = Values(_module(), lab)
    return {
        "introduction": " ".join(prose_html(block.parts[0], values) for block in document().of("prose")),
        "claims": [
            {
                "name": block.argument,
                "statement": prose_html(block.parts[0], values).strip().removeprefix("<p>").removesuffix("</p>"),
                "table": block.options.get("table", ""),
                "job": claims.JOBS.get(block.argument, ""),
            }
            for block in document().of("claim")
        ],
        "references": [
            prose_html(reference(key), values)
            for block in document().of("references")
            for key in block.parts[0].split()
        ],
    }


def claim(lab: Lab, query: Query) -> ClaimReply:
    """Return claim `name`, measured on the table, or why the table cannot test it."""
    name = query.choice("name", list(claims.MODULES))
    if name in claims.JOBS:
        return _unavailable(_MEASURED_BY_JOB)
    try:
        figure: partial[Any] = claims.claim_function(name)
        numbers: Mapping[str, Any] = Values(_module(), lab).result(name)
    except UsageError as error:
        return _unavailable(f"{error}; open {_able(name)}")
    except RowspaceError as error:  # an extra is missing
        return _unavailable(str(error))
    return {
        **evidence(name, numbers),
        "bars": [{"name": each, "value": float(value)} for each, value in numbers["bars"].items()],
        "unavailable": "",
        "code": shown(lab, figure),
    }


def _able(name: str) -> str:
    """Return the title of a table that can test a claim."""
    id = block_of(name).options.get("table", "")
    return next((choice.title for choice in BUILT_IN if choice.id == id), "another table")


def _module() -> ModuleType:
    return claims


def _unavailable(reason: str) -> ClaimReply:
    return {**not_measured(), "bars": [], "unavailable": reason, "code": ""}


ROUTES: Mapping[str, Handler] = {"lessons/claims": listed, "lessons/claim": claim}
