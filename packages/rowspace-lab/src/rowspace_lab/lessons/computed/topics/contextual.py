"""The numbers of the lesson on static and contextual vectors. They need PyTorch and the encoder of everyday words."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from rowspace.errors import MissingExtraError, UsageError
from rowspace.learn.default_table import encoder_folder
from rowspace.table import Table
from rowspace_lab.lessons.computed.written import picked
from rowspace_lab.lessons.question import Question, choice, slider
from rowspace_lab.page import needs_torch
from rowspace_lab.pages.contextual.routes import SENSES, WORD

__all__ = ["bank", "exercise", "nearest_use", "order", "two_texts", "uses"]

TEXTS = tuple(SENSES)
LAYERS = (6, 3, 1, 2)
PLACES = ((0, (5, 4, 1)), (4, (0, 1, 3)), (5, (0, 4, 2)))
"""A text, and those that the reader chooses the nearest use from."""
PAIRS = (
    ("dog", "the dog bites the man", "the man bites the dog"),
    ("bank", "the river bank was steep", "the bank raised its rates"),
    ("on", "a cat sleeps on the mat", "a kitten lies on the rug"),
    ("the", "she plays the piano", "the stock market fell"),
)
"""A word, and two texts that have it."""


@needs_torch
def bank() -> Mapping[str, Mapping[str, float]]:
    """Return mean cosines of *bank* in layers: of uses with one meaning and with two, with the row, and by chance."""
    from rowspace_lab.lessons.computed.figures.contextual import cosines_of_uses

    found = cosines_of_uses(folder=_folder(), texts=TEXTS, word=WORD)
    senses = np.array([SENSES[text] for text in TEXTS])
    same = (senses[:, None] == senses) & ~np.eye(len(TEXTS), dtype=bool)
    different = senses[:, None] != senses
    layers = {}
    for name, at in (("input", 0), ("last", -1)):
        between = found["between"][at]
        layers[name] = {
            "same": float(between[same].mean()),
            "different": float(between[different].mean()),
            "row": float(found["to_row"][at].mean()),
            "chance": float(found["chance"][at]),
        }
    nearest = (found["between"][-1] - 2 * np.eye(len(TEXTS))).argmax(1)
    layers["last"]["right"] = int((senses[nearest] == senses).sum())
    return {**layers, "size": {"layers": len(found["own"]) - 1, "texts": len(TEXTS)}}


@needs_torch
def order() -> Mapping[str, float]:
    """Return the cosines of two texts with the same words in another order."""
    from rowspace_lab.lessons.computed.figures.contextual import two_texts_figure

    _, one, other = PAIRS[0]
    found = two_texts_figure(folder=_folder(), one=one, other=other)
    return {"rows": found["rows"], "pooled": found["answer"]}


def exercise() -> Mapping[str, int]:
    """Return the vectors that a model of some layers makes for a text, and what is left of them after pooling."""
    tokens, layers, dim = 20, 6, 384
    return {"tokens": tokens, "layers": layers, "dim": dim, "all": tokens * layers * dim, "pooled": dim}


@needs_torch
def uses(table: Table, seed: int) -> Question:
    """Ask for the mean cosine of two uses of a word in a layer."""
    from rowspace_lab.lessons.computed.figures.contextual import uses_figure

    layer = picked(seed, LAYERS)
    figure = partial(uses_figure, folder=_folder(), texts=TEXTS, word=WORD, layer=layer)
    return slider((0.0, 1.0, 0.01), figure, tolerance=0.08, layer=layer, count=len(TEXTS))


@needs_torch
def nearest_use(table: Table, seed: int) -> Question:
    """Ask which text uses the word with the nearest vector."""
    from rowspace_lab.lessons.computed.figures.contextual import nearest_use_figure

    place, others = picked(seed, PLACES)
    figure = partial(nearest_use_figure, folder=_folder(), texts=TEXTS, word=WORD, place=place, others=others)
    return choice([TEXTS[other] for other in others], figure, text=TEXTS[place])


@needs_torch
def two_texts(table: Table, seed: int) -> Question:
    """Ask for the cosine of two pooled vectors."""
    from rowspace_lab.lessons.computed.figures.contextual import two_texts_figure

    word, one, other = picked(seed, PAIRS)
    figure = partial(two_texts_figure, folder=_folder(), one=one, other=other)
    return slider((-1.0, 1.0, 0.01), figure, tolerance=0.1, word=word, one=one, other=other)


def _folder() -> str:
    try:
        return str(encoder_folder())
    except MissingExtraError as error:
        raise UsageError(str(error)) from error
