"""The numbers of the lesson on using and adapting rows. They need PyTorch."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from rowspace.table import Table
from rowspace_lab.lessons.computed.written import picked
from rowspace_lab.lessons.question import Question, choice, number
from rowspace_lab.page import needs_torch

__all__ = ["default", "exercise", "extreme", "few", "learned", "merged", "ways", "which_ways"]

SENTENCES, FEW, RANK = 12, 4, 2
WAYS = ("free", "frozen", "LoRA", "new rows only")
MOVES = (
    ("old", False, 12, "leave all old rows exactly as they were"),
    ("new", True, 12, "move the row of “tsar”"),
    ("old", True, 4, "move old rows"),
)
"""Old or new rows, whether they are to move, the number of sentences, and the question."""
SIZES = ((109, 16, 4), (30_522, 768, 8), (50_257, 768, 16), (109, 16, 1))
"""Rows, dimensions, and ranks of LoRA."""
EXTREMES = (
    ("old", True, 12, "the highest loss on the old sentences afterwards, so that it has forgotten most"),
    ("held out", True, 12, "the highest loss on held-out sentences with “tsar”"),
    ("held out", False, 4, "the lowest loss on held-out sentences with “tsar”"),
)
"""A loss, whether the largest is asked for, the number of sentences, and the question."""


@needs_torch
def ways() -> Mapping[str, Any]:
    """Return what each way does with twelve sentences."""
    from rowspace_lab.lessons.computed.figures.adapting import four_ways

    return four_ways(sentences=SENTENCES, rank=RANK)


@needs_torch
def few() -> Mapping[str, Any]:
    """Return what each way does with few sentences."""
    from rowspace_lab.lessons.computed.figures.adapting import four_ways

    return {**four_ways(sentences=FEW, rank=RANK), "sentences": FEW}


@needs_torch
def default() -> bool:
    """Return `requires_grad` of rows from `from_pretrained`."""
    from rowspace_lab.lessons.computed.figures.adapting import default_frozen

    return default_frozen()


@needs_torch
def merged() -> Mapping[str, float]:
    """Return what merging changes."""
    from rowspace_lab.lessons.computed.figures.adapting import merged_difference

    return {"difference": merged_difference(rank=RANK)}


@needs_torch
def exercise() -> Mapping[str, int]:
    """Return the numbers that learn in a table that gets new tokens: all, by LoRA, and only the new ones."""
    from rowspace_lab.lessons.computed.figures.adapting import learned_figure

    rows, dim, rank, new = 30_522, 768, 8, 100
    found = learned_figure(rows=rows + new, dim=dim, rank=rank)
    sizes = {"rows": rows, "dim": dim, "rank": rank, "new": new}
    return {**sizes, "free": (rows + new) * dim, "lora": found["answer"], "only": new * dim}


@needs_torch
def which_ways(table: Table, seed: int) -> Question:
    """Ask how many of the four ways move old or new rows."""
    from rowspace_lab.lessons.computed.figures.adapting import which_ways_figure

    rows, moved, sentences, asked = picked(seed, MOVES)
    figure = partial(which_ways_figure, rows=rows, sentences=sentences, rank=RANK, moved=moved)
    return number(figure, asked=asked, sentences=sentences)


@needs_torch
def learned(table: Table, seed: int) -> Question:
    """Ask how many numbers of a LoRA table learn."""
    from rowspace_lab.lessons.computed.figures.adapting import learned_figure

    rows, dim, rank = picked(seed, SIZES)
    named: dict[str, Any] = {"rows": f"{rows:,}", "dim": dim, "rank": rank}
    return number(partial(learned_figure, rows=rows, dim=dim, rank=rank), **named)


@needs_torch
def extreme(table: Table, seed: int) -> Question:
    """Ask which way has the highest or lowest loss."""
    from rowspace_lab.lessons.computed.figures.adapting import extreme_figure

    measure, largest, sentences, asked = picked(seed, EXTREMES)
    name = "old" if measure == "old" else "new"
    figure = partial(extreme_figure, measure=name, largest=largest, sentences=sentences, rank=RANK)
    return choice(WAYS, figure, asked=asked, sentences=sentences)
