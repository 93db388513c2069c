"""The route of the Input page about the standard deviation of initial rows."""

from functools import partial

from rowspace_lab.lab import Lab
from rowspace_lab.page import needs_torch
from rowspace_lab.pages.input.replies import InitialReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown

__all__ = ["initial"]

_MAX_DIM = 2048


@needs_torch
def initial(lab: Lab, query: Query) -> InitialReply:
    """Return the first logits and the first loss of 10,000 rows of `dim` numbers with standard deviation `std`."""
    from rowspace_lab.pages.input import first_logits

    dim = query.integer("dim", 512, low=1, high=_MAX_DIM)
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
