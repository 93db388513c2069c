"""Weights of losses per row and per class, and the reduction of weighted losses."""

from typing import Any

import torch
from torch import Tensor

from rowspace.errors import UsageError
from rowspace.layers.head.loss_arguments import Reduction
from rowspace.layers.tables.wrapped import require_numbers

__all__ = ["combined_weights", "reduced", "weighted_sum"]


def combined_weights(
    hidden: Tensor,
    weight: Tensor,
    targets: Tensor,
    row_weights: Tensor | None,
    class_weights: Tensor | None,
    settings: tuple[Any, ...],
) -> Tensor | None:
    """The factor of each loss (N,), zero for ignored rows, in the dtype of the losses; None without weights.

    Raises:
        UsageError: For weights of another shape, integers, or class weights with label smoothing.
    """
    if row_weights is None and class_weights is None:
        return None
    _, ignore_index, label_smoothing, *_ = settings
    _check(row_weights, "row_weights", targets.shape, "one number per target", hidden)
    _check(class_weights, "class_weights", weight.shape[:1], "one number per row of weight", hidden)
    if class_weights is not None and label_smoothing:
        raise UsageError("class_weights are not supported with label_smoothing; pass row_weights, or no smoothing")
    dtype = torch.float64 if hidden.dtype == torch.float64 else torch.float32
    keep = targets != ignore_index
    factors = torch.ones_like(targets, dtype=dtype) if row_weights is None else row_weights.to(dtype)
    if class_weights is not None:
        # A target that is out of range gets its message when the losses are computed.
        factors = factors * class_weights.to(dtype)[torch.where(keep, targets, 0).clamp(0, len(class_weights) - 1)]
    return torch.where(keep, factors, 0).reshape(-1)


def _check(weights: Tensor | None, name: str, shape: torch.Size, meaning: str, hidden: Tensor) -> None:
    if weights is None:
        return
    if weights.shape != shape or not weights.is_floating_point():
        raise UsageError(
            f"{name} must be floating point numbers of shape {tuple(shape)}, {meaning}; got {weights.dtype} "
            f"{tuple(weights.shape)}"
        )
    require_numbers(weights, hidden)


def weighted_sum(losses: Tensor, weights: Tensor | None) -> Tensor:
    """The sum of losses (N,) times their weights (N,)."""
    return losses.sum() if weights is None else (losses * weights).sum()


def reduced(
    losses: Tensor,
    weights: Tensor | None,
    targets: Tensor,
    ignore_index: int,
    reduction: Reduction,
    *,
    is_summed: bool,
) -> Tensor:
    """The result for `reduction` from the losses of the rows (N,), or from their weighted sum if `is_summed`."""
    if reduction == "none":
        return (losses if weights is None else losses * weights).reshape(targets.shape)
    total = losses if is_summed else weighted_sum(losses, weights)
    if reduction == "sum":
        return total
    if weights is not None:
        return total / weights.sum()
    count = (targets != ignore_index).sum()
    return torch.where(count > 0, total / count.clamp(min=1), torch.nan)
