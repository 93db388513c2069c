"""The routes of the Input page that add or concatenate positions, and compare the norms of rows and positions."""

from functools import partial
from typing import Any, Literal

import numpy as np

from rowspace.lab.lab import Lab
from rowspace.lab.page import needs_torch
from rowspace.lab.pages.input.replies import ConcatenatedReply, NormsReply
from rowspace.lab.server.query import Query
from rowspace.lab.shared.figure import shown
from rowspace.lab.shared.position_kinds import KINDS, POSITIONS, WIDEST, check_width, default_kind
from rowspace.lab.shared.sentence import known_sentence

__all__ = ["concatenation", "scale"]

_ROWS: tuple[Literal["table", "drawn"], ...] = ("table", "drawn")


@needs_torch
def concatenation(lab: Lab, query: Query) -> ConcatenatedReply:
    """Return positions added to the rows of `text`, positions of `width` concatenated with them, and the costs."""
    from rowspace.lab.pages.input.figures import concatenated_figure

    sentence, dim = known_sentence(lab, query), lab.table.dim
    kind = query.choice("position", KINDS, default_kind(dim))
    width = query.integer("width", min(16, dim), low=1, high=WIDEST)
    check_width(dim)
    figure = partial(concatenated_figure, position=kind, width=width)
    found, code = figure(lab.table, sentence.ids), shown(lab, figure, ids=sentence.call)
    return {**found, **sentence.fields, "position": kind, "width": width, "code": code}


@needs_torch
def scale(lab: Lab, query: Query) -> NormsReply:
    """Return the norms of rows times `scale`, and the norm of a `position`.

    `rows` is "table", or "drawn" for 1,000 rows drawn from N(0, 1/d) with d = `dim`.
    """
    from rowspace.lab.pages.input.figures import drawn_norm, mean_norm, norms_figure

    sentence = known_sentence(lab, query)
    source = query.choice("rows", _ROWS)
    dim = query.integer("dim", 512, low=1, high=WIDEST) if source == "drawn" else lab.table.dim
    kind = query.choice("position", KINDS, default_kind(dim))
    start = query.integer("start", 0, low=0, high=POSITIONS - 1)
    factor = query.number("scale", 1.0, low=0.0, high=max(200.0, 2 * float(np.sqrt(dim))))
    check_width(dim)
    norm: partial[Any] = partial(mean_norm, lab.table) if source == "table" else partial(drawn_norm, dim=dim)
    figure = partial(norms_figure, position=kind, dim=dim, start=start, scale=factor)
    return {
        **figure(lab.table, sentence.ids, norm()),
        **sentence.fields,
        "rows": source,
        "position": kind,
        "dim": dim,
        "start": start,
        "scale": factor,
        "code": shown(lab, figure, ids=sentence.call, token_norm=norm),
    }
