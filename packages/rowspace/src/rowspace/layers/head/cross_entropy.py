"""Cross entropy computed from hidden states, without the logits of all rows.

`cross_entropy(hidden, weight, targets)` equals `F.cross_entropy(F.linear(hidden, weight).float(), targets)` in value
and gradient. Rows with `ignore_index` are not computed. The gradients are computed in the forward pass, chunk by chunk,
and scaled in the backward pass, as in Liger-Kernel (Hsu et al., 2024) and `F.linear_cross_entropy` of torch 2.13, which
has no softcap, z-loss, label smoothing or `torch.func` support, and computes ignored rows. Probabilities as targets are
not supported; `kl_divergence` of a head compares with another head.
"""

from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor

from rowspace.layers.head.chunked_loss import LossTerms, row_losses, unchunked_losses
from rowspace.layers.head.loss_arguments import (
    Reduction,
    checked_settings,
    combined_weights,
    reduced,
    refuse_distributed,
    weighted_sum,
)
from rowspace.layers.head.loss_second_order import second_order

__all__ = ["cross_entropy"]


def cross_entropy(  # noqa: PLR0913  the names and the order of torch's own
    hidden: Tensor,
    weight: Tensor,
    targets: Tensor,
    *,
    bias: Tensor | None = None,
    row_weights: Tensor | None = None,
    class_weights: Tensor | None = None,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    z_loss: float = 0.0,
    softcap: float | None = None,
    reduction: Reduction = "mean",
    chunk_size: int | None = None,
) -> Tensor:
    """Cross entropy of `softmax(hidden @ weight.T + bias)` against target ids, without the (N, V) logits.

    Args:
        hidden: (..., d) hidden states, any floating dtype.
        weight: (V, d) rows of the table or head, in the dtype of `hidden`; autocast applies as to a linear layer.
        targets: (...) int64 ids.
        bias: (V,) added to the logits.
        row_weights: (...) factors of the losses, one per target, such as advantages in reinforcement learning.
        class_weights: (V,) factors of the losses, one per id, as `weight` of `F.cross_entropy`; not with label
            smoothing.
        ignore_index: Rows with this target are not computed and do not count in the mean.
        label_smoothing: Share of the target distributed evenly over all V (Szegedy et al., 2016).
        z_loss: Factor of the squared log-partition added to each row's loss (PaLM, 2022: 1e-4).
        softcap: Logits become `softcap · tanh(logits / softcap)` (Gemma 2: 30).
        reduction: "mean" over the rows that are not ignored (nan if there are none, as in torch), with weights the sum
            divided by that of the weights; "sum"; or "none", which computes the logits again in its backward pass, as
            do weights that require gradients.
        chunk_size: Rows of logits in memory at once; by default what fits in 256 MB on a CPU, 512 MB elsewhere.

    Returns:
        A scalar, or (...) for "none": float32, or float64 for float64. Logits are rounded to the working dtype, as in a
        linear layer; softmax and sums are float32, also the sum of the weight's gradient over chunks.

    Raises:
        UsageError: For inconsistent shapes, dtypes or settings, or a target out of range, with its row.

    Second derivatives are available through `create_graph=True` or two times `torch.func.jacrev`, but not in compiled
    code; forward mode, and thus `torch.func.hessian`, is not supported. In `torch.onnx.export` the graph computes all
    logits at once, since ONNX has no such operator, and does not check targets.

    >>> hidden, weight = torch.tensor([[1.0, 0.0], [0.0, 2.0]]), torch.eye(2)
    >>> cross_entropy(hidden, weight, torch.tensor([0, 1]))
    tensor(0.2201)
    >>> cross_entropy(hidden, weight, torch.tensor([0, -100]), reduction="none")
    tensor([0.3133, 0.0000])
    """
    settings = checked_settings(
        hidden, weight, targets, bias, LossTerms(ignore_index, label_smoothing, z_loss, softcap), reduction, chunk_size
    )
    weights = combined_weights(hidden, weight, targets, row_weights, class_weights, settings)
    refuse_distributed(hidden, weight, bias, targets)
    rows, flat = hidden.reshape(-1, hidden.shape[-1]), targets.reshape(-1)
    # rows: (N, d); flat and weights: (N,)
    is_summed = reduction != "none" and not (weights is not None and weights.requires_grad)
    losses = _losses(rows, weight, bias, flat, weights if is_summed else None, settings, is_summed=is_summed)
    return reduced(losses, weights, targets, ignore_index, reduction, is_summed=is_summed)


def _losses(
    hidden: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    targets: Tensor,
    weights: Tensor | None,
    settings: tuple[Any, ...],
    *,
    is_summed: bool,
) -> Tensor:
    """The losses of the rows (N,), or their sum, weighted by `weights` (N,)."""
    parts = (hidden, weight, bias, targets)
    if _exports_to_onnx():  # ONNX has no equivalent of the custom operator
        dtype, *terms, _ = settings
        losses = unchunked_losses(*parts, dtype, LossTerms(*terms))
        return weighted_sum(losses, weights) if is_summed else losses
    needs_grad = _needs_grad(hidden, weight, bias)
    if torch.compiler.is_compiling() and not any(needs_grad):  # torch.compile calls a forward with *options wrongly
        losses = cast(Tensor, row_losses(*parts, None, *settings, needs_grad)[0])
        return weighted_sum(losses, weights) if is_summed else losses
    if is_summed:
        return cast(Tensor, _SummedLoss.apply(*parts, weights, *settings, *needs_grad)[0])
    return cast(Tensor, _RowLosses.apply(*parts, *settings))


def _exports_to_onnx() -> bool:
    is_traced = torch.compiler.is_exporting() or torch.jit.is_tracing()  # type: ignore[attr-defined]  # no stubs
    return is_traced and torch.onnx.is_in_onnx_export()


class _SummedLoss(torch.autograd.Function):
    """The sum of the losses; its gradients are outputs too, since `torch.func` can save only inputs and outputs.

    `options` are the settings and then `needs_grad` for the three gradients. They are passed one by one, not in a
    tuple, because the generated vmap rule flattens containers.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(
        hidden: Tensor, weight: Tensor, bias: Tensor | None, targets: Tensor, weights: Tensor | None, *options: Any
    ) -> tuple[Tensor, ...]:
        settings, needs_grad = options[:-3], list(options[-3:])
        losses, *gradients = row_losses(hidden, weight, bias, targets, weights, *settings, needs_grad)
        return weighted_sum(losses, weights), *gradients

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        ctx.settings = inputs[5:-3]
        ctx.set_materialize_grads(False)  # otherwise zeros as large as the weight's gradient are allocated
        ctx.mark_non_differentiable(*output[1:])
        ctx.save_for_backward(*inputs[:5], *output[1:])

    @staticmethod
    def backward(ctx: Any, upstream: Tensor | None, *_: None) -> tuple[Tensor | None, ...]:
        needed = ctx.needs_input_grad
        if upstream is None:
            return (None,) * len(needed)
        saved = ctx.saved_tensors  # read once: checkpointing without reentrant autograd refuses a second time
        tensors, gradients = saved[:5], saved[5:]
        scaled = _call(_SummedGradient, *tensors, upstream, *gradients, *ctx.settings, *needed[:3])
        return _padded(scaled, needed)


class _SummedGradient(torch.autograd.Function):
    """The gradients of the forward pass times the incoming gradient; its derivative is `second_order`."""

    generate_vmap_rule = True

    @staticmethod
    def forward(  # noqa: PLR0913, PLR0917  autograd takes no dataclass
        hidden: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        targets: Tensor,
        weights: Tensor | None,
        upstream: Tensor,
        dhidden: Tensor,
        dweight: Tensor,
        dbias: Tensor,
        *options: Any,
    ) -> tuple[Tensor, ...]:
        gradients = zip((dhidden, dweight, dbias), (hidden, weight, bias), options[-3:], strict=True)
        return tuple(
            (gradient * upstream).to(part.dtype) if needed and part is not None else gradient.new_empty(0)
            for gradient, part, needed in gradients
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        ctx.settings, ctx.needs_grad = inputs[9:-3], inputs[-3:]
        ctx.save_for_backward(*inputs[:6])

    @staticmethod
    def backward(ctx: Any, *upstream: Tensor) -> tuple[Tensor | None, ...]:
        hidden, weight, bias, targets, weights, scale = ctx.saved_tensors
        row_gradient, directions = scale.expand(targets.shape), _only(upstream, ctx.needs_grad)
        row_gradient = row_gradient if weights is None else row_gradient * weights
        *products, slopes = second_order(hidden, weight, bias, targets, row_gradient, directions, ctx.settings)
        return _padded((*products, None, None, weighted_sum(slopes, weights)), ctx.needs_input_grad)


class _RowLosses(torch.autograd.Function):
    """The loss of each row; the gradients are computed in backward, since they need the incoming gradient (N,)."""

    generate_vmap_rule = True

    @staticmethod
    def forward(hidden: Tensor, weight: Tensor, bias: Tensor | None, targets: Tensor, *settings: Any) -> Tensor:
        losses: Tensor = row_losses(hidden, weight, bias, targets, None, *settings, [False] * 3)[0]
        return losses

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.settings = inputs[4:]
        ctx.save_for_backward(*inputs[:4])

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        needed = ctx.needs_input_grad
        gradients = _call(_RowGradient, *ctx.saved_tensors, upstream, *ctx.settings, *needed[:3])
        return _padded(gradients, needed)


class _RowGradient(torch.autograd.Function):
    """The gradients of the row losses weighted by the incoming gradient (N,); its derivative is `second_order`."""

    generate_vmap_rule = True

    @staticmethod
    def forward(
        hidden: Tensor, weight: Tensor, bias: Tensor | None, targets: Tensor, upstream: Tensor, *options: Any
    ) -> tuple[Tensor, ...]:
        settings, needs_grad = options[:-3], list(options[-3:])
        _, *gradients = row_losses(hidden, weight, bias, targets, upstream.contiguous(), *settings, needs_grad)
        parts = zip(gradients, (hidden, weight, bias), strict=True)
        return tuple(gradient if part is None else gradient.to(part.dtype) for gradient, part in parts)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        ctx.settings, ctx.needs_grad = inputs[5:-3], inputs[-3:]
        ctx.save_for_backward(*inputs[:5])

    @staticmethod
    def backward(ctx: Any, *upstream: Tensor) -> tuple[Tensor | None, ...]:
        hidden, weight, bias, targets, row_gradient = ctx.saved_tensors
        directions = _only(upstream, ctx.needs_grad)
        *products, slopes = second_order(hidden, weight, bias, targets, row_gradient, directions, ctx.settings)
        return _padded((*products, None, slopes), ctx.needs_input_grad)


def _call(function: type[torch.autograd.Function], *arguments: Any) -> tuple[Tensor, ...]:
    """Apply a function with its derivative; in a compiled graph, which has no second derivatives, call it directly."""
    call = function.forward if torch.compiler.is_compiling() else function.apply
    return cast(tuple[Tensor, ...], call(*arguments))


def _only(parts: Sequence[Tensor | None], needs_grad: Sequence[bool]) -> tuple[Tensor | None, ...]:
    """The needed parts, and None for the others."""
    return tuple(part if needed else None for part, needed in zip(parts, needs_grad, strict=True))


def _padded(parts: Sequence[Tensor | None], needed: Sequence[bool]) -> tuple[Tensor | None, ...]:
    """One gradient for each argument of forward: the needed ones of the first arguments, and None."""
    return *_only(parts, needed[: len(parts)]), *[None] * (len(needed) - len(parts))


def _needs_grad(*parts: Tensor | None) -> list[bool]:
    """Which gradients to compute in the forward pass."""
    return [part is not None and part.requires_grad and torch.is_grad_enabled() for part in parts]
