"""The routes of the Order page about sinusoids, and about position schemes beyond their trained length."""

from collections.abc import Mapping
from functools import partial

from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler, needs_torch
from rowspace_lab.pages.order.replies import LengthsReply, WavesReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown

__all__ = ["ROUTES"]

MAX_DIM = 512


@needs_torch
def waves(lab: Lab, query: Query) -> WavesReply:
    """Return a sinusoid of `dim` and `base` over `length` positions, and its rotation from `position` by `delta`."""
    from rowspace_lab.pages.order.waves import waves_figure

    dim = _even(query, "dim", 8)
    base = query.number("base", 10000.0, low=2, high=1e9)
    length = query.integer("length", 128, low=2, high=1024)
    position = query.integer("position", 5, low=0, high=1024)
    delta = query.integer("delta", 3, low=-1024, high=1024)
    dimension = min(query.integer("dimension", 2, low=0, high=MAX_DIM - 1), dim - 1)
    sizes = partial(waves_figure, dim=dim, base=base, length=length)
    figure = partial(sizes, position=position, delta=delta, dimension=dimension)
    return {
        **figure(),
        "dim": dim,
        "base": base,
        "length": length,
        "position": position,
        "delta": delta,
        "dimension": dimension,
        "code": shown(lab, figure),
    }


@needs_torch
def lengths(lab: Lab, query: Query) -> LengthsReply:
    """Return the scores of five schemes by distance, up to four times the `trained` length."""
    from rowspace_lab.pages.order.waves import lengths_figure

    dim = _even(query, "dim", 64)
    trained = query.integer("trained", 512, low=4, high=4096)
    heads = query.integer("heads", 8, low=1, high=16)
    seed = query.integer("seed", 0, low=0, high=2**31 - 1)
    figure = partial(lengths_figure, dim=dim, trained=trained, heads=heads, seed=seed)
    return {
        **figure(),
        "dim": dim,
        "trained": trained,
        "heads": heads,
        "seed": seed,
        "code": shown(lab, figure),
    }


def _even(query: Query, name: str, default: int) -> int:
    dim = query.integer(name, default, low=2, high=MAX_DIM)
    if dim % 2:
        raise UsageError(f"{name} must be even, not {dim}, since sines and cosines come in pairs; use {dim + 1}")
    return dim


ROUTES: Mapping[str, Handler] = {"order/waves": waves, "order/lengths": lengths}
