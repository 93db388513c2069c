"""Log-probabilities of tokens and entropies of the distributions they come from, a chunk of logits at a time."""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from rowspace.layers.head.by_row import HeadRows, values_by_row
from rowspace.layers.head.chunked_loss import (
    Gradients,
    LossTerms,
    cap_logits,
    check_targets,
    chunk_rows,
    empty_results,
)
from rowspace.layers.head.loss_arguments import checked_settings, refuse_distributed

__all__ = ["TokenLogProbs", "token_log_probs"]

LOWEST = -1e30  # of a difference to the largest logit: its probability is 0, and 0 · LOWEST is 0, unlike 0 · -inf


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
