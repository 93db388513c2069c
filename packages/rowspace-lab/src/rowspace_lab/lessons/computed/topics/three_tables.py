"""The numbers of the lesson on BERT's three tables, LayerNorm and dropout. They need PyTorch."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from rowspace.learn.default_table import encoder_folder
from rowspace.table import Table
from rowspace_lab.lessons.computed.requirements import require_words
from rowspace_lab.lessons.computed.tables import small_world
from rowspace_lab.lessons.computed.written import picked
from rowspace_lab.lessons.question import Question, number
from rowspace_lab.page import needs_torch

__all__ = ["again", "bert", "changed", "exercise", "joined", "kept", "length", "own", "times"]

TEXT = "the cat sleeps the dog sat"
CHANGES = (
    ({"start": 0, "second": 3}, {"start": 0, "second": 2}, "the second text begins one token earlier"),
    ({"start": 0, "second": 3}, {"start": 1, "second": 3}, "all tokens move by one position"),
    ({"start": 0, "second": 4}, {"start": 0, "second": 1}, "the second text begins three tokens earlier"),
    ({"start": 0, "second": 2}, {"start": 0, "second": 6}, "the second text is joined to the first"),
)
"""Where the first token and the second text are, before and after, and what has changed."""
KEPT = ((0.36, 0.1), (0.4, 0.2), (0.3, 0.5), (0.6, 0.25))
"""A number, and the probability of dropout."""
DRAWS = 10_000


@needs_torch
def bert() -> Mapping[str, int]:
    """Return the sizes of BERT's three tables, and of a concatenation of three rows."""
    from rowspace_lab.lessons.computed.figures.three_tables import sizes_of_bert

    return sizes_of_bert()


@needs_torch
def own() -> Mapping[str, float]:
    """Return the mean norms of the tables of the encoder of everyday words, and the angle between two of them."""
    from rowspace_lab.pages.input.own import own_tables_figure

    found = own_tables_figure(path=str(encoder_folder()))
    norms: dict[str, float] = {table["name"]: table["mean_norm"] for table in found["tables"]}
    return {**norms, "cosine": found["cosine"] or 0.0, "chance": found["chance"], "dim": found["width"]}


@needs_torch
def again() -> Mapping[str, float]:
    """Return how often a token and a position are the nearest rows of their tables to a sum of three rows."""
    from rowspace_lab.lessons.computed.figures.three_tables import found_again

    return found_again(path=str(encoder_folder()))


@needs_torch
def times() -> Mapping[str, float]:
    """Return what a factor of ten changes after LayerNorm."""
    from rowspace_lab.lessons.computed.figures.three_tables import times_ten

    return {"difference": times_ten(dim=16), "factor": 10}


@needs_torch
def joined() -> Mapping[str, float]:
    """Return the difference between a sum and a concatenation that is multiplied by stacked identities."""
    from rowspace_lab.lessons.computed.figures.three_tables import apart_from_concatenation

    return apart_from_concatenation(small_world())


def exercise() -> Mapping[str, int]:
    """Return the tokens of two texts with one special token before and one after each, and the last position."""
    first, second = 5, 7
    tokens = 1 + first + 1 + second + 1
    return {"first": first, "second": second, "tokens": tokens, "last": tokens - 1, "zeros": first + 2}


@needs_torch
def changed(table: Table, seed: int) -> Question:
    """Ask how many vectors of a sentence change with positions or segments."""
    from rowspace_lab.lessons.computed.figures.three_tables import changed_figure

    words = TEXT.split()
    require_words(table, *words)
    before, after, change = picked(seed, CHANGES)
    figure = partial(changed_figure, words=words, before=before, after=after)
    named: dict[str, Any] = {"text": TEXT, "count": len(words), "change": change, **after}
    return number(figure, begins=words[before["second"]], place=before["second"], **named)


@needs_torch
def length(table: Table, seed: int) -> Question:
    """Ask for the norm of a vector after a new LayerNorm."""
    from rowspace_lab.lessons.computed.figures.three_tables import length_figure

    dim = picked(seed, (16, 64, 256, 400, 900))
    return number(partial(length_figure, dim=dim), tolerance=0.1, dim=dim)


@needs_torch
def kept(table: Table, seed: int) -> Question:
    """Ask what a number becomes that dropout keeps."""
    from rowspace_lab.lessons.computed.figures.three_tables import kept_figure

    value, p = picked(seed, KEPT)
    figure = partial(kept_figure, number=value, p=p, draws=DRAWS)
    return number(figure, tolerance=0.005, value=value, p=p, draws=f"{DRAWS:,}", percent=round(100 * p))
