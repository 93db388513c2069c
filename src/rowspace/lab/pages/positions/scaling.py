"""Rotary frequencies scaled for longer texts, side by side: wavelengths, and scores against distance."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.lab.lab import Lab
from rowspace.lab.page import Answer, needs_torch
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply

__all__ = ["ROUTES"]

_SCALINGS = ("none", "linear", "dynamic", "yarn", "longrope", "llama3")
_IMPORTS = """\
import math

import numpy as np
import torch
from rowspace.layers import DynamicScaling, LinearScaling, Llama3Scaling, LongRopeScaling, RotaryPosition
from rowspace.layers import RotaryScaling, YarnScaling, distant_scores
"""


@needs_torch
def scaling(_: Lab, query: Query) -> Reply:
    """`dim` of a head, `base`, `original` length, `factor`, `length` → the six scalings side by side.

    At `length`: `wavelengths` (6, dim / 2) in positions, `scores` (6, n) at `distances` (n,). At each of `lengths`
    (m,): the longest wavelength, `slowest` (6, m). LongRoPE's long list is `long`, or where it is not given, NTK's.
    """
    import torch

    from rowspace.layers import (
        DynamicScaling,
        LinearScaling,
        Llama3Scaling,
        LongRopeScaling,
        RotaryPosition,
        RotaryScaling,
        YarnScaling,
        distant_scores,
    )

    dim, base, original, factor, length, long = _settings(query)
    scalings = (
        RotaryScaling(),
        LinearScaling(factor),
        DynamicScaling(factor, original),
        YarnScaling(factor, original),
        LongRopeScaling((1.0,) * (dim // 2), long, original, factor=factor),
        Llama3Scaling(factor, 1.0, 4.0, original),
    )
    rotaries = [RotaryPosition(dim, base=base, scaling=each) for each in scalings]
    distances = torch.from_numpy(_distances(length))
    lengths = [original * 2**octave // 4 for octave in range(8)]
    unit = torch.full((dim,), dim**-0.5)
    return Reply(
        {
            "scalings": _SCALINGS,
            "attention_factors": [each.attention_factor for each in scalings],
            **{"dim": dim, "base": base, "original": original, "factor": factor, "length": length},
            "long": long,
            "code": _code(dim, base, original, factor, length, long),
        },
        wavelengths=2 * math.pi / torch.stack([rotary.frequencies_at(length) for rotary in rotaries]),
        distances=distances,
        scores=torch.stack([distant_scores(rotary, unit, unit, distances, length=length) for rotary in rotaries]),
        lengths=lengths,
        slowest=2 * math.pi / torch.tensor([[rotary.frequencies_at(n).min() for n in lengths] for rotary in rotaries]),
    )


def _settings(query: Query) -> tuple[int, float, int, float, int, tuple[float, ...]]:
    """All that the figure depends on; raises `UsageError` for a list of another length than there are pairs."""
    dim = 2 * query.integer("pairs", 64, low=2, high=128)
    base = query.number("base", 10000.0, low=2, high=1e9)
    original = query.integer("original", 4096, low=16, high=131072)
    factor = query.number("factor", 8.0, low=1, high=64)
    length = query.integer("length", min(round(original * factor), 2**20), low=2, high=2**20)
    ntk = np.geomspace(1, factor, dim // 2).round(4).tolist()
    long = tuple(query.numbers("long", ntk, most=dim // 2))
    if len(long) != dim // 2 or min(long) <= 0:
        raise UsageError(f"long must be {dim // 2} positive numbers, one for each pair of {dim}, not {len(long)}")
    return dim, base, original, factor, length, long


def _distances(length: int) -> NDArray[np.int64]:
    """0, 1, 2, …, length - 1, in ever longer steps: 300 at most."""
    return np.unique(np.geomspace(1, length, 300).astype(np.int64)) - 1


def _code(dim: int, base: float, original: int, factor: float, length: int, long: tuple[float, ...]) -> str:
    ntk = long == tuple(np.geomspace(1, factor, dim // 2).round(4).tolist())
    divisors = f"tuple(np.geomspace(1, {factor}, {dim // 2}).round(4).tolist())" if ntk else repr(long)
    return f"""\
{_IMPORTS}
scalings = (
    RotaryScaling(),
    LinearScaling({factor}),
    DynamicScaling({factor}, {original}),
    YarnScaling({factor}, {original}),
    LongRopeScaling((1.0,) * {dim // 2}, {divisors}, {original}, factor={factor}),
    Llama3Scaling({factor}, 1.0, 4.0, {original}),
)
attention_factors = [scaling.attention_factor for scaling in scalings]
rotaries = [RotaryPosition({dim}, base={base}, scaling=scaling) for scaling in scalings]
wavelengths = 2 * math.pi / torch.stack([rotary.frequencies_at({length}) for rotary in rotaries])

unit = torch.full(({dim},), {dim}**-0.5)  # query and key before they are turned
distances = torch.from_numpy(np.unique(np.geomspace(1, {length}, 300).astype(np.int64)) - 1)
scores = torch.stack([distant_scores(rotary, unit, unit, distances, length={length}) for rotary in rotaries])

lengths = [{original} * 2**octave // 4 for octave in range(8)]
fewest_turns = [[rotary.frequencies_at(n).min() for n in lengths] for rotary in rotaries]
slowest = 2 * math.pi / torch.tensor(fewest_turns)"""


ROUTES: Mapping[str, Answer] = {"positions/scaling": scaling}
