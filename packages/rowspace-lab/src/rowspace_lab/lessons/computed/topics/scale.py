"""The numbers of lesson 9: norms of rows and positions, and the first loss."""

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from rowspace.errors import MissingExtraError, UsageError
from rowspace.learn.default_table import encoder_folder
from rowspace.table import Table
from rowspace_lab.lessons.computed.written import picked, vector_text
from rowspace_lab.lessons.question import Question, choice, number, slider
from rowspace_lab.page import needs_torch

__all__ = ["alike", "checkpoint", "first_loss", "long_rows", "louder", "recipes", "small", "unknowing", "wide"]

DIM = 512
LONG = 2.8
"""The norm of rows that are long before they are scaled."""
SPREADS = {"one": 1.0, "root": DIM**-0.5, "small": 0.02}
"""The standard deviations of initial rows that the lesson compares."""
MODELS = ("transformer", "bert", "gpt2", "llama", "gemma", "t5")
POSITIONS = {
    "sinusoid": "sinusoids, added",
    "learned": "learned, added",
    "rotary": "rotate queries and keys",
    "relative": "a bias of attention scores",
}


@needs_torch
def small() -> Mapping[str, Any]:
    """Return the row of four numbers, a position, and their sum at two scales, written as vectors."""
    from rowspace_lab.lessons.computed.figures.scale import small_sum

    once, twice = small_sum(scale=1.0), small_sum(scale=2.0)
    written = {"row": vector_text(once["row"], 1), "place": vector_text(once["place"])}
    return {
        **written,
        "square": once["norm"] ** 2,
        "norm": once["norm"],
        "place_norm": once["place_norm"],
        "once": {**once, "sum": vector_text(once["sum"])},
        "twice": {**twice, "sum": vector_text(twice["sum"])},
    }


@needs_torch
def wide() -> Mapping[str, float]:
    """Return the norms of drawn rows and sinusoids of 512 numbers, and how alike their sums are."""
    from rowspace_lab.lessons.computed.figures.scale import alike_figure, norms

    found, root = norms(dim=DIM), math.sqrt(DIM)
    before, after = (alike_figure(dim=DIM, scale=scale) for scale in (1.0, root))
    return {
        **found,
        "dim": DIM,
        "root": root,
        "balance": math.sqrt(DIM / 2),
        "before": found["position"] / found["row"],
        "after": root * found["row"] / found["position"],
        "alike": before["answer"],
        "alike_scaled": after["answer"],
        "places": before["places"],
        "places_scaled": after["places"],
    }


@needs_torch
def long_rows() -> Mapping[str, float]:
    """Return by how much rows of norm 2.8, multiplied by √d, are longer than a sinusoid."""
    from rowspace_lab.lessons.computed.figures.scale import norms

    scaled = LONG * math.sqrt(DIM)
    return {"norm": LONG, "scaled": scaled, "ratio": scaled / norms(dim=DIM)["position"]}


@needs_torch
def first_loss() -> Mapping[str, float]:
    """Return the loss before the first step for rows of three standard deviations, and that of blind guessing."""
    from rowspace_lab.lessons.computed.figures.scale import blind_figure, mean_losses
    from rowspace_lab.pages.input.first_logits import VOCABULARY

    losses = mean_losses(vocabulary=VOCABULARY, dim=DIM, spreads=tuple(SPREADS.values()))
    return {
        **dict(zip(SPREADS, losses, strict=True)),
        "blind": blind_figure(vocabulary=VOCABULARY),
        "vocabulary": VOCABULARY,
        "spread": SPREADS["small"],
        "logits": math.sqrt(DIM),
    }


@needs_torch
def recipes() -> Mapping[str, Mapping[str, str]]:
    """Return how models scale their rows, and what they do with positions, read from the modules of this package."""
    from rowspace_lab.pages.input.scale_figures import recipe_scale

    found = {name: recipe_scale(name) for name in MODELS}
    return {
        name: {
            "scale": "√d" if recipe["scaled"] else "none",
            "positions": POSITIONS[recipe["positions"]],
        }
        for name, recipe in found.items()
    }


@needs_torch
def checkpoint() -> Mapping[str, Any]:
    """Return the mean norms of the three tables of Everyday words, and the angle of tokens and positions."""
    from rowspace_lab.pages.input.own import own_tables_figure

    try:
        path = str(encoder_folder())
    except MissingExtraError as error:
        raise UsageError(str(error)) from error
    found = own_tables_figure(path=path)
    tables = {table["name"]: table for table in found["tables"]}
    shapes = {f"{name}_shape": f"{table['rows']:,} × {found['width']}" for name, table in tables.items()}
    norms = {str(name): table["mean_norm"] for name, table in tables.items()}
    ratio = norms["tokens"] / norms["positions"]
    return {**shapes, **norms, "ratio": ratio, "cosine": found["cosine"], "chance": found["chance"]}


@needs_torch
def louder(table: Table, seed: int) -> Question:
    """Ask for the norms of position and row before and after a multiplication by √d."""
    from rowspace_lab.lessons.computed.figures.scale import louder_figure

    dim = picked(seed, (DIM, 128, 2048, 1024, 256))
    ratio, root = math.sqrt(dim / 2), math.sqrt(dim)
    pairs = [(ratio, 1 / math.sqrt(2)), (ratio, 1.0), (1.0, 1 / root), (1 / ratio, math.sqrt(2))]
    offered = tuple(pairs[index] for index in np.random.default_rng(seed).permutation(len(pairs)))
    options = [f"{_ratio_text(before)}, then {_ratio_text(after)}" for before, after in offered]
    figure = partial(louder_figure, dim=dim, offered=offered)
    return choice(options, figure, dim=f"{dim:,}", d=dim, root=root, balance=ratio)


@needs_torch
def alike(table: Table, seed: int) -> Question:
    """Ask how alike different tokens at one position are after the position is added."""
    from rowspace_lab.lessons.computed.figures.scale import alike_figure

    cases = ((DIM, 1.0), (DIM, 8.0), (DIM, math.sqrt(DIM)), (128, 1.0), (128, 16.0))
    dim, scale = picked(seed, cases)
    figure = partial(alike_figure, dim=dim, scale=scale)
    return slider((0.0, 1.0, 0.01), figure, tolerance=0.03, dim=dim, scale=scale)


@needs_torch
def unknowing(table: Table, seed: int) -> Question:
    """Ask for the loss of a model that has learned nothing."""
    from rowspace_lab.lessons.computed.figures.scale import blind_figure
    from rowspace_lab.pages.input.first_logits import VOCABULARY

    vocabulary = picked(seed, (VOCABULARY, 256, 50_257, 2000, 128_256))
    return number(partial(blind_figure, vocabulary=vocabulary), tolerance=0.1, vocabulary=f"{vocabulary:,}")


def _ratio_text(ratio: float) -> str:
    """Return a ratio of position to token.

    >>> _ratio_text(16.0), _ratio_text(0.7071)
    ('16 : 1', '1 : 1.41')
    """
    return f"{ratio:.3g} : 1" if ratio >= 1 else f"1 : {1 / ratio:.3g}"
