"""The figures of the lesson on static and contextual vectors, with the encoder of everyday words. They need PyTorch."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from rowspace.encode import Encoder
from rowspace_lab.pages.contextual.figures import layers_figure, open_encoder, read_texts


@cache
def cosines_of_uses(*, folder: str, texts: tuple[str, ...], word: str) -> Mapping[str, Any]:
    """Return the cosines of a word's uses with each other and with its row, and of random tokens, for each layer."""
    found = layers_figure(read_texts(open_encoder(folder=folder), texts=texts), word=word)
    return {name: np.asarray(found[name]) for name in ("between", "to_row", "own", "chance")}


def uses_figure(*, folder: str, texts: tuple[str, ...], word: str, layer: int) -> Mapping[str, float]:
    """Return the mean cosine of two uses of a word in a layer, and of two random tokens."""
    found = cosines_of_uses(folder=folder, texts=texts, word=word)
    return {"answer": float(found["own"][layer]), "chance": float(found["chance"][layer])}


def nearest_use_figure(
    *, folder: str, texts: tuple[str, ...], word: str, place: int, others: Sequence[int]
) -> Mapping[str, Any]:
    """Return which of other texts has the use of a word whose vector in the last layer has the largest cosine."""
    found = cosines_of_uses(folder=folder, texts=texts, word=word)["between"][-1][place]
    cosines = [float(found[other]) for other in others]
    best = int(np.argmax(cosines))
    return {"answer": best, "cosine": cosines[best], "second": sorted(cosines)[-2]}


def two_texts_figure(*, folder: str, one: str, other: str) -> Mapping[str, float]:
    """Return the cosine of two texts' pooled vectors, and that of the means of their static rows."""
    cosines = {}
    for name, encoder in (
        ("answer", Encoder.load(folder, mode="contextual")),
        ("rows", Encoder.load(folder, mode="rowspace")),
    ):
        first, second = (vector / np.linalg.norm(vector) for vector in encoder.encode([one, other]))
        cosines[name] = float(first @ second)
    return cosines
