"""The positions that pages add to rows: exact sinusoids, or a learned table as it is where a training begins.

Nothing here was trained: a learned table is drawn from a seed, the same each time, and pages say so.
"""

from typing import TYPE_CHECKING

from rowspace.errors import UsageError

if TYPE_CHECKING:
    from rowspace.layers import LearnedPosition, SinusoidPosition

__all__ = ["CLASSES", "KINDS", "POSITIONS", "WIDEST", "check_width", "default_kind", "position_code", "position_module"]

KINDS = ("sinusoid", "learned")
POSITIONS = 512  # that a learned table has
WIDEST = 8192
CLASSES = {"sinusoid": "SinusoidPosition", "learned": "LearnedPosition"}
_LINES = {
    "sinusoid": "{name} = SinusoidPosition({width})",
    "learned": (
        f"{{name}} = LearnedPosition({POSITIONS}, {{width}})  # not trained: drawn from a seed\n"
        "{name}.reset_parameters(torch.Generator().manual_seed(0))"
    ),
}


def check_width(dim: int) -> None:
    """Raise `UsageError` for rows so wide that tables of positions would take more memory than a page is worth."""
    if dim > WIDEST:
        raise UsageError(f"rows of {dim:,} numbers are too wide to add positions to here; {WIDEST:,} are the most")


def default_kind(dim: int) -> str:
    """A sinusoid, or in an odd dimension, where there is none, a learned table."""
    return KINDS[dim % 2]


def position_module(kind: str, width: int) -> "SinusoidPosition | LearnedPosition":
    """The module; `UsageError` for one too wide, or a sinusoid of odd width; `MissingExtraError` without torch."""
    check_width(width)
    from rowspace.layers import LearnedPosition, SinusoidPosition

    if kind == "sinusoid":
        return SinusoidPosition(width)
    import torch

    learned = LearnedPosition(POSITIONS, width)
    learned.reset_parameters(torch.Generator().manual_seed(0))
    return learned


def position_code(kind: str, name: str, width: str) -> str:
    """The lines that make the same module; they need `torch` and the kind's class of `CLASSES`."""
    return _LINES[kind].format(name=name, width=width)
