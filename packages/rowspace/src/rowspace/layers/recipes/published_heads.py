"""Heads that compute logits in the order of operations of published models: `PublishedHead`, `TransformedHead`."""

from collections.abc import Callable, Mapping
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from rowspace.errors import UsageError
from rowspace.layers.head.heads import TiedHead, UntiedHead
from rowspace.layers.head.token_log_probs import HeadRows, TokenLogProbs

__all__ = ["ACTIVATIONS", "PublishedHead", "PublishedTiedHead", "TransformedHead"]


class _Published:
    """The forward of both heads, in a mixin: logits times a number, states divided by one, a bias added by itself."""

    multiplier: float = 1.0
    divisor: float = 1.0
    separate_bias: bool = False

    def forward(self, hidden: Tensor) -> Tensor:
        """Logits (..., V) of hidden states (..., d)."""
        head = cast(Any, self)
        if head.shards is not None:
            return cast(Tensor, super().forward(self._scaled_states(hidden)))  # type: ignore[misc]  # the next class has it
        weight = head._checked_weight(hidden)
        states = head._scaled(hidden if self.divisor == 1 else hidden / self.divisor, weight.shape[1])
        added = head.bias if self.separate_bias else None
        logits = functional.linear(states, weight, None if self.separate_bias else head.bias)
        logits = logits if added is None else logits + added
        return cast(Tensor, head._finished(logits if self.multiplier == 1 else logits * self.multiplier))

    def _rows_for(self, hidden: Tensor, *options: Any) -> HeadRows:
        return cast(HeadRows, super()._rows_for(self._scaled_states(hidden), *options))  # type: ignore[misc]  # likewise

    def _scaled_states(self, hidden: Tensor) -> Tensor:
        """States whose products with the rows are the logits without a bias."""
        if self.multiplier != 1 and cast(Any, self).bias is not None:
            raise UsageError("this head multiplies its bias too, so that only its logits can be computed; call it")
        return hidden * (self.multiplier / self.divisor)


class PublishedHead(_Published, UntiedHead):
    """`UntiedHead` with the rounding of published models.

    Three attributes that are not arguments: `multiplier` of the logits (Cohere, Falcon H1), `divisor` of the hidden
    states (MiniCPM), and `separate_bias`, whether the bias is added after the product (BART, ESM).

    >>> head = PublishedHead(4, 10)
    >>> head.multiplier = 0.0625
    >>> states = torch.rand(2, 4)
    >>> torch.equal(head(states), functional.linear(states, head.weight) * 0.0625)
    True
    """


class PublishedTiedHead(_Published, TiedHead):
    """`TiedHead` with the rounding of published models: see `PublishedHead`."""


class TransformedHead(nn.Module):
    """hidden (..., d) → logits (..., V): a linear map, an activation, a norm, and then a head (BERT).

    Source: Devlin et al. 2018, in Google's release; bit for bit transformers' `BertLMPredictionHead`.

    Args:
        dense: The linear map, to the width of the table.
        activation: A name in `ACTIVATIONS`.
        norm: The norm.
        head: `TiedHead` or `UntiedHead`.

    Raises:
        UsageError: For an unknown activation.

    >>> head = TransformedHead(nn.Linear(6, 4), "gelu", nn.LayerNorm(4), UntiedHead(4, 10))
    >>> head(torch.rand(2, 6)).shape
    torch.Size([2, 10])
    """

    def __init__(self, dense: nn.Module, activation: str, norm: nn.Module, head: nn.Module) -> None:
        super().__init__()
        if activation not in ACTIVATIONS:
            raise UsageError(f"activation must be one of {', '.join(ACTIVATIONS)}, not {activation!r}")
        self.dense, self.activation, self.norm, self.head = dense, activation, norm, head

    def transform(self, hidden: Tensor) -> Tensor:
        """Hidden states (..., d) → the states (..., e) that the rows are compared with."""
        states: Tensor = self.norm(ACTIVATIONS[self.activation](self.dense(hidden)))
        return states

    def forward(self, hidden: Tensor) -> Tensor:
        """Logits (..., V) of hidden states (..., d)."""
        logits: Tensor = self.head(self.transform(hidden))
        return logits

    def loss(self, hidden: Tensor, targets: Tensor, **options: Any) -> Tensor:
        """Compute the cross entropy without the full logits.

        Args:
            hidden: (..., d) hidden states.
            targets: (...) int64 ids.
            **options: As in `UntiedHead.loss`.

        Returns:
            As `cross_entropy`.
        """
        result: Tensor = cast(Any, self.head).loss(self.transform(hidden), targets, **options)
        return result

    def log_probs(self, hidden: Tensor, ids: Tensor, **options: Any) -> TokenLogProbs:
        """Log-probabilities of tokens and entropies without the full logits.

        Args:
            hidden: (..., d) hidden states.
            ids: (...) int64 ids.
            **options: As in `UntiedHead.log_probs`.

        Returns:
            As `UntiedHead.log_probs`.
        """
        result: TokenLogProbs = cast(Any, self.head).log_probs(self.transform(hidden), ids, **options)
        return result


def _gelu_new(x: Tensor) -> Tensor:
    """The approximation of GPT-2 and ALBERT, in their order of operations."""
    return 0.5 * x * (1.0 + torch.tanh((2.0 / torch.pi) ** 0.5 * (x + 0.044715 * x.pow(3))))


def _gelu_in_steps(x: Tensor) -> Tensor:
    """GELU by the error function in separate operations (ESM)."""
    return x * 0.5 * (1.0 + torch.erf(x / 2.0**0.5))


ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "gelu": functional.gelu,
    "gelu_in_steps": _gelu_in_steps,
    "gelu_new": _gelu_new,
    "relu": functional.relu,
    "silu": functional.silu,
    "swish": functional.silu,
}
