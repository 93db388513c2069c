"""The route of the Positions page that compares rotary scalings for longer texts."""

from collections.abc import Mapping
from functools import partial

from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler, needs_torch
from rowspace_lab.pages.positions.replies import ScalingsReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown

__all__ = ["ROUTES"]

_SCALINGS = ["none", "linear", "dynamic", "yarn", "longrope", "llama3"]


@needs_torch
def scaling(lab: Lab, query: Query) -> ScalingsReply:
    """Compare six scalings by `pairs` per head, `base`, `original` length, `factor` and `length`.

    `long` are LongRoPE's long factors; by default they are those of NTK-aware scaling.
    """
    from rowspace_lab.pages.positions.figures import ntk_divisors, scalings_figure

    dim = 2 * query.integer("pairs", 64, low=2, high=128)
    base = query.number("base", 10000.0, low=2, high=1e9)
    original = query.integer("original", 4096, low=16, high=131072)
    factor = query.number("factor", 8.0, low=1, high=64)
    length = query.integer("length", min(round(original * factor), 2**20), low=2, high=2**20)
    divisors = partial(ntk_divisors, factor=factor, pairs=dim // 2)
    long = query.numbers("long", divisors(), limit=dim // 2)
    if len(long) != dim // 2 or min(long) <= 0:
        raise UsageError(f"long must be {dim // 2} positive numbers, one for each pair of {dim}, not {len(long)}")
    figure = partial(scalings_figure, dim=dim, base=base, original=original, factor=factor, length=length, long=long)
    return {
        **figure(),
        "scalings": _SCALINGS,
        "dim": dim,
        "base": base,
        "original": original,
        "factor": factor,
        "length": length,
        "long": long,
        "code": shown(lab, figure, **({"long": divisors} if long == divisors() else {})),
    }


ROUTES: Mapping[str, Handler] = {"positions/scaling": scaling}
