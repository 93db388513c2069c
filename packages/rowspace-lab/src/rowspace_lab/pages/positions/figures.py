"""The figures of the Positions page. They need PyTorch."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rowspace.layers import (
    Alibi,
    DynamicScaling,
    LearnedPosition,
    LinearScaling,
    Llama3Scaling,
    LongRopeScaling,
    PositionScheme,
    RelativeBias,
    RotaryPosition,
    RotaryScaling,
    SinusoidPosition,
    YarnScaling,
    alibi_slopes,
    distant_scores,
    from_checkpoint,
    relative_buckets,
    relative_scores,
)
from rowspace.table import Table
from rowspace_lab.pages.positions.replies import PositionRows, Scalings, Scores


def learned_position(*, length: int, dim: int, seed: int, path: str) -> LearnedPosition:
    """Return learned positions: the first rows and columns of a checkpoint's table, else untrained ones of a seed."""
    learned = LearnedPosition(length, dim)
    if path:
        own: Any = from_checkpoint(path).positions
        with torch.no_grad():
            learned.weight.copy_(own.weight[own.offset :][:length, :dim])
    else:
        learned.reset_parameters(torch.Generator().manual_seed(seed))
    return learned


def rows_figure(*, length: int, dim: int, base: float, seed: int, path: str) -> PositionRows:
    """Compute the rows of sinusoids, of a learned table, and of vectors of ones after rotation."""
    ids = torch.zeros(length)  # only the shape matters
    learned = learned_position(length=length, dim=dim, seed=seed, path=path)
    ones = torch.ones(1, length, dim)  # one head, and the same query at every position
    return {
        "sinusoid_interleaved": SinusoidPosition(dim, base=base)(ids).numpy(),
        "sinusoid_concatenated": SinusoidPosition(dim, base=base, layout="concatenated")(ids).numpy(),
        "learned": learned.weight.detach().numpy(),
        "rotary_half": RotaryPosition(dim, base=base)(ones, ones)[0][0].numpy(),
        "rotary_interleaved": RotaryPosition(dim, base=base, layout="interleaved")(ones, ones)[0][0].numpy(),
    }


def make_schemes(
    added: LearnedPosition, *, dim: int, base: float, seed: int, heads: int, causal: bool
) -> tuple[PositionScheme, ...]:
    """Create five position schemes, one of them given; T5's bias is untrained, initialized from the seed."""
    bias = RelativeBias(heads, bidirectional=not causal)
    bias.reset_parameters(torch.Generator().manual_seed(seed))
    alibi, rotary = Alibi(heads, symmetric=not causal), RotaryPosition(dim, base=base)
    return SinusoidPosition(dim, base=base), added, rotary, alibi, bias


def unit_contents(*, heads: int, dim: int) -> list[tuple[Tensor, Tensor]]:
    """Return a query and key for each scheme: constant unit vectors for rotary, which rotates them, else zeros."""
    zeros, unit = torch.zeros(heads, dim), torch.full((heads, dim), dim**-0.5)
    return [(zeros, zeros), (zeros, zeros), (unit, unit), (zeros, zeros), (zeros, zeros)]


def token_contents(table: Table, *, query: str, key: str, heads: int, dim: int) -> list[tuple[Tensor, Tensor]]:
    """Return the rows of two tokens as query and key for each scheme, the same in every head."""
    rows = [torch.tensor(table[token][:dim]).expand(heads, -1) for token in (query, key)]
    return [(rows[0], rows[1])] * 5


def scores_figure(
    schemes: Sequence[PositionScheme],
    contents: Sequence[tuple[Tensor, Tensor]],
    *,
    length: int,
    heads: int,
    head: int,
    causal: bool,
) -> Scores:
    """Compute the attention scores of a query and a key with each scheme."""
    pairs = zip(schemes, contents, strict=True)
    found = [relative_scores(scheme, query, key, length=length) for scheme, (query, key) in pairs]
    return {
        "offsets": found[0].offsets.numpy(),
        "scores": torch.stack([each.scores for each in found]).detach().numpy(),
        "pairs": torch.stack([each.pairs[head] for each in found]).detach().numpy(),
        "slopes": alibi_slopes(heads).numpy(),
        "buckets": relative_buckets(found[0].offsets, bidirectional=not causal).numpy(),
        "deviations": [each.largest_deviation for each in found],
        "parameters": [sum(parameter.numel() for parameter in scheme.parameters()) for scheme in schemes],
    }


def ntk_divisors(*, factor: float, pairs: int) -> list[float]:
    """Return the divisors of the frequencies in NTK-aware scaling: a geometric series from 1 to the factor."""
    return list(np.geomspace(1, factor, pairs).round(4).tolist())


def scalings_figure(
    *, dim: int, base: float, original: int, factor: float, length: int, long: Sequence[float]
) -> Scalings:
    """Compare rotary scalings for longer texts by wavelengths, and by scores as a function of distance."""
    scalings = (
        RotaryScaling(),
        LinearScaling(factor),
        DynamicScaling(factor, original),
        YarnScaling(factor, original),
        LongRopeScaling((1.0,) * (dim // 2), tuple(long), original, factor=factor),
        Llama3Scaling(factor, 1.0, 4.0, original),
    )
    rotaries = [RotaryPosition(dim, base=base, scaling=scaling) for scaling in scalings]
    lengths = [original * 2**octave // 4 for octave in range(8)]
    unit = torch.full((dim,), dim**-0.5)  # query and key before rotation
    distances = torch.from_numpy(np.unique(np.geomspace(1, length, 300).astype(np.int64)) - 1)
    scores = [distant_scores(rotary, unit, unit, distances, length=length) for rotary in rotaries]
    slowest = [[rotary.frequencies_at(n).min() for n in lengths] for rotary in rotaries]
    return {
        "attention_factors": [scaling.attention_factor for scaling in scalings],
        "wavelengths": (2 * math.pi / torch.stack([rotary.frequencies_at(length) for rotary in rotaries])).numpy(),
        "distances": distances.numpy(),
        "scores": torch.stack(scores).numpy(),
        "lengths": np.array(lengths),
        "slowest": (2 * math.pi / torch.tensor(slowest)).numpy(),
    }
