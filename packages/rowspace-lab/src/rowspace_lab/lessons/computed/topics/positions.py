"""The numbers of lesson 8: sinusoids, rotary positions and their lengths. The questions need PyTorch."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.table import Table
from rowspace_lab.lessons.computed.requirements import require_torch
from rowspace_lab.lessons.computed.tables import small_world
from rowspace_lab.lessons.computed.written import picked
from rowspace_lab.lessons.question import Question, choice, number
from rowspace_lab.pages.training.variants import BASE as BASE_RUN

__all__ = [
    "full_turns",
    "heat_map",
    "larger",
    "learned",
    "parameters",
    "rotary",
    "rotated",
    "sinusoid",
    "unfinished",
    "windows",
]

TIMES = 4
"""The longest windows that small models read, in trained lengths."""
BERT, GPT2 = (512, 768), (1024, 768)
"""The numbers of positions and of dimensions, as in the cited values."""
DIM, WIDE = 8, 512
BASE = 10_000.0
PRODUCTS = (
    (8, (5, 8), (10, 13)),
    (16, (2, 9), (40, 47)),
    (8, (0, 2), (30, 36)),
    (16, (7, 2), (100, 105)),
    (8, (4, 16), (9, 11)),
)
"""The dimension, and two pairs of positions."""
TABLES = (BERT, GPT2, (2048, 1024), (197, 768))
LENGTHS = (128, 1000, 40, 10_000, 500)


def learned() -> Mapping[str, int]:
    """Return the parameters of two learned tables, and the first position that the smaller one has no row for."""
    return {"length": BERT[0], "next": BERT[0] + 1, "bert": BERT[0] * BERT[1], "gpt2": GPT2[0] * GPT2[1]}


def sinusoid() -> Mapping[str, Any]:
    """Return the row of position 1, wavelengths, the norm, and products of rows of equal offset."""
    rows = _rows(14, DIM)
    wide = 2 * np.pi / _frequencies(WIDE)
    names = ("first", "second", "third", "fourth")
    return {
        "dim": DIM,
        "row": ", ".join(f"{value:.2f}" for value in rows[1]),
        **dict(zip(names, 2 * np.pi / _frequencies(DIM), strict=True)),
        "norm": float(np.linalg.norm(rows[1])),
        "product": float(rows[5] @ rows[8]),
        "later": float(rows[10] @ rows[13]),
        "wide": WIDE,
        "shortest": float(wide[0]),
        "longest": float(wide[-1]),
    }


def unfinished() -> Mapping[str, int]:
    """Return how many rotary pairs turn less than full circle within the trained length, as on the Order page."""
    dim, trained = 64, 512
    turned = _frequencies(dim) * (trained - 1)
    return {"dim": dim, "trained": trained, "pairs": dim // 2, "count": int((turned < 2 * np.pi).sum())}


def windows() -> Mapping[str, int]:
    """Return the trained length of the small models that read longer texts, and the longest one that they read."""
    return {"trained": BASE_RUN["context"], "longest": TIMES * BASE_RUN["context"]}


def rotary() -> Mapping[str, float]:
    """Return rotary scores of rows of Small world: one pair of words at one offset twice, and another pair."""
    cat, dog, house = small_world()[["cat", "dog", "house"]].astype(float)
    return {
        "here": float(_turned_halves(cat, 5) @ _turned_halves(dog, 8)),
        "later": float(_turned_halves(cat, 10) @ _turned_halves(dog, 13)),
        "other": float(_turned_halves(cat, 5) @ _turned_halves(house, 8)),
    }


def heat_map() -> Mapping[str, float]:
    """Return the size of the heat map of the exercise, and how far it is from `SinusoidPosition`."""
    require_torch()
    import torch

    from rowspace.layers import SinusoidPosition

    rows = _rows(100, 64)
    difference = float(np.abs(rows - SinusoidPosition(64)(torch.zeros(100)).numpy()).max())
    return {"positions": 100, "dim": 64, "difference": difference}


def rotated() -> Mapping[str, float]:
    """Return the scores of the exercise: the same q and k at one offset twice, and at another offset."""
    q, k = np.random.default_rng(0).normal(size=(2, 8))
    return {
        "here": float(_turned_pairs(q, 5) @ _turned_pairs(k, 8)),
        "later": float(_turned_pairs(q, 10) @ _turned_pairs(k, 13)),
        "other": float(_turned_pairs(q, 5) @ _turned_pairs(k, 9)),
    }


def larger(table: Table, seed: int) -> Question:
    """Ask which of two products of sinusoids is larger."""
    require_torch()
    from rowspace_lab.lessons.computed.figures.positions import products_figure

    dim, first, second = picked(seed, PRODUCTS)
    named = [f"PE({p}) · PE({q})" for p, q in (first, second)]
    answer = partial(products_figure, dim=dim, first=first, second=second)
    place = {"position": first[0], "delta": first[1] - first[0]}
    return choice([*named, "they are equal"], answer, dim=dim, one=named[0], other=named[1], **place)


def parameters(table: Table, seed: int) -> Question:
    """Ask for the number of parameters of a learned position table."""
    require_torch()
    from rowspace_lab.lessons.computed.figures.positions import parameters_figure

    length, dim = picked(seed, TABLES)
    answer = partial(parameters_figure, length=length, dim=dim)
    return number(answer, relative=True, tolerance=0.005, length=f"{length:,}", dim=f"{dim:,}")


def full_turns(table: Table, seed: int) -> Question:
    """Ask how many hands of a sinusoid go full circle within a text."""
    require_torch()
    from rowspace_lab.lessons.computed.figures.positions import full_turns_figure

    length = picked(seed, LENGTHS)
    answer = partial(full_turns_figure, dim=DIM, length=length)
    return number(answer, dim=DIM, hands=DIM // 2, length=f"{length:,}", n=length)


def _frequencies(dim: int) -> NDArray[np.float64]:
    """Return ω of each pair, (d / 2,)."""
    return BASE ** (-np.arange(0, dim, 2) / dim)


def _rows(count: int, dim: int) -> NDArray[np.float64]:
    """Return PE of the first positions, (count, d): sine and cosine in turn."""
    angles = np.outer(np.arange(count), _frequencies(dim))
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(count, dim)


def _turned_pairs(row: NDArray[np.float64], position: int) -> NDArray[np.float64]:
    """Turn the pairs of numbers (0, 1), (2, 3), ... of a row by its position."""
    turned = (row[::2] + 1j * row[1::2]) * np.exp(1j * position * _frequencies(len(row)))
    return np.stack([turned.real, turned.imag], axis=1).ravel()


def _turned_halves(row: NDArray[np.float64], position: int) -> NDArray[np.float64]:
    """Turn the pairs of numbers (0, d/2), (1, d/2 + 1), ... of a row by its position."""
    first, second = np.split(row, 2)
    turned = (first + 1j * second) * np.exp(1j * position * _frequencies(len(row)))
    return np.concatenate([turned.real, turned.imag])
