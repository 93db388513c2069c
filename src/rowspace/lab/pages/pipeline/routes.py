"""The routes of the Pipeline page: text → tokens → ids → rows → rows + positions = X, and gradients of the rows.

`layers/tables/reference.py` implements the lookup in plain NumPy, `layers/tables/lookup.py` for training.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

import numpy as np

from rowspace.errors import MissingExtraError, UsageError
from rowspace.lab.lab import Lab
from rowspace.lab.page import Answer
from rowspace.lab.pages.pipeline import figures
from rowspace.lab.pages.pipeline.replies import BackwardReply, ForwardReply, MatrixReply
from rowspace.lab.server.query import Query
from rowspace.lab.shared.figure import shown
from rowspace.lab.shared.position_kinds import KINDS, check_width, default_kind
from rowspace.lab.shared.sentence import read_sentence

__all__ = ["ROUTES"]

_LARGEST = 100.0
_POSITIONS: tuple[Literal["sinusoid", "learned", "none"], ...] = (*KINDS, "none")
_UPSTREAM: tuple[Literal["ones", "rows"], ...] = ("ones", "rows")


def forward(lab: Lab, query: Query) -> ForwardReply:
    """Return the ids of `text`, their rows, and the product of the one-hot matrix and the table."""
    sentence, figure = read_sentence(lab, query), partial(figures.forward_figure)
    code = shown(lab, figure, ids=sentence.call)
    return {**figure(lab.table, sentence.ids), **sentence.fields, "code": code}


def matrix(lab: Lab, query: Query) -> MatrixReply:
    """Return the rows of the positions of `text`, by `position`, and X = rows + positions."""
    sentence, dim = read_sentence(lab, query), lab.table.dim
    kind = query.choice("position", _POSITIONS, default_kind(dim))
    positions = partial(figures.no_positions, count=len(sentence.ids), width=dim)
    if kind != "none":
        check_width(dim)
        from rowspace.lab.shared.position_modules import position_rows

        positions = partial(position_rows, kind=kind, count=len(sentence.ids), width=dim)
    figure = partial(figures.matrix_figure)
    code = shown(lab, figure, ids=sentence.call, positions=positions)
    return {**figure(lab.table, sentence.ids, positions()), **sentence.fields, "position": kind, "code": code}


@np.errstate(invalid="ignore", over="ignore")  # non-finite rows have non-finite gradients
def backward(lab: Lab, query: Query) -> BackwardReply:
    """Return the gradient of the rows for `text`, by `upstream` and `g`, a number for each token.

    `checks` compare it with the gradient computed in other ways.
    """
    sentence = read_sentence(lab, query)
    g, kind = _numbers(query, len(sentence.ids)), query.choice("upstream", _UPSTREAM)
    others: partial[dict[str, figures.Array]] = partial(figures.one_hot_gradient)
    missing = None
    try:
        from rowspace.lab.pages.pipeline.gradients import other_gradients

        others = partial(other_gradients)
    except MissingExtraError as error:
        missing = str(error)
    upstream = partial(figures.upstream_rows, g=g, kind=kind)
    figure: partial[Any] = partial(figures.backward_figure)
    rows = upstream(lab.table, sentence.ids)
    return {
        **figures.backward_figure(lab.table, sentence.ids, rows, others(sentence.ids, rows)),
        **sentence.fields,
        "g": np.array(g, np.float32),
        "kind": kind,
        "missing": missing,
        "code": shown(lab, figure, ids=sentence.call, upstream=upstream, others=others),
    }


def _numbers(query: Query, count: int) -> list[float]:
    """Return a number for each token: those of the query, and the token's 1-based index for tokens without one."""
    numbers = query.numbers("g", [1.0], most=64)
    if (largest := max(numbers, key=abs)) and abs(largest) > _LARGEST:
        raise UsageError(f"g must be numbers from -{_LARGEST:g} to {_LARGEST:g}, not {largest:g}")
    return [*numbers, *map(float, range(len(numbers) + 1, count + 1))][:count]


ROUTES: Mapping[str, Answer] = {
    "pipeline/forward": forward,
    "pipeline/matrix": matrix,
    "pipeline/backward": backward,
}
