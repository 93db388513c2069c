"""The figures of lesson 8, made of those of the Order page. They need PyTorch."""

from collections.abc import Mapping, Sequence

from rowspace.layers import Alibi, LearnedPosition, RotaryPosition, SinusoidPosition
from rowspace_lab.pages.order.waves import sinusoid_rows, waves_figure


def products_figure(*, dim: int, first: Sequence[int], second: Sequence[int]) -> Mapping[str, float]:
    """Compare the products of two pairs of positions: 0 or 1 for the larger one, 2 for equal ones up to rounding."""
    rows = sinusoid_rows(dim, 10000.0, positions=[*first, *second])
    one, other = float(rows[0] @ rows[1]), float(rows[2] @ rows[3])
    return {"answer": 2 if abs(one - other) < 1e-5 else int(other > one), "one_value": one, "other_value": other}


def parameters_figure(*, length: int, dim: int) -> Mapping[str, int]:
    """Count the parameters of learned positions, and of sinusoids, rotary positions and ALiBi together."""
    others = (SinusoidPosition(dim), RotaryPosition(dim), Alibi(8))
    return {
        "answer": sum(parameter.numel() for parameter in LearnedPosition(length, dim).parameters()),
        "others": sum(parameter.numel() for each in others for parameter in each.parameters()),
    }


def full_turns_figure(*, dim: int, length: int) -> Mapping[str, object]:
    """Count the hands of a sinusoid that go full circle within a text, and list their wavelengths."""
    found = waves_figure(dim=dim, base=10000.0, length=length, position=0, delta=1, dimension=0)
    return {"answer": found["full_turns"], "wavelengths": ", ".join(f"{period:,.1f}" for period in found["periods"])}
