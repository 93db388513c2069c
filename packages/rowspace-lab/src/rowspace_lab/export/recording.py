"""The replies of an exported site, made by the handlers that the server calls."""

import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rowspace._base.work_folder import cache_dir
from rowspace.errors import MissingExtraError, UnknownTokenError, UsageError
from rowspace_lab.export.requests import TABLES, Asked, listed_requests
from rowspace_lab.export.run import JOB, recorded_job, run_folder, run_requests
from rowspace_lab.lab import OPENED, Lab
from rowspace_lab.lessons import PAGE as LESSONS_PAGE
from rowspace_lab.lessons.claims import PAGE as CLAIMS
from rowspace_lab.lessons.lesson import LESSONS
from rowspace_lab.lessons.panels import PAGES as WHY
from rowspace_lab.pages import PAGES, SearchSource, pages_over
from rowspace_lab.pages.arena.saved import SHIPPED_ID
from rowspace_lab.pages.words import words_page
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import Reply
from rowspace_lab.server.shown_tokens import shown_tokens
from rowspace_lab.tables.routes import list_tables
from rowspace_lab.tables.tables import Tables

__all__ = ["Recorder", "all_requests"]

DRAWS = 2
"""The number of times that each question can be asked in its lesson, each time with other numbers."""
RETURNS = (1, 4)
"""After how many lessons a missed question returns; its numbers are those of the seed of that lesson's number."""
GIVEN_UP = "-1e15"
"""An answer that is never right, for a reply that shows the right one; the site accepts numbers within its `margin`."""


def all_requests() -> list[Asked]:
    """Return the requests whose replies a site has, each once: those of the list, of all lessons, and of a run."""
    panels = [Asked.of("lessons/why", [("page", page), ("table", table)]) for page in WHY for table in TABLES]
    found = {Asked.of("tables", []), *listed_requests(), *run_requests(), *panels, *_lesson_requests()}
    return sorted(found, key=lambda asked: (asked.table, asked.route, asked.parameters))


def _lesson_requests() -> Iterator[Asked]:
    """Yield the requests of the lessons, which a site shows with its first table, and of their questions."""
    yield from (Asked.of("lessons/list", []), Asked.of("lessons/cards", []))
    for number, found in LESSONS.items():
        yield Asked.of("lessons/lesson", [("number", str(number))])
        for block in found.document.of("question"):
            for seed in {*range(DRAWS), *(number + later for later in RETURNS)}:
                pairs = [("lesson", str(number)), ("name", block.argument), ("seed", str(seed))]
                pairs += [("table", table)] if (table := block.options.get("table")) else []
                yield from (Asked.of(route, pairs) for route in ("lessons/question", "lessons/answer"))


class Recorder:
    """Calls the handlers of the workbench for its own tables."""

    def __init__(self, tables: Tables) -> None:
        pages = pages_over(SearchSource(), tables, [LESSONS_PAGE, CLAIMS, *PAGES])
        pages.append(words_page(maps_in_background=False))  # in place of the other one: no map is computed later
        self._tables = tables
        self._handlers = {route: handler for page in pages for route, handler in page.routes.items()}

    def reply(self, asked: Asked) -> bytes | None:
        """Return the reply to a request, or the sentence that refuses it; None if an extra is missing."""
        try:
            lab = self._tables.lab(asked.table or OPENED)
            fields = self._fields(lab, asked)
        except MissingExtraError:
            return None
        except (UsageError, UnknownTokenError) as error:
            return Reply({"refused": portable(str(error)), "kind": type(error).__name__}).encode()
        fields = {name: portable(value) for name, value in fields.items()}
        return Reply(fields).encode(shown_tokens(lab.table, fields))

    def _fields(self, lab: Lab, asked: Asked) -> Mapping[str, Any]:
        parameters: dict[str, list[str]] = {}
        for name, value in asked.parameters:
            parameters.setdefault(name, []).append(value)
        if asked.route == "tables":
            return _own_tables(self._tables)
        if "run" in parameters:
            return self._of_run(lab, asked.route, parameters)
        if asked.route == "lessons/answer":
            return {
                **self._handlers[asked.route](lab, Query({**parameters, "given": [GIVEN_UP]})),
                **_margin(lab, parameters),
            }
        fields = self._handlers[asked.route](lab, Query(parameters))
        return _shipped(fields) if asked.route == "arena/results" else fields

    def _of_run(self, lab: Lab, route: str, parameters: Mapping[str, list[str]]) -> Mapping[str, Any]:
        """Return the reply about the run of the Training page, whose code names no folder of this machine."""
        frame = recorded_job(lab)
        fields: Mapping[str, Any] = frame if route == JOB else self._handlers[route](lab, Query(parameters))
        return {**fields, "code": fields["code"].replace(run_folder(lab), "training-run")}


def _own_tables(tables: Tables) -> Mapping[str, Any]:
    """Return the list of the tables that a site has."""
    return {
        "tables": [{**entry, "editable": False} for entry in list_tables(tables) if entry["id"] in {OPENED, *TABLES}]
    }


def _shipped(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Leave out the results that are not those of the workbench."""
    return {**fields, "saved": [each for each in fields["saved"] if each["id"] == SHIPPED_ID]}


def _margin(lab: Lab, parameters: Mapping[str, list[str]]) -> Mapping[str, Any]:
    (number,), (name,), (seed,) = (parameters[key] for key in ("lesson", "name", "seed"))
    question = LESSONS[int(number)].question(name, lab.table, int(seed))
    return {"margin": question.margin(float(question.computed(lab.table)["answer"]))}


def portable(value: object) -> object:
    """Return a value in which links stay in the site, and code has no path of this machine."""
    if isinstance(value, str):
        for path, name in _PATHS.items():
            value = value.replace(path, name)
        return value.replace('href="/', 'href="#/')
    if isinstance(value, Mapping):
        return {key: portable(item) for key, item in value.items()}
    return [portable(item) for item in value] if isinstance(value, list | tuple) else value


_PATHS = {
    str(Path(__file__).parents[1]): "rowspace_lab",
    sysconfig.get_path("purelib"): "site-packages",
    str(cache_dir()): "~/.cache/rowspace",
    str(Path.home()): "~",
}
