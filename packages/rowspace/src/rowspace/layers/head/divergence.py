"""Kullback-Leibler divergences between the predictions of two heads, a chunk of logits at a time."""

from typing import Any

import torch
from torch import Tensor

from rowspace.errors import UsageError
from rowspace.layers.head.chunked_loss import (
    Gradients,
    LossTerms,
    cap_logits,
    chunk_rows,
    empty_results,
    logits_of,
)
from rowspace.layers.head.loss_arguments import Reduction, checked_settings, linear_dtype, refuse_distributed
from rowspace.layers.head.token_log_probs import HeadRows, sum_of_values, values_by_row

__all__ = ["row_divergence"]


def row_divergence(
    rows: HeadRows,
    teacher: HeadRows,
    *,
    reverse: bool = False,
    mask: Tensor | None = None,
    reduction: Reduction = "mean",
    chunk_size: int | None = None,
) -> Tensor:
    """KL(teacher || rows), or with `reverse` KL(rows || teacher); see `TiedHead.kl_divergence`."""
    places = rows.hidden.shape[:-1]
    counted = torch.ones(places, dtype=torch.bool, device=rows.hidden.device) if mask is None else mask
    _check_match(rows, teacher, counted)
    settings = []
    for each in (rows, teacher):
        zeros = torch.zeros(places, dtype=torch.int64, device=each.hidden.device)
        checked_settings(
            each.hidden, each.weight, zeros, each.bias, LossTerms(softcap=each.softcap), reduction, chunk_size
        )
        refuse_distributed(*each[:3])
        settings.append((linear_dtype(each.hidden), each.softcap))
    states, fixed_states = (each.hidden.reshape(-1, each.hidden.shape[-1]) for each in (rows, teacher))
    fixed = fixed_states.detach(), teacher.weight.detach(), None if teacher.bias is None else teacher.bias.detach()
    others = (*fixed, counted.reshape(-1), *settings[0], *settings[1], reverse, chunk_size)
    if reduction == "none":
        return values_by_row(_divergences, states, rows.weight, rows.bias, *others).reshape(places)
    total = sum_of_values(_divergences, states, rows.weight, rows.bias, *others)
    return total if reduction == "sum" else total / counted.sum()


def _check_match(rows: HeadRows, teacher: HeadRows, mask: Tensor) -> None:
    places = rows.hidden.shape[:-1]
    if len(rows.weight) != len(teacher.weight):
        raise UsageError(
            f"the heads have {len(rows.weight)} and {len(teacher.weight)} rows, but a divergence compares the same "
            "ids; shrink the larger table to the rows of the smaller one"
        )
    if teacher.hidden.shape[:-1] != places:
        raise UsageError(
            f"teacher_hidden must have shape {(*places, teacher.hidden.shape[-1])}, one vector per hidden state, got "
            f"{tuple(teacher.hidden.shape)}"
        )
    if mask.shape != places or mask.dtype != torch.bool:
        raise UsageError(f"mask must be bool of shape {tuple(places)}, got {mask.dtype} {tuple(mask.shape)}")


@torch.library.custom_op("rowspace::row_divergences", mutates_args=())
def _divergences(  # noqa: PLR0913, PLR0917  an operator takes no dataclass
    hidden: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    row_gradient: Tensor | None,
    needs_grad: list[bool],
    teacher_hidden: Tensor,
    teacher_weight: Tensor,
    teacher_bias: Tensor | None,
    mask: Tensor,
    dtype: torch.dtype,
    softcap: float | None,
    teacher_dtype: torch.dtype,
    teacher_softcap: float | None,
    reverse: bool,
    chunk_size: int | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The divergence of each row (N,), and gradients; the other arguments and results are as in `row_losses`."""
    values, dhidden, dweight, dbias = empty_results(hidden, weight, needs_grad)
    teacher_weight = teacher_weight.to(teacher_dtype)
    teacher_bias = None if teacher_bias is None else teacher_bias.to(teacher_dtype)
    keep = mask.nonzero().squeeze(1)
    size = chunk_size or max(1, chunk_rows(len(keep), weight, LossTerms(softcap=softcap)) // 3)
    buffer = values.new_empty(min(size, max(len(keep), 1)), weight.shape[0])
    gradients = Gradients(dhidden, dweight, dbias, needs_grad)
    for chunk, logits in gradients.chunks(hidden, weight, bias, keep, size, dtype):
        teacher_states = teacher_hidden[chunk].to(teacher_dtype)
        target = logits_of(teacher_states, teacher_weight, teacher_bias, buffer[: len(chunk)])
        if teacher_softcap is not None:
            cap_logits(target, teacher_softcap)
        scale = None if row_gradient is None else row_gradient[chunk].to(logits.dtype)
        values[chunk] = _of_chunk(logits, target, scale, softcap, reverse=reverse, differentiate=any(needs_grad))
    return values, dhidden, dweight, dbias


@_divergences.register_fake
def _(hidden: Tensor, weight: Tensor, bias: Tensor | None, row_gradient: Any, needs: list[bool], *_: Any) -> Any:
    return empty_results(hidden, weight, needs)


def _of_chunk(
    logits: Tensor, target: Tensor, scale: Tensor | None, softcap: float | None, *, reverse: bool, differentiate: bool
) -> Tensor:
    """Divergences (n,) of logits (n, V) and the teacher's; the first are overwritten, by the gradient if asked for.

    For p = softmax(x) of the student and q of the teacher:

        KL(q || p) = sum(q * (log q - log p))    d / d x = p - q
        KL(p || q) = sum(p * (log p - log q))    d / d x = p * (log p - log q - KL)
    """
    slope = None if softcap is None else cap_logits(logits, softcap)
    for each in (logits, target):
        each.sub_(each.logsumexp(1, keepdim=True))
    ratio = logits - target if reverse else target - logits  # the logarithm of that of both probabilities
    first = (logits if reverse else target).exp()
    ratio.masked_fill_(first == 0, 0)  # what has no probability adds nothing, also where both logits are -inf
    values = (first * ratio).sum(1)
    if differentiate:
        if reverse:
            logits.copy_(ratio.sub_(values.unsqueeze(1)).mul_(first))
        else:
            logits.exp_().sub_(first)
        if scale is not None:
            logits.mul_(scale.unsqueeze(1))
        if slope is not None:
            logits.mul_(slope)
    return values
