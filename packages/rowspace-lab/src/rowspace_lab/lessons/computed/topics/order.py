"""The numbers of lesson 7: attention and the order of words. Those that attend need PyTorch."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from rowspace.learn.default_table import encoder_folder
from rowspace.table import Table
from rowspace_lab.lessons.computed.requirements import require_torch, require_words
from rowspace_lab.lessons.computed.tables import everyday_words, six_words
from rowspace_lab.lessons.computed.written import picked
from rowspace_lab.lessons.question import Question, choice, number, slider

__all__ = ["changed", "largest_weight", "orders", "shuffled", "spread", "synonyms"]

TEXT, ENDS_EXCHANGED = ("cat", "sat", "on", "dog"), (3, 1, 2, 0)
"""A sentence of the six words, and the order that tells the opposite story."""
OTHER_ORDERS = ((0, 1, 3, 2), (0, 3, 2, 1), (1, 0, 2, 3), (3, 2, 1, 0))
SCHEMES = (
    ("no positions", "none"),
    ("sinusoids added to the rows", "sinusoid"),
    ("rotary positions", "rotary"),
)
SIZES = (256, 16, 1024, 4, 64)
DRAWS, KEYS = 2000, 16
"""As on the Order page."""
HEAD = 1


def orders() -> Mapping[str, float]:
    """Return what exchanging cat and dog changes: with nothing else, with positions added, and with a causal mask."""
    require_torch()
    from rowspace_lab.lessons.computed.figures import order as figures

    attend = partial(figures.exchanged_figure, six_words(), words=TEXT, order=ENDS_EXCHANGED, seed=0)
    plain, added, causal = (
        attend(scheme=scheme, causal=mask) for scheme, mask in (("none", False), ("sinusoid", False), ("none", True))
    )
    return {
        "plain": plain["difference"],
        "in_place": plain["in_place"],
        "mean": plain["mean_difference"],
        "added": added["difference"],
        "causal": causal["difference"],
    }


def spread() -> Mapping[str, float]:
    """Return the variance of q·k and the largest of 16 weights with and without the root, for a few d_k."""
    require_torch()
    from rowspace_lab.pages.order.saturation import saturation_figure

    found = saturation_figure(seed=0, draws=DRAWS, keys=KEYS)
    numbers = {"keys": float(KEYS), "draws": float(DRAWS)}
    for at, size in enumerate(found["sizes"].tolist()):
        numbers |= {
            f"size_{size}": size,
            f"variance_{size}": float(found["variances"][at]),
            f"plain_{size}": float(found["plain"][at]),
            f"divided_{size}": float(found["divided"][at]),
        }
    return numbers


def synonyms() -> Mapping[str, Any]:
    """Return the words that cosine and a head's q·k rank first for dog, on everyday words."""
    require_torch()
    from rowspace_lab.lessons.computed.figures import order as figures

    table = everyday_words()
    return figures.two_lists_figure(table, path=str(encoder_folder()), head=HEAD, word="dog", k=10)


def shuffled(table: Table, seed: int) -> Question:
    """Ask how far the outputs of attention move when the words are shuffled and the outputs sorted back."""
    require_torch()
    require_words(table, *TEXT)
    from rowspace_lab.lessons.computed.figures import order as figures

    positions, scheme = picked(seed, SCHEMES)
    options = ["not at all, up to rounding", "by less than a tenth of the largest output", "by more than that"]
    answer = partial(figures.moved_figure, words=TEXT, order=ENDS_EXCHANGED, scheme=scheme, causal=False, seed=seed)
    named = {"text": " ".join(TEXT), "other": _reordered(ENDS_EXCHANGED), "positions": positions}
    return choice(options, answer, **named, scheme=scheme, seed=seed)


def changed(table: Table, seed: int) -> Question:
    """Ask how many outputs change with a causal mask when words change places."""
    require_torch()
    require_words(table, *TEXT)
    from rowspace_lab.lessons.computed.figures import order as figures

    order = picked(seed, (ENDS_EXCHANGED, *OTHER_ORDERS))
    answer = partial(figures.changed_figure, words=TEXT, order=order, seed=seed)
    named: dict[str, Any] = {"text": " ".join(TEXT), "other": _reordered(order), "count": len(TEXT), "seed": seed}
    return number(answer, order=",".join(map(str, order)), **named)


def largest_weight(table: Table, seed: int) -> Question:
    """Ask for the largest softmax weight of scores that are not divided by √d_k."""
    require_torch()
    from rowspace_lab.lessons.computed.figures import order as figures

    size = picked(seed, SIZES)
    answer = partial(figures.largest_weight_figure, size=size, seed=0, draws=DRAWS, keys=KEYS)
    return slider((0, 1, 0.01), answer, size=f"{size:,}", d_k=size, keys=KEYS, draws=f"{DRAWS:,}", tolerance=0.07)


def _reordered(order: tuple[int, ...]) -> str:
    return " ".join(np.array(TEXT)[list(order)])
