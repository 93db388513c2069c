"""The figures of lesson 9, which need PyTorch. Rows, positions and norms are those of the Input page."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from rowspace_lab.pages.input.first_logits import first_losses, unit_logits
from rowspace_lab.pages.input.scale_figures import cosine, drawn_rows, example_rows, mean_cosine, norm_of, place_rows

PLACES = 64
STATES = 1024  # hidden vectors whose losses are averaged


def small_sum(*, scale: float) -> dict[str, Any]:
    """Add the position 1 to a scaled row of four numbers."""
    row, place = example_rows()[0], place_rows("sinusoid", count=2, dim=4)[1]
    total = scale * row + place
    return {
        "row": row.tolist(),
        "place": place.tolist(),
        "sum": total.tolist(),
        "norm": float(row.norm()),
        "place_norm": float(place.norm()),
        "cosine_row": cosine(total, row),
        "cosine_place": cosine(total, place),
    }


def norms(*, dim: int) -> dict[str, float]:
    """Return the mean norm of 1,000 rows drawn from N(0, 1/d), and that of 64 sinusoids."""
    return {"row": norm_of(drawn_rows(dim=dim)), "position": norm_of(place_rows("sinusoid", count=PLACES, dim=dim))}


def louder_figure(*, dim: int, offered: Sequence[tuple[float, float]]) -> Mapping[str, float]:
    """Measure position : row before and after a multiplication of the rows by √d; return the nearest offered pair."""
    found = norms(dim=dim)
    before = found["position"] / found["row"]
    after = before / dim**0.5
    distances = [abs(before / first - 1) + abs(after / second - 1) for first, second in offered]
    return {"answer": distances.index(min(distances)), "before": before, "token": 1 / after}


def alike_figure(*, dim: int, scale: float) -> Mapping[str, float]:
    """Return the mean cosine of different tokens at position 0, and of one token at two of 64 positions."""
    rows, places = drawn_rows(dim=dim), place_rows("sinusoid", count=PLACES, dim=dim)
    tokens = mean_cosine(scale * rows[:200] + places[0])
    positions = mean_cosine(scale * rows[:16, None] + places)
    return {"answer": tokens or 0.0, "places": positions or 0.0}


def mean_losses(*, vocabulary: int, dim: int, spreads: Sequence[float]) -> list[float]:
    """Return the loss of a tied head before the first step, for rows drawn with each standard deviation."""
    logits = unit_logits(vocabulary=vocabulary, dim=dim, states=STATES)
    return [float(first_losses(logits, std=spread).mean()) for spread in spreads]


def blind_figure(*, vocabulary: int) -> float:
    """Return the loss of a model that gives all tokens the same logit."""
    return float(torch.nn.functional.cross_entropy(torch.zeros(1, vocabulary, dtype=torch.float64), torch.tensor([0])))
