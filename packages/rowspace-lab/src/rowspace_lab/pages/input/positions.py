"""The route of the Input page that adds positions to rows, or concatenates them."""

from functools import partial

from rowspace_lab.lab import Lab
from rowspace_lab.page import needs_torch
from rowspace_lab.pages.input.replies import ConcatenatedReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown
from rowspace_lab.shared.position_kinds import KINDS, MAX_POSITION_DIM, check_width, default_kind
from rowspace_lab.shared.sentence import known_sentence

__all__ = ["concatenation"]


@needs_torch
def concatenation(lab: Lab, query: Query) -> ConcatenatedReply:
    """Return positions added to the rows of `text`, positions of `width` concatenated with them, and the costs."""
    from rowspace_lab.pages.input.figures import concatenated_figure

    sentence, dim = known_sentence(lab, query), lab.table.dim
    kind = query.choice("position", KINDS, default_kind(dim))
    width = query.integer("width", min(16, dim), low=1, high=MAX_POSITION_DIM)
    check_width(dim)
    figure = partial(concatenated_figure, position=kind, width=width)
    found, code = figure(lab.table, sentence.ids), shown(lab, figure, ids=sentence.call)
    return {**found, **sentence.fields, "position": kind, "width": width, "code": code}
