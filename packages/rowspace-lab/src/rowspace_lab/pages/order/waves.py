"""The figures of the Order page about sinusoids and longer texts. They need PyTorch."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from rowspace.layers import (
    CATALOGUE,
    Alibi,
    LearnedPosition,
    RelativeBias,
    RotaryPosition,
    SinusoidPosition,
    distant_scores,
    rotate,
)
from rowspace_lab.pages.order.replies import Lengths, SchemeUsers, Waves


def sinusoid_rows(dim: int, base: float, *, positions: Sequence[int]) -> Tensor:
    """Return PE of the positions, (n, d): sin(p ω) and cos(p ω) of each pair, interleaved."""
    rows: Tensor = SinusoidPosition(dim, base=base)(torch.zeros(1, len(positions)), positions=torch.tensor(positions))
    return rows.reshape(len(positions), dim).double()


def waves_figure(*, dim: int, base: float, length: int, position: int, delta: int, dimension: int) -> Waves:
    """Compute one dimension of a sinusoid over all positions, and PE(p + δ) as a rotation of PE(p)."""
    frequencies = base ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    first, second = sinusoid_rows(dim, base, positions=[position, position + delta])
    angles = frequencies * delta  # sine before cosine: the pair turns clockwise
    turned = rotate(first, angles.cos(), -angles.sin(), layout="interleaved")
    rows = sinusoid_rows(dim, base, positions=range(length))
    periods = 2 * math.pi / frequencies
    return {
        "rows": rows.numpy(),
        "wave": rows[:, dimension].numpy(),
        "here": first.numpy(),
        "there": second.numpy(),
        "turned": turned.numpy(),
        "angles": angles.numpy(),
        "periods": periods.numpy(),
        "difference": float((turned - second).abs().max()),
        "product": float(first @ second),
        "norm": float(first.norm()),
        "full_turns": int((periods <= length).sum()),
    }


def unfinished_pairs(frequencies: Tensor, *, trained: int) -> int:
    """Return the number of pairs that turn less than full circle within the trained length: the rest is new to them."""
    return int((frequencies * (trained - 1) < 2 * math.pi).sum())


def lengths_figure(*, dim: int, trained: int, heads: int, seed: int) -> Lengths:
    """Compute the score of a key by its distance, up to four times the trained length, and each scheme's parameters."""
    distances = torch.arange(0, 4 * trained, max(1, trained // 64))
    rotary, rows = RotaryPosition(dim), sinusoid_rows(dim, 10000.0, positions=distances.tolist())
    unit = torch.full((dim,), dim**-0.5)
    bias, learned = RelativeBias(heads, bidirectional=False), LearnedPosition(trained, dim)
    for drawn in (bias, learned):
        drawn.reset_parameters(torch.Generator().manual_seed(seed))
    known, table = distances[distances < trained], learned.weight.detach().double()
    scores = torch.full((5, len(distances)), math.nan, dtype=torch.float64)
    with torch.no_grad():
        scores[0] = rows @ rows[0] / (dim / 2)
        scores[1, : len(known)] = table[known] @ table[0] / table[0].square().sum()
        scores[2] = distant_scores(rotary, unit, unit, distances, length=4 * trained)
        scores[3] = Alibi(heads)(torch.zeros(1), -distances)[0, 0]
        scores[4] = bias(torch.zeros(1, dtype=torch.int64), -distances)[0, 0]
    schemes = (SinusoidPosition(dim), learned, rotary, Alibi(heads), bias)
    return {
        "distances": distances.numpy(),
        "scores": scores.numpy(),
        "unfinished": unfinished_pairs(rotary.frequencies_at(trained), trained=trained),
        "parameters": [sum(each.numel() for each in scheme.parameters()) for scheme in schemes],
        "users": scheme_users(),
    }


def scheme_users() -> list[SchemeUsers]:
    """Return the number of models of the catalogue with each position scheme, and one model of each paper."""
    users: dict[str, SchemeUsers] = {}
    papers: set[str] = set()
    for name, model in CATALOGUE.items():
        user = users.setdefault(model.position_scheme, {"scheme": model.position_scheme, "count": 0, "models": []})
        user["count"] += 1
        if model.paper not in papers:
            user["models"].append(name)
        papers.add(model.paper)
    return list(users.values())
