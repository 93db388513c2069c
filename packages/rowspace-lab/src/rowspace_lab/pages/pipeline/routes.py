"""The routes of the Pipeline page: text → tokens → ids → rows → rows + positions = X, and gradients of the rows.

`layers/tables/reference.py` implements the lookup in plain NumPy, `layers/tables/lookup.py` for training.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from rowspace.errors import MissingExtraError, UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler, needs_torch
from rowspace_lab.pages.pipeline import figures
from rowspace_lab.pages.pipeline.distances import distances_figure
from rowspace_lab.pages.pipeline.replies import (
    BackwardReply,
    ForwardReply,
    MatrixReply,
    NearestReply,
    Recipe,
    TableCellsReply,
    TiedGradientReply,
    TokenDistancesReply,
)
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown
from rowspace_lab.shared.position_kinds import check_width
from rowspace_lab.shared.sentence import known_sentence, read_sentence

__all__ = ["ROUTES", "gradient_numbers"]

RECIPES: tuple[Recipe, ...] = get_args(Recipe)
_LEARNED = ("gpt2", "bert")  # recipes with position tables, which no table of words comes with
_WIDTH = 64  # columns of the picture of the table
_NAMED = 40  # rows of a table that are named in its picture
_MAX_COMPARED = 8  # tokens
_MAX_GRADIENT = 100.0
_MAX_GRADIENT_SIZE = 1 << 25  # numbers
_RANGES = 400
_UPSTREAM: tuple[Literal["ones", "rows"], ...] = ("ones", "rows")


def forward(lab: Lab, query: Query) -> ForwardReply:
    """Return the ids of `text`, their rows, and the product of the one-hot matrix and the table."""
    sentence, figure = read_sentence(lab, query), partial(figures.forward_figure)
    code = shown(lab, figure, ids=sentence.call)
    return {**figure(lab.table, sentence.ids), **sentence.fields, "code": code}


def cells(lab: Lab, query: Query) -> TableCellsReply:
    """Return the whole table as a picture of at most `height` rows."""
    figure = partial(figures.cells_figure, height=query.integer("height", 240, low=1, high=600), width=_WIDTH)
    names = list(lab.table.vocabulary) if len(lab.table) <= _NAMED else []
    return {**figure(lab.table), "names": names, "code": shown(lab, figure)}


def distances(lab: Lab, query: Query) -> TokenDistancesReply:
    """Return the distances of the tokens of `text` by id, one-hot and row, after renumbering the ids with `seed`."""
    sentence, seed = read_sentence(lab, query), query.integer("seed", 0, low=0, high=2**31 - 1)
    figure = partial(distances_figure, seed=seed, limit=_MAX_COMPARED)
    code = shown(lab, figure, ids=sentence.call)
    return {**figure(lab.table, sentence.ids), **sentence.fields, "seed": seed, "code": code}


@needs_torch
@np.errstate(invalid="ignore", over="ignore")  # non-finite rows
def matrix(lab: Lab, query: Query) -> MatrixReply:
    """Return X, the input of the first layer for `text`, and its parts, as `recipe` scales and adds them."""
    from rowspace_lab.pages.pipeline.inputs import make_recipe, matrix_figure

    sentence, name = read_sentence(lab, query), _recipe(lab, query)
    made = partial(make_recipe, recipe=name)
    embed, figure = made(lab.table, sentence.ids), partial(matrix_figure)
    return {
        **figure(lab.table, sentence.ids, embed),
        **sentence.fields,
        "recipe": name,
        "recipes": list(RECIPES),
        "normalized": embed.norm is not None,
        "untrained": name in _LEARNED,
        "code": shown(lab, figure, ids=sentence.call, embed=made),
    }


def nearest(lab: Lab, query: Query) -> NearestReply:
    """Return the `k` tokens of the table that are nearest to each token of `text` by cosine, other than itself."""
    sentence = read_sentence(lab, query)
    figure = partial(figures.nearest_figure, k=query.integer("k", 3, low=1, high=20))
    code = shown(lab, figure, ids=sentence.call)
    return {**figure(lab.table, sentence.ids), **sentence.fields, "code": code}


def _recipe(lab: Lab, query: Query) -> Recipe:
    """Return the recipe of X, by default that of the Transformer, or GPT-2's for rows of odd width."""
    name = query.choice("recipe", RECIPES, "gpt2" if lab.table.dim % 2 else "transformer")
    check_width(lab.table.dim)
    return name


@needs_torch
@np.errstate(invalid="ignore", over="ignore")  # non-finite rows
def tied(lab: Lab, query: Query) -> TiedGradientReply:
    """Return which rows get a gradient if each token of `text` predicts the next one, without and with tied weights."""
    from rowspace_lab.pages.pipeline.gradients import tied_figure

    if lab.table.rows.size > _MAX_GRADIENT_SIZE:
        raise UsageError(
            f"the gradient of this table has {lab.table.rows.size:,} numbers, more than the {_MAX_GRADIENT_SIZE:,} "
            "that this page computes at once; open a smaller table"
        )
    sentence, figure = known_sentence(lab, query), partial(tied_figure, limit=_RANGES)
    code = shown(lab, figure, ids=sentence.call)
    return {**figure(lab.table, sentence.ids), **sentence.fields, "code": code}


@np.errstate(invalid="ignore", over="ignore")  # non-finite rows have non-finite gradients
def backward(lab: Lab, query: Query) -> BackwardReply:
    """Return the gradient of the rows for `text`, by `upstream` and `g`, a number for each token.

    `checks` compare it with the gradient computed in other ways.
    """
    sentence = read_sentence(lab, query)
    g, kind = gradient_numbers(query, len(sentence.ids)), query.choice("upstream", _UPSTREAM)
    others: partial[dict[str, figures.Array]] = partial(figures.one_hot_gradient)
    missing = None
    try:
        from rowspace_lab.pages.pipeline.gradients import other_gradients

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


def gradient_numbers(query: Query, count: int) -> list[float]:
    """Return g for each token, how large its gradient is: those of the query, and for others the 1-based index."""
    numbers = query.numbers("g", [1.0], limit=64)
    if (largest := max(numbers, key=abs)) and abs(largest) > _MAX_GRADIENT:
        raise UsageError(f"g must be numbers from -{_MAX_GRADIENT:g} to {_MAX_GRADIENT:g}, not {largest:g}")
    return [*numbers, *map(float, range(len(numbers) + 1, count + 1))][:count]


ROUTES: Mapping[str, Handler] = {
    "pipeline/forward": forward,
    "pipeline/cells": cells,
    "pipeline/distances": distances,
    "pipeline/matrix": matrix,
    "pipeline/nearest": nearest,
    "pipeline/backward": backward,
    "pipeline/tied": tied,
}
