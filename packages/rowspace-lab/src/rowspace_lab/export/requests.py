"""The requests whose replies an exported site has: what pages and lessons ask for, with a few settings.

`scripts/make_export_requests.py` writes the list, requests.txt, with a browser; a test opens each page and each lesson
of an exported site, and fails if one of them asks for something else.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

from rowspace_lab.pages.arena.saved import SHIPPED_ID
from rowspace_lab.tables.english import ENGLISH
from rowspace_lab.tables.examples import EXAMPLES
from rowspace_lab.tables.routes import TABLE
from rowspace_lab.tables.small_graph import SMALL_GRAPH
from rowspace_lab.tables.small_shop import SMALL_SHOP
from rowspace_lab.tables.world import SMALL_WORLD

__all__ = ["TABLES", "Asked", "is_recorded", "listed_requests", "write_requests"]

TABLES = ("", *(choice.id for choice in (*EXAMPLES, SMALL_WORLD, SMALL_SHOP, SMALL_GRAPH)))
"""The ids of the tables whose rows an exported site has; "" for the one that it shows first."""
COMPUTED = {
    "words/search": {"part"},
    "words/tokens": {"ids"},
    "words/rows": {"word"},
    "words/neighbors": {"word"},
    "words/compare": {"word"},
    "words/distances": {"word"},
    "words/pair": {"a", "b"},
    "analogies/answers": {"a", "b", "c"},
}
"""Routes whose replies a site computes from the rows, if the request has these parameters."""
OF_NOTES = {"search/notes", "search/questions", "search/pair"}
"""Routes of the Search page that need no index."""
OF_A_RUN = ("training/", "jobs/")
"""Beginnings of routes whose replies are the same with any table."""
MOST_SEEDS = 4
"""The number of seeds, from 0 on, of what is drawn at random."""
NEED_A_SERVER = ("search/", "lessons/answer", "lessons/question", "tables")
"""Beginnings of routes that are not in the list; questions and answers are recorded for each lesson."""
_PATH = Path(str(files(__package__))) / "requests.txt"
_SHIPPED = "{shipped}"
_TIME = re.compile(r"\d{13,}(-\d+)?")


@dataclass(frozen=True, order=True)
class Asked:
    """A request: its route, the id of its table, and its other parameters in the order of their names.

    >>> Asked.of("words/neighbors", [("word", "cat"), ("table", "six-words"), ("metric", "dot")])
    Asked(route='words/neighbors', table='six-words', parameters=(('metric', 'dot'), ('word', 'cat')))
    >>> Asked.of("arena/results", [("at", "1795784859533-1")]).key
    ''
    """

    route: str
    table: str
    parameters: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, route: str, pairs: Sequence[tuple[str, str]]) -> "Asked":
        """Return a request, without a time, the other id of the first table, and the table of what is about a run."""
        table = next((value for name, value in pairs if name == TABLE), "")
        if (table == ENGLISH.id and not route.startswith("lessons/")) or route.startswith(OF_A_RUN):
            table = ""
        left = [
            (name, value) for name, value in pairs if name != TABLE and not (name == "at" and _TIME.fullmatch(value))
        ]
        return cls(route, table, tuple(sorted(left, key=lambda pair: pair[0])))

    @property
    def key(self) -> str:
        """The parameters as the site looks them up."""
        return "&".join(f"{name}={value}" for name, value in self.parameters)

    @property
    def line(self) -> str:
        """The request as a line of the list."""
        pairs = [*([(TABLE, self.table)] if self.table else []), *self.parameters]
        return f"{self.route}?{urlencode(pairs)}" if pairs else self.route


def is_recorded(asked: Asked) -> bool:
    """Return whether the list has a request: a site does not compute its reply, and it needs no server."""
    names = {name for name, _ in asked.parameters}
    compared = {value for name, value in asked.parameters if name in {"other", "null"}}
    if asked.route.startswith("compare/") and not compared.issubset(TABLES):
        return False
    if asked.table in TABLES and asked.route in COMPUTED and names >= COMPUTED[asked.route]:
        return False
    if any(name == "seed" and int(value) >= MOST_SEEDS for name, value in asked.parameters):
        return False
    return asked.route in OF_NOTES or not asked.route.startswith(NEED_A_SERVER)


def listed_requests() -> list[Asked]:
    """Return the list."""
    lines = _PATH.read_text().replace(_SHIPPED, SHIPPED_ID).splitlines() if _PATH.exists() else []
    routes = (line.partition("?") for line in lines)
    return [Asked.of(route, parse_qsl(query, keep_blank_values=True)) for route, _, query in routes]


def write_requests(requests: Iterable[Asked]) -> None:
    """Write the list, in alphabetical order."""
    lines = sorted({each.line for each in requests})
    _PATH.write_text("".join(f"{line}\n" for line in lines).replace(SHIPPED_ID, _SHIPPED))
