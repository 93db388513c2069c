"""The Positions page: what each scheme puts at a position, and what it does to the score of two tokens."""

from collections.abc import Mapping
from functools import partial

from rowspace.errors import UsageError
from rowspace.lab.lab import Lab
from rowspace.lab.page import Answer, needs_torch
from rowspace.lab.pages.positions.replies import PositionRowsReply, ScoresReply
from rowspace.lab.server.query import Query
from rowspace.lab.shared.figure import shown

__all__ = ["ROUTES"]

_SCHEMES = ["sinusoid", "learned", "rotary", "alibi", "t5"]


@needs_torch
def rows(lab: Lab, query: Query) -> PositionRowsReply:
    """`length`, `dim`, `base`, `seed` → five maps of position by dimension."""
    from rowspace.lab.pages.positions.figures import rows_figure

    length, dim, base, seed = _sizes(query)
    figure = partial(rows_figure, length=length, dim=dim, base=base, seed=seed)
    return {**figure(), "length": length, "dim": dim, "base": base, "seed": seed, "code": shown(lab, figure)}


@needs_torch
def scores(lab: Lab, query: Query) -> ScoresReply:
    """The sizes of `rows`, `heads`, `head`, `causal`, two tokens `query` and `key` → scores of each scheme.

    Without tokens, scores depend on positions alone.
    """
    from rowspace.lab.pages.positions.figures import make_schemes, scores_figure, token_contents, unit_contents

    length, dim, base, seed = _sizes(query)
    heads = query.integer("heads", 8, low=1, high=16)
    head = query.integer("head", 0, low=0, high=heads - 1)
    causal = query.flag("causal", False)
    contents = partial(unit_contents, heads=heads, dim=dim)
    if token := query.text("query", ""):
        key = query.text("key", token)
        dim = min(dim, lab.table.dim // 2 * 2)
        if not dim:
            raise UsageError("a row of one number has no pair for a rotation to turn; leave query and key empty")
        contents = partial(token_contents, lab.table, query=token, key=key, heads=heads, dim=dim)
    schemes = partial(make_schemes, length=length, dim=dim, base=base, seed=seed, heads=heads, causal=causal)
    figure = partial(scores_figure, length=length, heads=heads, head=head, causal=causal)
    return {
        **figure(schemes(), contents()),
        "schemes": _SCHEMES,
        "length": length,
        "dim": dim,
        "heads": heads,
        "head": head,
        "causal": causal,
        "code": shown(lab, figure, schemes=schemes, contents=contents),
    }


def _sizes(query: Query) -> tuple[int, int, float, int]:
    """Positions, an even dimension, the base of the frequencies, and the seed of what is learned."""
    length = query.integer("length", 64, low=2, high=256)
    dim = query.integer("dim", 64, low=2, high=256)
    if dim % 2:
        raise UsageError(f"dim is {dim}, but sines and cosines come in pairs; make it {dim - 1} or {dim + 1}")
    base = query.number("base", 10000.0, low=2, high=1e9)
    return length, dim, base, query.integer("seed", 0, low=0, high=2**31 - 1)


ROUTES: Mapping[str, Answer] = {"positions/rows": rows, "positions/scores": scores}
