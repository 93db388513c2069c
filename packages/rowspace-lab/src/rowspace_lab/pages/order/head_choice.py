"""Which head the Order page computes with: that of an opened checkpoint, or one drawn at random."""

from functools import partial
from typing import Any

from rowspace.errors import RowspaceError
from rowspace_lab.lab import Lab
from rowspace_lab.pages.order.replies import HeadFields, HeadSource
from rowspace_lab.server.query import Query
from rowspace_lab.shared.checkpoint_folder import checkpoint_folder, model_type

__all__ = ["choose_head"]

MAX_HEADS = 1024


def choose_head(lab: Lab, query: Query) -> tuple[dict[str, Any], "partial[dict[str, Any]]", HeadFields]:
    """Return a head by `source`, `head`, `head_dim` and `seed`, the call that makes it, and the fields of the reply."""
    from rowspace_lab.pages.order.heads import checkpoint_head, drawn_head

    path, count = lab.cached("checkpoint heads", lambda: _checkpoint(lab))
    sources: tuple[HeadSource, ...] = ("checkpoint", "drawn") if path else ("drawn",)
    source = query.choice("source", sources)
    seed = query.integer("seed", 0, low=0, high=2**31 - 1)
    size = query.integer("head_dim", min(64, max(2, lab.table.dim // 2 * 2)), low=1, high=256)
    number = query.integer("head", 0, low=0, high=MAX_HEADS)
    call: partial[dict[str, Any]] = partial(drawn_head, head_dim=size, seed=seed)
    heads = 1
    if source == "checkpoint":
        heads, number = count, min(number, count - 1)
        call = partial(checkpoint_head, path=path, head=number)
    head = lab.cached(("head of attention", source, number, size, seed), lambda: call(lab.table))
    fields: HeadFields = {
        "source": source,
        "sources": list(sources),
        "model": model_type(path) if source == "checkpoint" else "",
        "head": number if source == "checkpoint" else 0,
        "heads": heads,
        "head_dim": len(head["query"]),
        "seed": seed,
    }
    return head, call, fields


def _checkpoint(lab: Lab) -> tuple[str, int]:
    """Return the folder of the checkpoint and its number of heads; ("", 0) if no head of it can be read."""
    from rowspace_lab.pages.order.heads import head_count

    path = checkpoint_folder(lab)
    if path is None:
        return "", 0
    try:
        return path, head_count(lab.table, path=path)
    except RowspaceError:
        return "", 0
