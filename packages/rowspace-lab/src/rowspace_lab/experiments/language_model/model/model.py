"""A causal decoder around the embedding layers: rows in, blocks, the same or other rows out: `LanguageModel`."""

from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional

from rowspace.layers import (
    Alibi,
    InputEmbedding,
    LearnedPosition,
    RotaryPosition,
    SinusoidPosition,
    TiedHead,
    TokenEmbedding,
    UntiedHead,
)
from rowspace.layers.head.loss_arguments import Reduction
from rowspace.layers.tables.constraints import Constraint
from rowspace_lab.experiments.language_model.options import ModelOptions

__all__ = ["LanguageModel"]

NORM_EPS = 1e-5


class LanguageModel(nn.Module):
    """ids (batch, seq) → logits (batch, seq, V): each position predicts the next id.

    Args:
        num_embeddings: V.
        context: Number of learned positions; other schemes have no limit.
        options: The shape.
        constraint: On the norms of the input rows.

    >>> model = LanguageModel(100, 16, ModelOptions(dim=8, heads=2, layers=1))
    >>> model(torch.zeros(2, 5, dtype=torch.int64)).shape
    torch.Size([2, 5, 100])
    """

    def __init__(
        self, num_embeddings: int, context: int, options: ModelOptions, *, constraint: Constraint | None = None
    ) -> None:
        super().__init__()
        self.options = options
        dim = options.dim
        tokens = TokenEmbedding(
            num_embeddings,
            dim,
            scale="sqrt" if options.scaled else None,
            init=partial(nn.init.normal_, std=options.init_std),
            constraint=constraint,
        )
        added: dict[str, nn.Module] = {}
        if options.positions == "learned":
            added["positions"] = LearnedPosition(context, dim)
        elif options.positions == "sinusoid":
            added["positions"] = SinusoidPosition(dim)
        in_attention: dict[str, nn.Module] = {}
        if options.positions == "rotary":
            in_attention["rotary"] = RotaryPosition(options.head_dim)
        elif options.positions == "alibi":
            in_attention["alibi"] = Alibi(options.heads)
        self.input = InputEmbedding(attention=in_attention, tokens=tokens, **added)  # type: ignore[arg-type]  # mypy cannot check **
        self.blocks = nn.ModuleList(Block(options) for _ in range(options.layers))
        self.norm = make_norm(options)
        self.head = TiedHead(tokens) if options.tied else UntiedHead(dim, num_embeddings)

    def forward(self, ids: Tensor, *, causal: bool = True) -> Tensor:
        """Compute the logits.

        Args:
            ids: (batch, seq) int64.
            causal: Whether a position sees only itself and earlier ones.

        Returns:
            (batch, seq, V).
        """
        logits: Tensor = self.head(self.states(ids, causal=causal)[-1])
        return logits

    def loss(self, ids: Tensor, targets: Tensor, *, reduction: Reduction = "mean") -> Tensor:
        """Compute the cross entropy in nats of `targets` (batch, seq), without the logits of all rows at once."""
        return self.head.loss(self.states(ids)[-1], targets, reduction=reduction)

    def states(self, ids: Tensor, *, causal: bool = True) -> list[Tensor]:
        """Compute the input, the output of each block, and the normed output of the last one, which the head reads.

        Args:
            ids: (batch, seq) int64.
            causal: As in `forward`.

        Returns:
            `layers` + 2 tensors (batch, seq, d).
        """
        hidden: Tensor = self.input(ids)
        positions = torch.arange(ids.shape[-1], device=ids.device)
        angles = self.input.rotary.angles(positions) if self.options.positions == "rotary" else None
        mask = self._mask(positions, hidden.dtype, causal=causal)
        states = [hidden]
        for block in self.blocks:
            rotated = None if angles is None else (self.input.rotary, *angles)
            states.append(block(states[-1], rotated, mask, is_causal=causal and mask is None))
        return [*states, self.norm(states[-1])]

    def _mask(self, positions: Tensor, dtype: torch.dtype, *, causal: bool) -> Tensor | None:
        """ALiBi's bias (heads, seq, seq), with -inf for later keys; None for the other schemes."""
        if self.options.positions != "alibi":
            return None
        bias: Tensor = self.input.alibi(positions, positions, dtype=dtype)
        later = positions.unsqueeze(0) > positions.unsqueeze(1)  # (query, key)
        return bias.masked_fill(later, float("-inf")) if causal else bias


Rotated = tuple[RotaryPosition, Tensor, Tensor]


class Block(nn.Module):
    """A pre-norm block: attention, then an MLP, each added to its input."""

    def __init__(self, options: ModelOptions) -> None:
        super().__init__()
        dim, bias = options.dim, options.block == "gpt2"
        self.heads = options.heads
        self.attention_norm = make_norm(options)
        self.query, self.key, self.value, self.output = (
            _linear(dim, dim, bias, options, is_residual=number == 3) for number in range(4)
        )
        self.mlp_norm = make_norm(options)
        self.mlp = MLP(options)

    def forward(self, hidden: Tensor, rotated: Rotated | None, mask: Tensor | None, *, is_causal: bool) -> Tensor:
        """(batch, seq, d) → (batch, seq, d); `mask` is added to the scores (heads, seq, seq)."""
        normed = self.attention_norm(hidden)
        query, key, value = (
            part(normed).unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in (self.query, self.key, self.value)
        )  # (batch, heads, seq, head_dim)
        if rotated is not None:
            rotary, cos, sin = rotated
            query, key = rotary.apply_angles(query, cos, sin), rotary.apply_angles(key, cos, sin)
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, is_causal=is_causal)
        hidden = hidden + self.output(mixed.transpose(1, 2).flatten(-2))
        added: Tensor = self.mlp(self.mlp_norm(hidden))
        return hidden + added


class MLP(nn.Module):
    """down(activation(up x)), or with a gate down(silu(gate x) · up x): SwiGLU (Shazeer 2020)."""

    def __init__(self, options: ModelOptions) -> None:
        super().__init__()
        dim, inner, bias = options.dim, options.inner_dim, options.block == "gpt2"
        self.up = _linear(dim, inner, bias, options)
        self.gate = _linear(dim, inner, bias, options) if options.block == "llama" else None
        self.down = _linear(inner, dim, bias, options, is_residual=True)
        self.approximate = "tanh" if options.block == "gpt2" else "none"

    def forward(self, x: Tensor) -> Tensor:
        """(..., d) → (..., d)."""
        up: Tensor = self.up(x)
        inner = (
            functional.gelu(up, approximate=self.approximate)
            if self.gate is None
            else functional.silu(self.gate(x)) * up
        )
        added: Tensor = self.down(inner)
        return added


def make_norm(options: ModelOptions) -> nn.Module:
    """Return the norm of a kind of block."""
    if options.block == "llama":
        return nn.RMSNorm(options.dim, eps=NORM_EPS)
    return nn.LayerNorm(options.dim, eps=NORM_EPS, bias=options.block == "gpt2")


def _linear(inputs: int, outputs: int, bias: bool, options: ModelOptions, *, is_residual: bool = False) -> nn.Linear:
    """A layer with GPT-2's initialization: those that add to the residual have a smaller deviation."""
    layer = nn.Linear(inputs, outputs, bias=bias)
    nn.init.normal_(layer.weight, std=0.02 / (2 * options.layers) ** 0.5 if is_residual else 0.02)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer
