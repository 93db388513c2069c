"""Cross entropy on local rows of the vocabulary: each process has the logits of its own rows.

    hidden (N, d) ──► logits of a chunk ──► maxima, sums and target logits ──► losses, and the gradients of this process
    in each process   (chunk, V/n)          exchanged, 3 or 4 numbers a row    (N,)   (N, d) in part, (V/n, d), (V/n,)

It is `head/chunked_loss.py` with sums over processes; the gradient of the hidden states is summed in the backward pass.
"""

from typing import Any, NamedTuple, cast

import torch
from torch import Tensor, distributed
from torch.autograd.function import once_differentiable

from rowspace.layers._torch_private import group_of
from rowspace.layers.head.chunked_loss import (
    Gradients,
    LossTerms,
    cap_logits,
    check_targets,
    chunk_rows,
    empty_results,
)
from rowspace.layers.head.token_log_probs import values_by_row
from rowspace.layers.parallel.exchange import require_same

__all__ = ["LocalRows", "vocabulary_loss_sum", "vocabulary_losses"]


class LocalRows(NamedTuple):
    """Which rows of a vocabulary are in this process."""

    first: int  # index of the first
    total: int  # V
    most: int  # rows of the process that has the most, which determines the chunks
    group: str  # name of the group of processes


def vocabulary_loss_sum(
    hidden: Tensor, weight: Tensor, bias: Tensor | None, targets: Tensor, *settings: Any, rows: LocalRows
) -> Tensor:
    """The sum of the losses, for `settings` as of `row_losses`; weight (v, d) and bias (v,) are the local ones."""
    needed = [part is not None and part.requires_grad and torch.is_grad_enabled() for part in (hidden, weight, bias)]
    if not any(needed):
        found = _row_losses(hidden, weight, bias, None, needed, targets, *settings, *rows)[0]
        return cast(Tensor, found.sum())
    total: Tensor = _SummedLoss.apply(hidden, weight, bias, targets, *settings, *rows, *needed)
    return total


def vocabulary_losses(
    hidden: Tensor, weight: Tensor, bias: Tensor | None, targets: Tensor, *settings: Any, rows: LocalRows
) -> Tensor:
    """The loss of each row (N,); the gradients are computed in the backward pass, from the logits again."""
    return values_by_row(_row_losses, hidden, weight, bias, targets, *settings, *rows)


class _SummedLoss(torch.autograd.Function):
    """The sum; the forward pass computes the gradients too."""

    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor | None, targets: Tensor, *options: Any
    ) -> Tensor:
        settings, rows, needed = options[:-7], options[-7:-3], list(options[-3:])
        losses, *gradients = _row_losses(hidden, weight, bias, None, needed, targets, *settings, *rows)
        ctx.dtypes = [part.dtype if part is not None else None for part in (hidden, weight, bias)]
        ctx.save_for_backward(*gradients)
        ctx.needed, ctx.others = needed, 1 + len(options)
        return cast(Tensor, losses.sum())

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        scaled = [
            (gradient * upstream).to(dtype) if needed else None
            for gradient, dtype, needed in zip(ctx.saved_tensors, ctx.dtypes, ctx.needed, strict=True)
        ]
        return *scaled, *[None] * ctx.others


@torch.library.custom_op("rowspace::vocabulary_row_losses", mutates_args=())
def _row_losses(  # noqa: PLR0913, PLR0917  an operator takes no dataclass
    hidden: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    row_gradient: Tensor | None,
    needs_grad: list[bool],
    targets: Tensor,
    dtype: torch.dtype,
    ignore_index: int,
    label_smoothing: float,
    z_loss: float,
    softcap: float | None,
    chunk_size: int | None,
    first: int,
    total: int,
    most: int,
    group: str,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """As `row_losses`, with the rows of this process; the losses are the same in all, the gradients its own part."""
    require_same(targets, hidden, group, "targets")
    check_targets(targets, total, ignore_index)
    terms, rows = LossTerms(ignore_index, label_smoothing, z_loss, softcap), LocalRows(first, total, most, group)
    losses, dhidden, dweight, dbias = empty_results(hidden, weight, needs_grad)
    keep = (targets != ignore_index).nonzero().squeeze(1)
    size = chunk_size or chunk_rows(len(keep), weight, terms, most)
    gradients = Gradients(dhidden, dweight, dbias, needs_grad)
    for chunk, logits in gradients.chunks(hidden, weight, bias, keep, size, dtype):
        scale = None if row_gradient is None else row_gradient[chunk].to(logits.dtype)
        losses[chunk] = _losses(logits, targets[chunk], scale, terms, rows, differentiate=any(needs_grad))
    return losses, dhidden, dweight, dbias


@_row_losses.register_fake
def _(hidden: Tensor, weight: Tensor, bias: Any, row_gradient: Any, needs: list[bool], *_: Any) -> tuple[Tensor, ...]:
    return empty_results(hidden, weight, needs)


def _losses(
    logits: Tensor, targets: Tensor, scale: Tensor | None, terms: LossTerms, rows: LocalRows, *, differentiate: bool
) -> Tensor:
    """Losses (n,) of local logits (n, v), which are overwritten; the formula is that of `chunked_loss._losses`."""
    smoothing, group = terms.label_smoothing, group_of(rows.group)
    slope = None if terms.softcap is None else cap_logits(logits, terms.softcap)
    max_logit = logits.amax(1)
    distributed.all_reduce(max_logit, distributed.ReduceOp.MAX, group=group)
    logits.sub_(max_logit.unsqueeze(1))
    local = targets - rows.first
    is_local = (local >= 0) & (local < logits.shape[1])
    picked = torch.where(is_local, local, 0).unsqueeze(1)
    sums = [torch.where(is_local, logits.gather(1, picked).squeeze(1), 0)]
    if smoothing:
        sums.append(logits.sum(1))
    exchanged = torch.stack([logits.exp_().sum(1), *sums])
    distributed.all_reduce(exchanged, group=group)
    sum_exp, target_logit, *all_logits = exchanged
    log_partition = max_logit + sum_exp.log()
    if differentiate:
        scale = torch.ones_like(log_partition) if scale is None else scale
        logits.mul_((scale * (1 + 2 * terms.z_loss * log_partition) / sum_exp).unsqueeze(1))
        logits.scatter_add_(1, picked, torch.where(is_local, (smoothing - 1) * scale, 0).unsqueeze(1))
        if smoothing:
            logits.sub_((smoothing / rows.total * scale).unsqueeze(1))
        if slope is not None:
            logits.mul_(slope)
    target_logit = (1 - smoothing) * target_logit
    for each in all_logits:
        target_logit = target_logit + smoothing / rows.total * each
    losses: Tensor = sum_exp.log() - target_logit + terms.z_loss * log_partition.square()
    return losses
