"""Arguments shared by many modules, and their validation."""

from typing import TypedDict

import torch

from rowspace._base.plural import plural
from rowspace.errors import UsageError

Device = torch.device | str | int | None  # where the tensors of a module are created; None: the current default


class Factory(TypedDict, total=False):
    """Device and dtype of a module's parameters: the last arguments of every module."""

    device: Device
    dtype: torch.dtype | None


def require_positive(**sizes: int) -> None:
    """Raise `UsageError` unless each of the named sizes is 1 or more."""
    for name, size in sizes.items():
        if size < 1:
            raise UsageError(f"{name} must be 1 or more, not {size}")


def row_index(padding_idx: int | None, num_embeddings: int) -> int | None:
    """Resolve a negative `padding_idx`, which counts from the end as in torch; raise `UsageError` out of range."""
    if padding_idx is None:
        return None
    if not -num_embeddings <= padding_idx < num_embeddings:
        raise UsageError(
            f"padding_idx must be a row of the table of {plural(num_embeddings, 'row')}, not {padding_idx}"
        )
    return padding_idx % num_embeddings
