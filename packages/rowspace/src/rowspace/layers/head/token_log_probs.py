"""Log-probabilities of tokens and entropies of the distributions they come from, a chunk of logits at a time.

Numbers per row that are computed from chunks of logits, with their derivatives: `values_by_row`, `sum_of_values`.
An operator has the signature `(hidden, weight, bias, row_gradient, needs_grad, *others) -> values, dhidden, dweight,
dbias`: the values of each row in the last dimension of `values`, and the gradients of their dot product with
`row_gradient`, or of their sum, of which `needs_grad` selects those that are computed.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from rowspace.layers.head.chunked_loss import (
    Gradients,
    LossTerms,
    cap_logits,
    check_targets,
    chunk_rows,
    empty_results,
)
from rowspace.layers.head.loss_arguments import checked_settings, refuse_distributed

__all__ = ["HeadRows", "TokenLogProbs", "sum_of_values", "token_log_probs", "values_by_row"]

Operator = Callable[..., tuple[Tensor, Tensor, Tensor, Tensor]]

LOWEST = -1e30  # of a difference to the largest logit: its probability is 0, and 0 · LOWEST is 0, unlike 0 · -inf


class HeadRows(NamedTuple):
    """What logits are computed from: `softcap(hidden @ weight.T + bias)`."""

    hidden: Tensor  # (..., d)
    weight: Tensor  # (V, d)
    bias: Tensor | None  # (V,)
    softcap: float | None


class TokenLogProbs(NamedTuple):
    """The logarithm of the probability of each token, and the entropy of the distribution at its place, in nats."""

    log_probs: Tensor  # (...)
    entropy: Tensor  # (...)


def token_log_probs(
    rows: HeadRows, ids: Tensor, *, ignore_index: int = -100, chunk_size: int | None = None
) -> TokenLogProbs:
    """`log_softmax` of the logits at `ids` (...), and its entropy; see `TiedHead.log_probs`."""
    terms = LossTerms(ignore_index, softcap=rows.softcap)
    dtype, *_ = checked_settings(rows.hidden, rows.weight, ids, rows.bias, terms, "none", chunk_size)
    refuse_distributed(rows.hidden, rows.weight, rows.bias, ids)
    states = rows.hidden.reshape(-1, rows.hidden.shape[-1])
    settings = (ids.reshape(-1), dtype, ignore_index, rows.softcap, chunk_size)
    found = values_by_row(_log_probs, states, rows.weight, rows.bias, *settings)
    # found: (2, N)
    return TokenLogProbs(found[0].reshape(ids.shape), found[1].reshape(ids.shape))


@torch.library.custom_op("rowspace::token_log_probs", mutates_args=())
def _log_probs(  # noqa: PLR0913, PLR0917  an operator takes no dataclass
    hidden: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    row_gradient: Tensor | None,
    needs_grad: list[bool],
    targets: Tensor,
    dtype: torch.dtype,
    ignore_index: int,
    softcap: float | None,
    chunk_size: int | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Log-probabilities and entropies (2, N), and gradients; the other arguments and results are as in `row_losses`."""
    check_targets(targets, weight.shape[0], ignore_index)
    losses, dhidden, dweight, dbias = empty_results(hidden, weight, needs_grad)
    values = losses.new_zeros(2, len(losses))
    keep = (targets != ignore_index).nonzero().squeeze(1)
    size = chunk_size or max(1, chunk_rows(len(keep), weight, LossTerms(softcap=softcap)) // 2)
    gradients = Gradients(dhidden, dweight, dbias, needs_grad)
    for chunk, logits in gradients.chunks(hidden, weight, bias, keep, size, dtype):
        scale = None if row_gradient is None else row_gradient[:, chunk].to(logits.dtype)
        values[:, chunk] = _of_chunk(logits, targets[chunk], scale, softcap)
    return values, dhidden, dweight, dbias


@_log_probs.register_fake
def _(hidden: Tensor, weight: Tensor, bias: Tensor | None, row_gradient: Any, needs: list[bool], *_: Any) -> Any:
    losses, *gradients = empty_results(hidden, weight, needs)
    return losses.new_zeros(2, hidden.shape[0]), *gradients


def _of_chunk(logits: Tensor, targets: Tensor, scale: Tensor | None, softcap: float | None) -> Tensor:
    """Log-probabilities and entropies (2, n) of logits (n, V), which are overwritten, with `scale` by the gradient.

    For capped logits x, p = softmax(x) and the entropy H = -sum(p * log p):

        d log p[target] / d x = onehot(target) - p
        d H / d x             = -p * (log p + H)
    """
    picked = targets.unsqueeze(1)
    slope = None if softcap is None else cap_logits(logits, softcap)
    logits.sub_(logits.amax(1, keepdim=True))
    target_logit = logits.gather(1, picked).squeeze(1)
    logits.clamp_(min=LOWEST)
    exponentials = logits.exp()
    sums = exponentials.sum(1)
    log_sums = sums.log()
    entropy = log_sums - (exponentials * logits).sum(1) / sums
    if scale is not None:
        probabilities = exponentials.div_(sums.unsqueeze(1))
        of_log_prob, of_entropy = scale
        offset = (entropy - log_sums).unsqueeze(1)  # log p + H = x - log_sums + H
        logits.add_(offset).mul_(-of_entropy.unsqueeze(1)).sub_(of_log_prob.unsqueeze(1)).mul_(probabilities)
        logits.scatter_add_(1, picked, of_log_prob.unsqueeze(1))
        if slope is not None:
            logits.mul_(slope)
    return torch.stack([target_logit - log_sums, entropy])


def values_by_row(operator: Operator, hidden: Tensor, weight: Tensor, bias: Tensor | None, *others: Any) -> Tensor:
    """The values of the rows; the backward pass calls the operator again, with the incoming gradient."""
    return cast(Tensor, _ValuesByRow.apply(operator, hidden, weight, bias, *others))


def sum_of_values(operator: Operator, hidden: Tensor, weight: Tensor, bias: Tensor | None, *others: Any) -> Tensor:
    """The sum of the values; the forward pass computes the gradients too, if any is needed."""
    return cast(Tensor, _SumOfValues.apply(operator, hidden, weight, bias, *others))


class _ValuesByRow(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, operator: Operator, hidden: Tensor, weight: Tensor, bias: Tensor | None, *others: Any
    ) -> Tensor:
        ctx.operator, ctx.others = operator, [None if isinstance(each, Tensor) else each for each in others]
        ctx.save_for_backward(hidden, weight, bias, *[each if isinstance(each, Tensor) else None for each in others])
        return operator(hidden, weight, bias, None, [False] * 3, *others)[0]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        hidden, weight, bias, *tensors = ctx.saved_tensors
        others = [other if tensor is None else tensor for tensor, other in zip(tensors, ctx.others, strict=True)]
        needed = list(ctx.needs_input_grad[1:4])
        _, *gradients = ctx.operator(hidden, weight, bias, upstream.contiguous(), needed, *others)
        return None, *_in_dtypes(gradients, needed, (hidden, weight, bias)), *[None] * len(others)


class _SumOfValues(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, operator: Operator, hidden: Tensor, weight: Tensor, bias: Tensor | None, *others: Any
    ) -> Tensor:
        needed = list(ctx.needs_input_grad[1:4])
        values, *gradients = operator(hidden, weight, bias, None, needed, *others)
        ctx.save_for_backward(*_in_dtypes(gradients, needed, (hidden, weight, bias)))
        ctx.others = len(others)
        return values.sum()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        scaled = [None if gradient is None else gradient * upstream for gradient in ctx.saved_tensors]
        return None, *scaled, *[None] * ctx.others


def _in_dtypes(gradients: Any, needed: list[bool], parts: tuple[Tensor | None, ...]) -> list[Tensor | None]:
    """The needed gradients, each in the dtype of its tensor, and None for the others."""
    return [
        gradient.to(part.dtype) if is_needed and part is not None else None
        for gradient, part, is_needed in zip(gradients, parts, needed, strict=True)
    ]
