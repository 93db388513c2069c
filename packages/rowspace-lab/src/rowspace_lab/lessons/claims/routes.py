"""The routes of the Claims page: the list of statements, and one of them measured."""

from collections.abc import Mapping
from functools import partial
from types import ModuleType
from typing import Any, cast

from rowspace.errors import RowspaceError
from rowspace_lab.lab import Lab
from rowspace_lab.lessons.claims.measured import (
    MeasuredValues,
    block_of,
    chart_bars,
    document,
    evidence,
    is_on_tables,
    not_measured,
)
from rowspace_lab.lessons.claims.on_tables import OnTable, measure_on_tables, numbers_of
from rowspace_lab.lessons.claims.replies import ClaimReply, ClaimsReply, ClaimTable
from rowspace_lab.lessons.claims.stored import computed_by, frame_of, stored
from rowspace_lab.lessons.computed import claims
from rowspace_lab.lessons.computed.claims.verdict import on_tables_verdict
from rowspace_lab.lessons.routes import reference
from rowspace_lab.lessons.source import Values, prose_html
from rowspace_lab.page import Handler
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown, shown_on

__all__ = ["ROUTES"]


def listed(lab: Lab, query: Query) -> ClaimsReply:
    """Return all statements; each is measured by a separate request, so that no thread waits for another."""
    values = Values(_module(), lab)
    return {
        "introduction": " ".join(prose_html(block.parts[0], values) for block in document().of("prose")),
        "claims": [
            {
                "name": block.argument,
                "statement": _sentence(prose_html(block.parts[0], values)),
                "job": claims.JOBS.get(block.argument, claims.STORED_JOB if block.argument in claims.STORED else ""),
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
    """Return claim `name`, measured on several tables if it is about tables, or why it cannot be measured.

    Claims that train models have a stored result; that of a claim with a job has the fields of the job's last frame.
    """
    name = query.choice("name", list(claims.MODULES))
    measure = _on_tables if is_on_tables(name) else _stored if name in {*claims.JOBS, *claims.STORED} else _measured
    try:
        return measure(name, lab)
    except RowspaceError as error:  # an extra is missing
        return _unavailable(str(error))


def _measured(name: str, lab: Lab) -> ClaimReply:
    """Return a claim that is not about tables."""
    figure: partial[Any] = claims.claim_function(name)
    numbers: Mapping[str, Any] = Values(_module(), lab).result(name)
    return {
        **evidence(name, numbers),
        "bars": chart_bars(numbers["bars"]),
        "tables": [],
        "unavailable": "",
        "computed": "",
        "code": shown(lab, figure),
    }


def _stored(name: str, lab: Lab) -> ClaimReply:
    """Return the stored result of a claim that trains models."""
    numbers = stored(name)["numbers"]
    reply: ClaimReply = {
        **evidence(name, numbers),
        "bars": chart_bars(numbers.get("bars", {})),
        "tables": [],
        "unavailable": "",
        "computed": _sentence(prose_html(computed_by(name), Values(_module(), lab))),
        "code": shown(lab, claims.claim_function(name)),
    }
    return cast(ClaimReply, {**reply, **frame_of(name), "finished": True})


def _sentence(html: str) -> str:
    """Return a paragraph of HTML without its element."""
    return html.strip().removeprefix("<p>").removesuffix("</p>")


def _on_tables(name: str, lab: Lab) -> ClaimReply:
    found = measure_on_tables(name, lab)
    labs = {
        each.title: each.lab for each in found if each.lab is not None and each.numbers is not None and not each.own
    }
    return {
        **evidence(name, numbers_of(found)),
        "bars": [],
        "tables": [_row(name, each) for each in found],
        "unavailable": "",
        "computed": "",
        "code": shown_on(labs, claims.claim_function(name), on_tables_verdict),
    }


def _row(name: str, each: OnTable) -> ClaimTable:
    numbers = each.numbers
    html = "" if numbers is None else prose_html(block_of(name).parts[2], MeasuredValues(name, numbers))
    return {
        "id": each.id,
        "title": each.title,
        "own": each.own,
        "verdict": "" if numbers is None else numbers["verdict"],
        "numbers": _sentence(html),
        "unavailable": each.reason,
    }


def _module() -> ModuleType:
    return claims


def _unavailable(reason: str) -> ClaimReply:
    return {**not_measured(), "bars": [], "tables": [], "unavailable": reason, "computed": "", "code": ""}


ROUTES: Mapping[str, Handler] = {"lessons/claims": listed, "lessons/claim": claim}
