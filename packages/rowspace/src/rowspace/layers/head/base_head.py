"""What tied and untied heads have in common: `Head`."""

import math
from typing import Any, Literal, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from rowspace.errors import UsageError
from rowspace.layers.arguments import is_finite
from rowspace.layers.head.cross_entropy import cross_entropy
from rowspace.layers.head.divergence import row_divergence
from rowspace.layers.head.loss_arguments import Reduction
from rowspace.layers.head.token_log_probs import HeadRows, TokenLogProbs, token_log_probs
from rowspace.layers.tables.distributed_lookup import distributed_sentence, is_distributed
from rowspace.layers.tables.wrapped import loaded, require_numbers

__all__ = ["Head", "Scale"]

Scale = float | Literal["rsqrt"] | None


class Head(nn.Module):
    """The base class of both heads: settings, logits, losses and comparisons."""

    bias: nn.Parameter | None
    shards: Any = None  # of `vocabulary_parallel`: computes logits and losses with the rows of this process

    def __init__(self, bias: Tensor | None, scale: Scale, softcap: float | None, temperature: float) -> None:
        super().__init__()
        if isinstance(scale, str) and scale != "rsqrt":
            raise UsageError(f'scale must be a number, "rsqrt" for embedding_dim ** -0.5, or None, got {scale!r}')
        if not isinstance(scale, str | None) and not is_finite(scale):
            raise UsageError(f"scale must be finite, got {scale!r}; None turns it off")
        if not all(0 < number < math.inf for number in (1 if softcap is None else softcap, temperature)):
            raise UsageError(
                f"softcap and temperature must be above 0 and finite (or None and 1), got {softcap} and {temperature}"
            )
        self.scale, self.softcap, self.temperature = scale, softcap, temperature
        self.bias = None if bias is None else nn.Parameter(bias)

    def forward(self, hidden: Tensor) -> Tensor:
        """Logits (..., V) of hidden states (..., d)."""
        states, weight = self._operands(hidden)
        if self.shards is not None:
            return self._finished(self.shards.logits(states, weight, self.bias))
        return self._finished(functional.linear(states, weight, self.bias))

    def _finished(self, logits: Tensor) -> Tensor:
        if self.softcap is not None:
            logits = torch.tanh(logits / self.softcap) * self.softcap
        return logits if self.temperature == 1 else logits / self.temperature

    def loss(  # noqa: PLR0913  the names and the order of cross_entropy
        self,
        hidden: Tensor,
        targets: Tensor,
        *,
        row_weights: Tensor | None = None,
        class_weights: Tensor | None = None,
        ignore_index: int = -100,
        label_smoothing: float = 0.0,
        z_loss: float = 0.0,
        reduction: Reduction = "mean",
        chunk_size: int | None = None,
    ) -> Tensor:
        """Compute `F.cross_entropy(head(hidden), targets)` without the full logits.

        Args:
            hidden: (..., d) hidden states.
            targets: (...) int64 ids.
            row_weights: (...) factors of the losses, one per target, as in `cross_entropy`.
            class_weights: (V,) factors of the losses, one per id.
            ignore_index: As in `cross_entropy`, like the following.
            label_smoothing: The share of the target that all rows get alike.
            z_loss: The factor of the square of the logarithm of the sum of exponentials.
            reduction: "mean", "sum" or "none".
            chunk_size: Rows of logits at a time.

        Returns:
            As `cross_entropy`.
        """
        with loaded(self):  # accelerate does so for forward only
            return self._loss(
                hidden,
                targets,
                row_weights=row_weights,
                class_weights=class_weights,
                ignore_index=ignore_index,
                label_smoothing=label_smoothing,
                z_loss=z_loss,
                reduction=reduction,
                chunk_size=chunk_size,
            )

    def _loss(self, hidden: Tensor, targets: Tensor, **options: Any) -> Tensor:
        rows = self._rows_for(hidden)
        compute = cross_entropy if self.shards is None else self.shards.cross_entropy
        return cast(Tensor, compute(rows.hidden, rows.weight, targets, bias=rows.bias, softcap=rows.softcap, **options))

    def log_probs(
        self,
        hidden: Tensor,
        ids: Tensor,
        *,
        temperature: float = 1.0,
        ignore_index: int = -100,
        chunk_size: int | None = None,
    ) -> TokenLogProbs:
        """Log-probabilities of tokens and the entropy of the distribution at each place, without the full logits.

        Reinforcement learning compares these between policies. The backward pass computes the logits again, so nothing
        of the size of the logits is kept. Second derivatives are not supported.

        Args:
            hidden: (..., d) hidden states.
            ids: (...) int64 ids, the token at each place.
            temperature: That of the sampling. It divides the logits, in addition to the temperature of the head.
            ignore_index: Places with this id are not computed, and get zeros.
            chunk_size: Rows of logits at a time.

        Returns:
            `log_probs` and `entropy`, (...) each, in nats; float32, or float64 for float64.

        Raises:
            UsageError: For shapes that do not match, an id out of range, a temperature that is not positive, or a
                vocabulary that is split over processes.

        >>> from rowspace.layers import UntiedHead
        >>> head = UntiedHead(3, 4)
        >>> found = head.log_probs(torch.zeros(2, 3), torch.tensor([1, -100]))
        >>> found.log_probs.exp(), found.entropy.exp()
        (tensor([0.2500, 1.0000]...), tensor([4., 1.]...))
        """
        with loaded(self):
            rows = self._rows_for(hidden, temperature, "log_probs")
            return token_log_probs(rows, ids, ignore_index=ignore_index, chunk_size=chunk_size)

    def kl_divergence(
        self,
        hidden: Tensor,
        teacher: "Head",
        teacher_hidden: Tensor,
        *,
        reverse: bool = False,
        temperature: float = 1.0,
        mask: Tensor | None = None,
        reduction: Reduction = "mean",
        chunk_size: int | None = None,
    ) -> Tensor:
        """Kullback-Leibler divergence between the predictions of a teacher and of this head, without the full logits.

        By default KL(teacher || student), as in distillation (Hinton et al., 2015); with `reverse`, KL(student ||
        teacher), as in MiniLLM (Gu et al., 2024) and as a penalty in reinforcement learning. The teacher is a constant:
        its head and states get no gradient. Some authors multiply the loss by the square of the temperature.

        Args:
            hidden: (..., d) hidden states.
            teacher: A head with as many rows; its width, scale, softcap and temperature may differ.
            teacher_hidden: (..., d') hidden states of the teacher, for the same places.
            reverse: Whether the student's distribution comes first.
            temperature: Divides the logits of both, in addition to the temperatures of the heads.
            mask: (...) bool, the places that count; by default all.
            reduction: "mean" over these places (nan if there are none), "sum", or "none", which computes the logits
                again in its backward pass.
            chunk_size: Rows of logits at a time.

        Returns:
            A scalar, or (...) for "none", in nats; float32, or float64 for float64.

        Raises:
            UsageError: For shapes, vocabularies or settings that do not match, or a vocabulary that is split over
                processes.

        >>> from rowspace.layers import UntiedHead
        >>> student, teacher = UntiedHead(3, 5), UntiedHead(8, 5)
        >>> student.kl_divergence(torch.zeros(2, 3), teacher, torch.zeros(2, 8))
        tensor(0...)
        """
        with loaded(self), loaded(teacher):
            rows = self._rows_for(hidden, temperature, "kl_divergence")
            with torch.no_grad():
                fixed = teacher._rows_for(teacher_hidden, temperature, "kl_divergence")
            return row_divergence(rows, fixed, reverse=reverse, mask=mask, reduction=reduction, chunk_size=chunk_size)

    def _rows_for(self, hidden: Tensor, temperature: float = 1.0, needs_all_rows: str = "") -> HeadRows:
        """What the logits of `hidden` are computed from.

        With x = logits / T: cap · tanh(logits / cap) / T = (cap / T) · tanh(x / (cap / T)).
        """
        states, weight = self._operands(hidden)
        if not 0 < temperature < math.inf:
            raise UsageError(f"temperature must be above 0 and finite, got {temperature}")
        if needs_all_rows and self.shards is not None:
            raise UsageError(f"{needs_all_rows} does not support a vocabulary that is split over processes; use loss")
        temperature = temperature * self.temperature
        bias: Tensor | None = self.bias
        if temperature != 1:
            states = states / temperature
            bias = None if bias is None else bias / temperature
        return HeadRows(states, weight, bias, None if self.softcap is None else self.softcap / temperature)

    def extra_repr(self) -> str:
        """The arguments, for `print(module)`."""
        rows, dim = cast(Tensor, self.weight).shape
        return (
            f"{dim}, {rows}, bias={self.bias is not None}, scale={self.scale!r}, softcap={self.softcap}, "
            f"temperature={self.temperature}"
        )

    def _operands(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """The two tensors whose product the logits are, before bias, cap and temperature: (..., d) and (V, d)."""
        weight = self._checked_weight(hidden)
        return self._scaled(hidden, weight.shape[1]), weight

    def _scaled(self, hidden: Tensor, dim: int) -> Tensor:
        if self.scale is None:
            return hidden
        return hidden * (dim**-0.5 if self.scale == "rsqrt" else self.scale)

    def _table(self, hidden: Tensor) -> Tensor:
        """The weight (V, d) for a product with hidden states."""
        return cast(Tensor, self.weight)

    def _checked_weight(self, hidden: Tensor) -> Tensor:
        weight = self._table(hidden)
        self._check_hidden(hidden, *weight.shape)
        for tensor in (weight, self.bias):
            require_numbers(tensor, hidden)
        if self.shards is None and is_distributed(weight) and not is_distributed(hidden):
            raise UsageError(distributed_sentence(weight))
        return weight

    def _check_hidden(self, hidden: Tensor, rows: int, dim: int) -> None:
        if hidden.ndim < 1 or hidden.shape[-1] != dim:
            raise UsageError(
                f"hidden must have shape (..., {dim}), got {tuple(hidden.shape)}; if the table is narrower than the "
                "model, project first"
            )
        if self.bias is not None and len(self.bias) != rows:
            raise UsageError(
                f"the head has a bias of {len(self.bias)} numbers for a table of {rows} rows; replace it by a bias of "
                f"{rows}"
            )
