"""The routes of the Positions page that compare the rows and attention scores of position schemes."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from rowspace.errors import RowspaceError, UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler, needs_torch
from rowspace_lab.pages.positions.replies import PositionRowsReply, ScoresReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.checkpoint_folder import checkpoint_folder, model_type
from rowspace_lab.shared.figure import shown

__all__ = ["ROUTES"]

_SCHEMES = ["sinusoid", "learned", "rotary", "alibi", "t5"]


@needs_torch
def rows(lab: Lab, query: Query) -> PositionRowsReply:
    """Return the rows of five schemes, by `length`, `dim`, `base` and `seed`."""
    from rowspace_lab.pages.positions.figures import rows_figure

    length, dim, base, seed = _sizes(query)
    path = own_positions(lab, length=length, dim=dim)
    figure = partial(rows_figure, length=length, dim=dim, base=base, seed=seed, path=path)
    return {
        **figure(),
        "length": length,
        "dim": dim,
        "base": base,
        "seed": seed,
        "model": model_type(path) if path else "",
        "code": shown(lab, figure),
    }


@needs_torch
def scores(lab: Lab, query: Query) -> ScoresReply:
    """Return the attention scores of each scheme for two tokens, `query` and `key`.

    The other parameters are those of `rows`, `heads`, `head` and `causal`. Without tokens, the scores depend only on
    positions.
    """
    from rowspace_lab.pages.positions import figures

    length, dim, base, seed = _sizes(query)
    heads = query.integer("heads", 8, low=1, high=16)
    head = query.integer("head", 0, low=0, high=heads - 1)
    causal = query.flag("causal", False)
    contents = partial(figures.unit_contents, heads=heads, dim=dim)
    if token := query.text("query", ""):
        key = query.text("key", token)
        dim = min(dim, lab.table.dim // 2 * 2)
        if not dim:
            raise UsageError("rows of one number cannot be rotated, which needs pairs; leave query and key empty")
        contents = partial(figures.token_contents, lab.table, query=token, key=key, heads=heads, dim=dim)
    path = own_positions(lab, length=length, dim=dim)
    added = partial(figures.learned_position, length=length, dim=dim, seed=seed, path=path)
    schemes = partial(figures.make_schemes, dim=dim, base=base, seed=seed, heads=heads, causal=causal)
    figure = partial(figures.scores_figure, length=length, heads=heads, head=head, causal=causal)
    return {
        **figure(schemes(added()), contents()),
        "schemes": _SCHEMES,
        "length": length,
        "dim": dim,
        "heads": heads,
        "head": head,
        "causal": causal,
        "model": model_type(path) if path else "",
        "code": shown(lab, figure, added=added, schemes=schemes, contents=contents),
    }


def own_positions(lab: Lab, *, length: int, dim: int) -> str:
    """Return the folder of the opened checkpoint if it has learned rows for so many positions and numbers, else ""."""
    path, rows, width = lab.cached("learned positions", lambda: _own_size(lab))
    return path if length <= rows and dim <= width else ""


def _own_size(lab: Lab) -> tuple[str, int, int]:
    """Return the folder of the checkpoint, and the size of its table of positions; ("", 0, 0) without one."""
    from rowspace.layers import from_checkpoint

    path = checkpoint_folder(lab)
    if path is None:
        return "", 0, 0
    try:
        positions: Any = getattr(from_checkpoint(path), "positions", None)
    except RowspaceError:
        return "", 0, 0
    if not hasattr(positions, "weight"):
        return "", 0, 0
    return path, len(positions.weight) - positions.offset, positions.weight.shape[1]


def _sizes(query: Query) -> tuple[int, int, float, int]:
    """Return the number of positions, the even dimension, the base of the frequencies, and the seed."""
    length = query.integer("length", 64, low=2, high=256)
    dim = query.integer("dim", 64, low=2, high=256)
    if dim % 2:
        raise UsageError(
            f"dim must be even, not {dim}, since sines and cosines come in pairs; use {dim - 1} or {dim + 1}"
        )
    base = query.number("base", 10000.0, low=2, high=1e9)
    return length, dim, base, query.integer("seed", 0, low=0, high=2**31 - 1)


ROUTES: Mapping[str, Handler] = {"positions/rows": rows, "positions/scores": scores}
