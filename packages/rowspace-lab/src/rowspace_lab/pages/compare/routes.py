"""The routes of the Compare page: the compared tokens of two tables, and the neighbors of one of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from rowspace.errors import RowspaceError, UsageError
from rowspace.learn import Comparison
from rowspace_lab.lab import OPENED, Lab
from rowspace_lab.pages.compare.figures import compare_tables, compared_figure, neighbors_figure
from rowspace_lab.pages.compare.replies import TokensReply, WordReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown_between
from rowspace_lab.tables.english import ENGLISH
from rowspace_lab.tables.everyday import EVERYDAY
from rowspace_lab.tables.tables import Tables, is_opened
from rowspace_lab.tables.world import SMALL_WORLD

__all__ = ["HANDLERS"]

MIN_COUNT = 5
OTHERS = (EVERYDAY, ENGLISH, SMALL_WORLD)  # one of these is compared with the open table at first


@dataclass(frozen=True)
class _Request:
    """The tables and the settings of a request."""

    labs: Mapping[str, Lab]
    settings: "partial[Comparison]"

    def comparison(self) -> Comparison:
        """Return the comparison, which the open table keeps."""
        lab, tables = self.labs["before"], {name: lab.table for name, lab in self.labs.items()}
        key = ("compare", *(each.id for each in self.labs.values()), *self.settings.keywords.values())
        return lab.cached(key, lambda: self.settings(**tables))


def tokens(tables: Tables | None, lab: Lab, query: Query) -> TokensReply:
    """Return the tokens of the open table and of `other`, most changed `by` a measure; `null` is the id of a table."""
    tables = tables or Tables(lab)
    asked = _read(tables, lab, query)
    figure = partial(compared_figure)
    null = asked.labs.get("null")
    return {
        **figure(asked.comparison()),
        "before": tables.choice(lab.id).title,
        "after": tables.choice(asked.labs["after"].id).title,
        "other": asked.labs["after"].id,
        "null": "" if null is None else null.id,
        "code": shown_between(asked.labs, figure, comparison=asked.settings),
    }


def neighbors(tables: Tables | None, lab: Lab, query: Query) -> WordReply:
    """Return the neighbors of `word` in both tables, by default those of the most changed token."""
    asked = _read(tables or Tables(lab), lab, query)
    found = asked.comparison()
    word = query.text("word", found.tokens[0])
    used = word if word in lab.table and (found.ids == lab.table.id(word)).any() else found.tokens[0]
    figure = partial(neighbors_figure, word=used)
    return {
        **figure(found),
        "word": used,
        "asked": word,
        "code": shown_between(asked.labs, figure, comparison=asked.settings),
    }


def _read(tables: Tables, lab: Lab, query: Query) -> _Request:
    other, null = query.text("other", ""), query.text("null", "")
    labs = {"before": lab, "after": tables.lab(other) if other else _first_other(tables, lab)}
    if null:
        labs["null"] = tables.lab(null)
    by = query.choice("by", ("", "cosine", "neighbors"))
    if len({each.table.dim for each in labs.values()}) > 1:  # rows of different widths have no cosine
        by = ""
    min_count = query.integer("min_count", MIN_COUNT, low=0, high=1_000_000)
    return _Request(labs, partial(compare_tables, by=by or None, min_count=min_count))


def _first_other(tables: Tables, lab: Lab) -> Lab:
    """Return the first of `OTHERS` that is another table than the open one, and installed."""
    for choice in OTHERS:
        if choice.id != lab.id and not (lab.id == OPENED and is_opened(choice, lab)):
            try:
                return tables.lab(choice.id)
            except RowspaceError:  # it is not installed
                continue
    raise UsageError("there is no other table to compare with; choose one of the list")


HANDLERS: Mapping[str, Callable[[Tables | None, Lab, Query], Mapping[str, object]]] = {
    "compare/tokens": tokens,
    "compare/neighbors": neighbors,
}
