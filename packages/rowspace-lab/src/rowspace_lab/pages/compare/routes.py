"""The routes of the Compare page: the compared tokens of two tables, and the neighbors of one of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from rowspace.errors import RowspaceError, UsageError
from rowspace.learn import Comparison
from rowspace.table import Table
from rowspace_lab.lab import OPENED, Lab
from rowspace_lab.pages.compare.figures import compare_tables, compared_figure, kept_in_null, neighbors_figure
from rowspace_lab.pages.compare.replies import TokensReply, WordReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import Array, shown_between
from rowspace_lab.tables.english import ENGLISH
from rowspace_lab.tables.everyday import EVERYDAY
from rowspace_lab.tables.tables import Tables, is_opened
from rowspace_lab.tables.world import SMALL_WORLD

__all__ = ["HANDLERS"]

MIN_COUNT = 5
REFITS, MAX_NULL = 3, 5
OTHERS = (EVERYDAY, ENGLISH, SMALL_WORLD)  # the first with a word of the open table is compared with it at first


@dataclass(frozen=True)
class _Request:
    """The tables and the settings of a request."""

    before: Lab
    after: Lab
    null: Sequence[Lab]
    refits: int
    settings: "partial[Comparison]"

    @property
    def chance(self) -> "partial[Array]":
        """The figure of what tokens kept in the null."""
        return partial(kept_in_null, min_count=self.settings.keywords["min_count"])

    def compared(self) -> tuple[Comparison, Array]:
        """Return the comparison, and what the null kept; the open table keeps both."""
        ids = [each.id for each in (self.before, self.after, *self.null)]
        return self.before.cached(("compare", *ids, self.refits, *self.settings.keywords.values()), self._compare)

    def _compare(self) -> tuple[Comparison, Array]:
        null = [*self._refits(), *(each.table for each in self.null)]
        found = self.settings(self.before.table, self.after.table, null)
        return found, self.chance(found, self.before.table, self.after.table, null)

    def _refits(self) -> list[Table]:
        """Learn the first table again, with the seeds from 2 on."""
        refit = self.before.refit
        if refit is None or not self.refits:
            return []
        return self.before.cached(
            ("compare/refits", self.refits), lambda: [refit.learn(seed) for seed in range(2, self.refits + 2)]
        )

    def parts(self) -> Mapping[str, Lab | str]:
        """Return the tables by the names of the code's variables, in the order of its lines."""
        parts: dict[str, Lab | str] = {"before": self.before}
        names = []
        if self.refits and self.before.refit is not None:
            parts["refits"] = f"[{self.before.refit.code} for seed in range(2, {self.refits + 2})]"
            names.append("*refits")
        for number, lab in enumerate(self.null, 1):
            parts[f"null_{number}"] = lab
            names.append(f"null_{number}")
        if names:
            parts["null"] = f"[{', '.join(names)}]"
        return parts | {"after": self.after}


def tokens(tables: Tables | None, lab: Lab, query: Query) -> TokensReply:
    """Return the tokens of the open table and of `other`, most changed `by` a measure; `null` are ids of tables.

    `refits`: how often the open table is learned again for the null, if it can be; by default where no `null` is given.
    """
    tables = tables or Tables(lab)
    asked = _read(tables, lab, query)
    figure = partial(compared_figure)
    return {
        **figure(*asked.compared()),
        "before": tables.choice(lab.id).title,
        "after": tables.choice(asked.after.id).title,
        "other": asked.after.id,
        "null": [each.id for each in asked.null],
        "null_titles": [tables.choice(each.id).title for each in asked.null],
        "refits": asked.refits,
        "can_refit": lab.refit is not None,
        "code": shown_between(asked.parts(), figure, comparison=asked.settings, chance=asked.chance),
    }


def neighbors(tables: Tables | None, lab: Lab, query: Query) -> WordReply:
    """Return the neighbors of `word` in both tables, by default those of the most changed token."""
    asked = _read(tables or Tables(lab), lab, query)
    found, _ = asked.compared()
    word = query.text("word", found.tokens[0])
    used = word if word in lab.table and (found.ids == lab.table.id(word)).any() else found.tokens[0]
    figure = partial(neighbors_figure, word=used)
    return {
        **figure(found),
        "word": used,
        "asked": word,
        "code": shown_between(asked.parts(), figure, comparison=asked.settings),
    }


def _read(tables: Tables, lab: Lab, query: Query) -> _Request:
    other = query.text("other", "")
    after = tables.lab(other) if other else _first_other(tables, lab)
    null = [tables.lab(id) for id in dict.fromkeys(query.texts("null", [""], limit=MAX_NULL)) if id]
    refits = query.integer("refits", 0 if null else REFITS, low=0, high=MAX_NULL) if lab.refit is not None else 0
    by = query.choice("by", ("", "cosine", "neighbors"))
    if len({each.table.dim for each in (lab, after, *null)}) > 1:  # rows of different widths have no cosine
        by = ""
    min_count = query.integer("min_count", MIN_COUNT, low=0, high=1_000_000)
    return _Request(lab, after, null, refits, partial(compare_tables, by=by or None, min_count=min_count))


def _first_other(tables: Tables, lab: Lab) -> Lab:
    """Return the first of `OTHERS` that is another table than the open one, installed, and shares a word with it."""
    words = lab.table.vocabulary
    for choice in OTHERS:
        if choice.id != lab.id and not (lab.id == OPENED and is_opened(choice, lab)):
            try:
                found = tables.lab(choice.id)
            except RowspaceError:  # it is not installed
                continue
            if any(word in found.table for word in words):
                return found
    titles = ", ".join(choice.title for choice in OTHERS)
    raise UsageError(
        f"none of the built-in tables ({titles}) is installed and shares a word with this table; choose another "
        "table that does"
    )


HANDLERS: Mapping[str, Callable[[Tables | None, Lab, Query], Mapping[str, object]]] = {
    "compare/tokens": tokens,
    "compare/neighbors": neighbors,
}
