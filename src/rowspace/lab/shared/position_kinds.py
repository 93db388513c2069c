"""The kinds of positions that pages add to rows: exact sinusoids, or a learned table before training."""

from typing import Literal, get_args

from rowspace.errors import UsageError

__all__ = ["KINDS", "POSITIONS", "WIDEST", "Kind", "check_width", "default_kind"]

Kind = Literal["sinusoid", "learned"]
KINDS: tuple[Kind, ...] = get_args(Kind)
POSITIONS = 512
"""Rows of a learned table."""
WIDEST = 8192


def check_width(dim: int) -> None:
    """Raise `UsageError` for rows so wide that tables of positions would take too much memory."""
    if dim > WIDEST:
        raise UsageError(f"rows of {dim:,} numbers are too wide to add positions to here; {WIDEST:,} are the most")


def default_kind(dim: int) -> Kind:
    """A sinusoid, or in an odd dimension, which has none, a learned table."""
    return KINDS[dim % 2]
