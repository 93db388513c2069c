"""The loss and its gradients, computed together for a few hundred rows of logits at a time.

    target rows ──► logits of a chunk ──► losses, and d(loss)/d(logits) in the same memory ──► dhidden, dweight, dbias
      (n, d)           (chunk, V)                                                              (N, d)  (V, d)   (V,)

It is one operator, opaque to `torch.compile`, because the number of rows not ignored is known only at run time.
Autograd and reductions are in `cross_entropy.py`.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from rowspace.errors import UsageError

__all__ = [
    "Gradients",
    "LossTerms",
    "cap_logits",
    "check_targets",
    "chunk_rows",
    "empty_results",
    "logits_of",
    "row_losses",
    "unchunked_losses",
]

CPU_CHUNK_BYTES = 256 << 20  # logits per chunk: on 2 cores, half of it is a few percent slower and a fifth 10 %
OTHER_CHUNK_BYTES = 512 << 20


class LossTerms(NamedTuple):
    """The settings that change the plain negative log-likelihood."""

    ignore_index: int = -100
    label_smoothing: float = 0.0
    z_loss: float = 0.0
    softcap: float | None = None


@torch.library.custom_op("rowspace::row_losses", mutates_args=())
def row_losses(  # noqa: PLR0913, PLR0917  an operator takes no dataclass
    hidden: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    targets: Tensor,
    row_gradient: Tensor | None,
    dtype: torch.dtype,
    ignore_index: int,
    label_smoothing: float,
    z_loss: float,
    softcap: float | None,
    chunk_size: int | None,
    needs_grad: list[bool],
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The loss of each row, and the gradients of their sum, or of their dot product with `row_gradient`.

    `hidden` is (N, d), `weight` (V, d), both cast to `dtype` for the products; `targets`, `row_gradient` and the losses
    are (N,). `needs_grad` selects the gradients of hidden, weight and bias; the others are returned empty. Results
    are float32 (float64 for float64), and zero for rows whose target is `ignore_index`.
    """
    check_targets(targets, weight.shape[0], ignore_index)
    terms = LossTerms(ignore_index, label_smoothing, z_loss, softcap)
    losses, dhidden, dweight, dbias = empty_results(hidden, weight, needs_grad)
    keep = (targets != ignore_index).nonzero().squeeze(1)
    size = chunk_size or chunk_rows(len(keep), weight, terms)
    gradients = Gradients(dhidden, dweight, dbias, needs_grad)
    for rows, logits in gradients.chunks(hidden, weight, bias, keep, size, dtype):
        scale = None if row_gradient is None else row_gradient[rows].to(logits.dtype)
        losses[rows] = _losses(logits, targets[rows], scale, terms, differentiate=any(needs_grad))
    return losses, dhidden, dweight, dbias


@row_losses.register_fake
def _(hidden: Tensor, weight: Tensor, *others: Any) -> tuple[Tensor, ...]:
    return empty_results(hidden, weight, others[-1])


@row_losses.register_vmap
def _(info: Any, in_dims: tuple[Any, ...], *arguments: Any) -> tuple[tuple[Tensor, ...], tuple[int, ...]]:
    """Loop over the batch, since each example ignores other rows."""

    def pick(argument: Any, dim: int | None, number: int) -> Any:
        return argument.select(dim, number) if isinstance(dim, int) else argument

    calls = [map(pick, arguments, in_dims, [number] * len(arguments)) for number in range(info.batch_size)]
    results = [row_losses(*call) for call in calls]
    return tuple(torch.stack(parts) for parts in zip(*results, strict=True)), (0, 0, 0, 0)


class Gradients(NamedTuple):
    """The gradients of hidden states (N, d), weight (V, d) and bias (V,), and which of them are needed."""

    hidden: Tensor
    weight: Tensor
    bias: Tensor
    needed: list[bool]

    def chunks(
        self, hidden: Tensor, weight: Tensor, bias: Tensor | None, keep: Tensor, size: int, dtype: torch.dtype
    ) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield chunks of the rows `keep`, and their logits; add what a chunk contributes once these are the gradient.

        Args:
            hidden: (N, d).
            weight: (V, d).
            bias: (V,).
            keep: The indices of the rows.
            size: The number of rows of a chunk, at most.
            dtype: That of the products.
        """
        weight, bias = weight.to(dtype), None if bias is None else bias.to(dtype)
        size = min(size, max(len(keep), 1))
        buffer = self.hidden.new_empty(size, weight.shape[0])
        for number, rows in enumerate(torch.split(keep, size)):
            states = hidden[rows].to(dtype)
            logits = logits_of(states, weight, bias, buffer[: len(rows)])
            yield rows, logits
            self.add(logits, states, weight, rows, first=number == 0)

    def add(self, of_logits: Tensor, states: Tensor, weight: Tensor, rows: Tensor, *, first: bool) -> None:
        """Add what a chunk contributes.

        Args:
            of_logits: (n, V) the gradient of the logits.
            states: (n, d) the hidden states of the chunk, in the dtype of the products.
            weight: (V, d) in the dtype of the products.
            rows: (n,) indices of the chunk in the hidden states.
            first: Whether it is the first chunk: the gradient of the weight is not initialized before.
        """
        if self.needed[0]:
            self.hidden[rows] = (of_logits.to(weight.dtype) @ weight).to(self.hidden.dtype)
        if self.needed[1]:
            _add_product(self.weight, of_logits, states, first=first)
        if self.needed[2]:
            self.bias.add_(of_logits.sum(0))


def unchunked_losses(
    hidden: Tensor, weight: Tensor, bias: Tensor | None, targets: Tensor, dtype: torch.dtype, terms: LossTerms
) -> Tensor:
    """The losses of `row_losses` with all logits at once, in torch's operators, for export to other formats."""
    bias = None if bias is None else bias.to(dtype)
    wide = torch.float64 if hidden.dtype == torch.float64 else torch.float32
    logits = functional.linear(hidden.to(dtype), weight.to(dtype), bias).to(wide)
    keep = targets != terms.ignore_index
    losses = _losses(logits, torch.where(keep, targets, 0), None, terms, differentiate=False)
    return torch.where(keep, losses, 0)


def empty_results(hidden: Tensor, weight: Tensor, needs_grad: list[bool]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Zeros for the losses and each needed gradient; the weight's is uninitialized, as the first chunk writes it."""
    dtype = torch.float64 if hidden.dtype == torch.float64 else torch.float32
    return (
        hidden.new_zeros(hidden.shape[0], dtype=dtype),  # len() would fix the number of rows under torch.export
        hidden.new_zeros(hidden.shape if needs_grad[0] else (0, 0), dtype=dtype),
        hidden.new_empty(weight.shape if needs_grad[1] else (0, 0), dtype=dtype),
        hidden.new_zeros(weight.shape[0] if needs_grad[2] else 0, dtype=dtype),
    )


def check_targets(targets: Tensor, num_embeddings: int, ignore_index: int) -> None:
    """Raise for the first target that is not a row of the weight."""
    wrong = ((targets < 0) | (targets >= num_embeddings)) & (targets != ignore_index)
    if wrong.any():
        place = int(wrong.nonzero()[0])
        raise UsageError(
            f"target {int(targets[place])} is out of range for {num_embeddings} rows of weight (row {place} of the "
            f"flattened targets); check the tokenizer, or mark it with ignore_index, which is {ignore_index}"
        )


def chunk_rows(rows: int, weight: Tensor, terms: LossTerms, columns: int | None = None) -> int:
    """Rows per chunk: equal chunks within the memory limit for logits; a softcap doubles the memory.

    There are as many logits in a row as rows of `weight`, or `columns`.
    """
    limit = CPU_CHUNK_BYTES if weight.device.type == "cpu" else OTHER_CHUNK_BYTES
    limit = limit if terms.softcap is None else limit // 2
    most = max(16, limit // (4 * max(columns or weight.shape[0], 1)))
    chunks = max(1, -(-rows // most))
    return max(1, -(-rows // chunks))


def logits_of(states: Tensor, weight: Tensor, bias: Tensor | None, buffer: Tensor) -> Tensor:
    """`states @ weight.T + bias` in `buffer`, rounded to the weight's dtype first, as in a linear layer."""
    if buffer.dtype == weight.dtype:
        torch.mm(states, weight.t(), out=buffer)
        return buffer if bias is None else buffer.add_(bias)
    return buffer.copy_(functional.linear(states, weight, bias))


def _add_product(total: Tensor, gradient: Tensor, states: Tensor, *, first: bool) -> None:
    """`total += gradient.T @ states`, summed in `total`'s dtype between chunks, and on a CPU also within each chunk."""
    if total.dtype == states.dtype or total.device.type == "cpu":
        total.addmm_(gradient.t(), states.to(total.dtype), beta=0 if first else 1)
    elif first:
        total.copy_(gradient.to(states.dtype).t() @ states)
    else:
        total += gradient.to(states.dtype).t() @ states


def _losses(logits: Tensor, targets: Tensor, scale: Tensor | None, terms: LossTerms, *, differentiate: bool) -> Tensor:
    """Losses (n,) of logits (n, V), which are overwritten; with `differentiate`, by the gradient times `scale` (n,).

    For capped logits x, p = softmax(x), L = log sum exp(x), smoothing s, z-loss factor z:

        loss = (1 - s) * (L - x[target]) + s * (L - mean(x)) + z * L**2
        d loss / d x = p * (1 + 2 * z * L) - (1 - s) * onehot(target) - s / V
        d x / d logit = 1 - (x / cap)**2
    """
    smoothing, picked = terms.label_smoothing, targets.unsqueeze(1)
    slope = None if terms.softcap is None else cap_logits(logits, terms.softcap)
    max_logit = logits.amax(1)
    logits.sub_(max_logit.unsqueeze(1))  # differences to the maximum keep small losses exact
    target_logit = (1 - smoothing) * logits.gather(1, picked).squeeze(1)
    target_logit = target_logit + smoothing * logits.mean(1) if smoothing else target_logit
    sum_exp = logits.exp_().sum(1)
    log_partition = max_logit + sum_exp.log()
    if differentiate:
        scale = torch.ones_like(log_partition) if scale is None else scale
        logits.mul_((scale * (1 + 2 * terms.z_loss * log_partition) / sum_exp).unsqueeze(1))
        logits.scatter_add_(1, picked, ((smoothing - 1) * scale).unsqueeze(1))
        if smoothing:
            logits.sub_((smoothing / logits.shape[1] * scale).unsqueeze(1))
        if slope is not None:
            logits.mul_(slope)
    return sum_exp.log() - target_logit + terms.z_loss * log_partition.square()


def cap_logits(logits: Tensor, softcap: float) -> Tensor:
    """Cap the logits in place; return the derivative of the cap at each."""
    logits.div_(softcap).tanh_()
    slope = logits.square().neg_().add_(1)
    logits.mul_(softcap)
    return slope
