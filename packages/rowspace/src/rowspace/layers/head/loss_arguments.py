"""Arguments of losses from hidden states: `checked_settings` validates them, `reduced` applies weights of rows."""

import math
from typing import Any, Literal

import torch
from torch import Tensor

from rowspace.errors import UsageError
from rowspace.layers.head.chunked_loss import LossTerms
from rowspace.layers.tables.distributed_lookup import distributed_sentence, is_distributed
from rowspace.layers.tables.wrapped import require_numbers

__all__ = [
    "Reduction",
    "checked_settings",
    "combined_weights",
    "linear_dtype",
    "reduced",
    "refuse_distributed",
    "weighted_sum",
]

Reduction = Literal["mean", "sum", "none"]


def checked_settings(
    hidden: Tensor,
    weight: Tensor,
    targets: Tensor,
    bias: Tensor | None,
    terms: LossTerms,
    reduction: str,
    chunk_size: int | None,
) -> tuple[Any, ...]:
    """The settings of `row_losses`, or `UsageError` for arguments that do not match."""
    _check_shapes(hidden, weight, targets, bias)
    _check_settings(terms, reduction, chunk_size)
    return linear_dtype(hidden), *terms, chunk_size


def linear_dtype(hidden: Tensor) -> torch.dtype:
    """The dtype in which a linear layer would compute: autocast's, except for float64, or that of `hidden`."""
    autocast = _autocasts(hidden) and hidden.dtype != torch.float64
    return torch.get_autocast_dtype(hidden.device.type) if autocast else hidden.dtype


def _autocasts(tensor: Tensor) -> bool:
    kind = tensor.device.type
    return torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind)


def _check_shapes(hidden: Tensor, weight: Tensor, targets: Tensor, bias: Tensor | None) -> None:
    if weight.ndim != 2 or hidden.ndim < 1 or hidden.shape[-1] != weight.shape[1]:
        raise UsageError(
            f"hidden {tuple(hidden.shape)} and weight {tuple(weight.shape)} do not match: expected (..., d) and "
            "(V, d); pass the weight of the table, not its transpose"
        )
    if targets.shape != hidden.shape[:-1] or targets.dtype != torch.int64:
        raise UsageError(
            f"targets must be int64 ids of shape {tuple(hidden.shape[:-1])}, one per hidden state; got "
            f"{targets.dtype} {tuple(targets.shape)}"
        )
    if bias is not None and bias.shape != weight.shape[:1]:
        raise UsageError(f"bias must have shape ({weight.shape[0]},), one number per row of weight; got {bias.shape}")
    for tensor in (weight, bias, targets):
        require_numbers(tensor, hidden)
    if not _autocasts(hidden) and hidden.dtype != weight.dtype:
        raise UsageError(
            f"hidden is {hidden.dtype} and weight {weight.dtype}; cast one of them, or call under torch.autocast"
        )


def refuse_distributed(*tensors: Tensor | None) -> None:
    """Raise `UsageError` for a `DTensor`, of which this process has a part of the numbers only."""
    for tensor in tensors:
        if tensor is not None and is_distributed(tensor):
            raise UsageError(distributed_sentence(tensor))


def _check_settings(terms: LossTerms, reduction: str, chunk_size: int | None) -> None:
    _, label_smoothing, z_loss, softcap = terms
    if not 0 <= label_smoothing <= 1:
        raise UsageError(f"label_smoothing must be between 0 and 1, got {label_smoothing}; 0 turns it off")
    if softcap is not None and not 0 < softcap < math.inf:
        raise UsageError(f"softcap must be above 0 and finite, got {softcap}; None turns it off")
    if not math.isfinite(z_loss):
        raise UsageError(f"z_loss must be finite, got {z_loss}; 0 turns it off")
    if reduction not in ("mean", "sum", "none"):
        raise UsageError(f'reduction must be "mean", "sum" or "none", got {reduction!r}')
    if chunk_size is not None and chunk_size < 1:
        raise UsageError(f"chunk_size must be at least 1 row, got {chunk_size}; None selects a default")


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
