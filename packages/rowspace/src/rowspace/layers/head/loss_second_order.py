"""The second derivatives of the loss, for gradients of gradients, Hessians and forward-mode differentiation.

It uses ordinary differentiable operations over chunks of rows, so autograd can derive all higher orders from it.
First-order training does not use this file.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from rowspace.layers.head.chunked_loss import LossTerms, chunk_rows

__all__ = ["second_order"]

Directions = Sequence[Tensor | None]
LOGIT_SIZED_TENSORS = 8  # number of tensors of the logits' shape that a chunk has in memory at once


def second_order(
    hidden: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    targets: Tensor,
    row_gradient: Tensor,
    directions: Directions,
    settings: tuple[Any, ...],
) -> tuple[Tensor, Tensor, Tensor | None, Tensor]:
    """The Hessian-vector product of the loss, and the directional derivative of each row's loss.

    The loss is that of `row_losses`, weighted by `row_gradient` (N,). The vector is `directions`, of `hidden` (N, d),
    `weight` (V, d) and `bias` (V,), where None is zero. Returns the three parts of the product in the dtypes of those
    tensors, and the directional derivatives (N,) without the weights of the rows.
    """
    dtype, *numbers, chunk_size = settings
    terms = LossTerms(*numbers)
    wide = torch.float64 if hidden.dtype == torch.float64 else torch.float32
    rows = weight.to(dtype).to(wide)
    offset = rows.new_zeros(rows.shape[0]) if bias is None else bias.to(dtype).to(wide)
    states = hidden.to(dtype).to(wide)
    parts = (states, rows, offset)
    states_along, rows_along, offset_along = (
        torch.zeros_like(part) if direction is None else direction.to(wide)
        for part, direction in zip(parts, directions, strict=True)
    )
    size = chunk_size or max(1, chunk_rows(hidden.shape[0], weight, terms) // LOGIT_SIZED_TENSORS)
    by_row = (torch.split(tensor, size) for tensor in (states, states_along, targets, row_gradient.to(wide)))
    chunks = [
        _of_chunk(*chunk, weight=(rows, rows_along), bias=(offset, offset_along), terms=terms)
        for chunk in zip(*by_row, strict=True)
    ]
    dhidden, dweights, dbiases, slopes = zip(*chunks, strict=True)
    return (
        torch.cat(dhidden).to(hidden.dtype),
        sum(dweights).to(weight.dtype),
        None if bias is None else sum(dbiases).to(bias.dtype),
        torch.cat(slopes),
    )


def _of_chunk(
    states: Tensor,
    states_along: Tensor,
    targets: Tensor,
    row_gradient: Tensor,
    *,
    weight: tuple[Tensor, Tensor],
    bias: tuple[Tensor, Tensor],
    terms: LossTerms,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The results for a chunk of rows; `weight` and `bias` include their directions, ignored rows count as zeros."""
    (rows, rows_along), (offset, offset_along) = weight, bias
    keep = (targets != terms.ignore_index).unsqueeze(1)
    states, states_along = (torch.where(keep, part, 0) for part in (states, states_along))
    logits = states @ rows.t() + offset
    along = states_along @ rows.t() + states @ rows_along.t() + offset_along
    # logits, along: (n, V)
    gradient, gradient_along = _of_logits(logits, along, torch.where(keep.squeeze(1), targets, 0), terms)
    slopes = (keep * gradient * along).sum(1)
    scale = keep * row_gradient.unsqueeze(1)
    gradient, gradient_along = scale * gradient, scale * gradient_along
    return (
        gradient_along @ rows + gradient @ rows_along,
        gradient_along.t() @ states + gradient.t() @ states_along,
        gradient_along.sum(0),
        slopes,
    )


def _of_logits(logits: Tensor, along: Tensor, targets: Tensor, terms: LossTerms) -> tuple[Tensor, Tensor]:
    """The gradient of each row's loss with respect to its logits (n, V), and its derivative in the direction `along`.

    The gradient is that of `chunked_loss._losses`; each quantity is followed by its derivative.
    """
    slope, slope_along, capped, capped_along = None, None, logits, along
    if terms.softcap is not None:
        ratio = torch.tanh(logits / terms.softcap)
        slope = 1 - ratio.square()
        slope_along = -2 * ratio * slope * along / terms.softcap
        capped, capped_along = terms.softcap * ratio, slope * along
    log_partition = capped.logsumexp(1, keepdim=True)
    probabilities = (capped - log_partition).exp()
    log_partition_along = (probabilities * capped_along).sum(1, keepdim=True)
    probabilities_along = probabilities * (capped_along - log_partition_along)
    factor, factor_along = 1 + 2 * terms.z_loss * log_partition, 2 * terms.z_loss * log_partition_along
    target_share = torch.full_like(targets.unsqueeze(1), 1, dtype=logits.dtype) * (1 - terms.label_smoothing)
    one_hot = torch.zeros_like(logits).scatter(1, targets.unsqueeze(1), target_share)
    gradient = probabilities * factor - (one_hot + terms.label_smoothing / logits.shape[1])
    gradient_along = probabilities_along * factor + probabilities * factor_along
    if slope is None or slope_along is None:
        return gradient, gradient_along
    return slope * gradient, slope * gradient_along + slope_along * gradient
