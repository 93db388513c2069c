"""The route of the Adapting page. The figure has its own small model, whatever table is open."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler, needs_torch
from rowspace_lab.pages.adapting.replies import Adapted, AdaptedReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown

__all__ = ["MAX_RANK", "MAX_SENTENCES", "NEW", "OLD", "RANK", "ROUTES"]

OLD, NEW = "king", "tsar"
MAX_SENTENCES = 12
MAX_RANK = 8
RANK = 2


@needs_torch
def ways(lab: Lab, query: Query) -> AdaptedReply:
    """Return what four ways to adapt do with `sentences` sentences that have a new word."""
    from rowspace_lab.pages.adapting import figures

    sentences = query.integer("sentences", MAX_SENTENCES, low=1, high=MAX_SENTENCES)
    rank = query.integer("rank", RANK, low=1, high=MAX_RANK)
    start: partial[Any] = partial(figures.pretrain, old=OLD, new=NEW)
    figure: partial[Any] = partial(figures.adapted_figure, sentences=sentences, rank=rank)
    pretrained = lab.cached("adapting", start)
    found: Adapted = lab.cached(f"adapting {sentences} {rank}", lambda: figure(pretrained))
    code = shown(lab, figure, start=start)
    return {**found, "sentences": sentences, "rank": rank, "old": OLD, "new": NEW, "code": code}


ROUTES: Mapping[str, Handler] = {"adapting/ways": ways}
