"""The kinds of positions that pages add to rows: sinusoids, or an untrained position table."""

from typing import Literal, get_args

from rowspace.errors import UsageError

__all__ = ["KINDS", "MAX_POSITION_DIM", "POSITIONS", "Kind", "check_width", "default_kind"]

Kind = Literal["sinusoid", "learned"]
KINDS: tuple[Kind, ...] = get_args(Kind)
POSITIONS = 512
"""The number of rows of a learned position table."""
MAX_POSITION_DIM = 8192


def check_width(dim: int) -> None:
    """Raise `UsageError` for rows so wide that position tables would need too much memory."""
    if dim > MAX_POSITION_DIM:
        raise UsageError(f"rows of {dim:,} numbers are too wide to add positions to; the limit is {MAX_POSITION_DIM:,}")


def default_kind(dim: int) -> Kind:
    """Return "sinusoid", or "learned" for an odd dimension, which sinusoids do not support."""
    return KINDS[dim % 2]
