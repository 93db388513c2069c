"""The routes of the Input page about the scale of rows: next to positions, in known models, and before training."""

from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rowspace_lab.lab import Lab
from rowspace_lab.page import needs_torch
from rowspace_lab.pages.input.replies import InitialReply, NormsReply, RecipesReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown
from rowspace_lab.shared.position_kinds import KINDS, MAX_POSITION_DIM, POSITIONS, check_width, default_kind
from rowspace_lab.shared.sentence import known_sentence

__all__ = ["RECIPES", "initial", "recipes", "scale"]

# The recipes of `rowspace.layers` that take text.
RECIPES = (
    *("bert", "roberta", "albert", "modernbert", "gpt2", "opt", "clip_text", "siglip_text"),
    *("transformer", "gemma", "llama", "mistral", "qwen", "t5", "bloom", "mpt"),
)
_ROWS: tuple[Literal["table", "drawn", "example"], ...] = ("table", "drawn", "example")
_EXAMPLE_DIM = 4
_MAX_INITIAL_DIM = 2048


@needs_torch
def scale(lab: Lab, query: Query) -> NormsReply:
    """Return the norms of rows times `scale`, and of the position `start`; and whether their sums are alike.

    `rows` is "table", of which the token `at` of `text` is shown; "drawn" for 1,000 rows drawn from N(0, 1/d) with
    d = `dim`; or "example", a row of 4 numbers.
    """
    from rowspace_lab.pages.input import scale_figures

    sentence = known_sentence(lab, query)
    source = query.choice("rows", _ROWS)
    dims = {
        "table": lab.table.dim,
        "drawn": query.integer("dim", 512, low=1, high=MAX_POSITION_DIM),
        "example": _EXAMPLE_DIM,
    }
    dim = dims[source]
    kind = query.choice("position", KINDS, default_kind(dim))
    start = query.integer("start", 0, low=0, high=POSITIONS - 1)
    factor = query.number("scale", 1.0, low=0.0, high=max(200.0, 2 * float(np.sqrt(dim))))
    at = min(query.integer("at", 0, low=0, high=63), len(sentence.ids) - 1)
    check_width(dim)
    calls = _calls(lab, source, sentence.ids, dim, at)
    rows = lab.cached(("rows to scale", source, dim), lambda: calls["rows"](*_table(lab, source)))
    row = calls["row"](lab.table, sentence.ids) if source == "table" else calls["row"](rows)
    norm = calls["token_norm"](lab.table if source == "table" else rows)
    curve = partial(scale_figures.alike_curve, position=kind, start=start)
    alike = lab.cached(("alike", source, dim, kind, start), lambda: curve(rows))
    figure = partial(scale_figures.norms_figure, position=kind, start=start, scale=factor)
    ids = {"ids": sentence.call} if source == "table" else {}
    return {
        **figure(rows, row, norm, alike),
        **sentence.fields,
        "norms": lab.table.norms[sentence.ids],
        "rows": source,
        "position": kind,
        "dim": dim,
        "start": start,
        "scale": factor,
        "at": at,
        "code": shown(lab, figure, **ids, **calls, curve=curve),
    }


def _table(lab: Lab, source: str) -> tuple[Any, ...]:
    return (lab.table,) if source == "table" else ()


def _calls(lab: Lab, source: str, ids: NDArray[np.int64], dim: int, at: int) -> "dict[str, partial[Any]]":
    """Return the calls that compute the rows, the row shown, and the mean norm."""
    from rowspace_lab.pages.input import scale_figures

    if source == "table":
        row = partial(scale_figures.text_row, at=at)
        return {"rows": partial(scale_figures.table_rows), "row": row, "token_norm": partial(scale_figures.mean_norm)}
    rows = partial(scale_figures.drawn_rows, dim=dim) if source == "drawn" else partial(scale_figures.example_rows)
    return {"rows": rows, "row": partial(scale_figures.first_row), "token_norm": partial(scale_figures.norm_of)}


@needs_torch
def recipes(lab: Lab, query: Query) -> RecipesReply:
    """Return which recipes scale their token rows, and what they do with positions."""
    from rowspace_lab.pages.input.scale_figures import recipes_figure

    figure = partial(recipes_figure, names=RECIPES)
    return {**lab.cached("scales of recipes", figure), "code": shown(lab, figure)}


@needs_torch
def initial(lab: Lab, query: Query) -> InitialReply:
    """Return the first logits and the first loss of 10,000 rows of `dim` numbers with standard deviation `std`."""
    from rowspace_lab.pages.input import first_logits

    dim = query.integer("dim", 512, low=1, high=_MAX_INITIAL_DIM)
    std = query.number("std", 1.0, low=0.0, high=10.0)
    draw = partial(first_logits.unit_logits, vocabulary=first_logits.VOCABULARY, dim=dim, states=first_logits.STATES)
    logits = lab.cached(("first logits", dim), draw)
    curve = partial(first_logits.loss_curve)
    losses = lab.cached(("first losses", dim), lambda: curve(logits))
    figure = partial(first_logits.initial_figure, std=std, dim=dim)
    return {
        **figure(logits, losses),
        "vocabulary": first_logits.VOCABULARY,
        "states": first_logits.STATES,
        "dim": dim,
        "code": shown(lab, figure, logits=draw, curve=curve),
    }
