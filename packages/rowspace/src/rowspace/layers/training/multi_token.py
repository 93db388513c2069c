"""Prediction of several tokens ahead with one table and one head: `MultiTokenPrediction`."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, Factory, require_positive
from rowspace.layers.head.base_head import Head
from rowspace.layers.head.wrapping import readers

__all__ = ["MultiTokenPrediction"]


class MultiTokenPrediction(nn.Module):
    """hidden (batch, seq, d) → the loss of tokens 2, 3, … ahead, trained together with the loss of the next token.

    Depth k joins the states of depth k - 1 at a token with the row of the token k places later, and its block then
    predicts the token k + 1 places ahead. The embedding and the head are those of the model: they are only referred to,
    and not part of this module. If PEFT wraps one of them, its wrapper is read.

        states (batch, seq - 1, d) ──► norm ──┐
                                              ├──► projection ──► block ──► states of the next depth ──► shared head
        rows of the next tokens    ──► norm ──┘     (2d → d)

    Source: DeepSeek-V3 technical report, 2024, section 2.2.

    Args:
        embedding: The token embedding of the model: ids (...) → (..., d).
        head: Its `TiedHead` or `UntiedHead`.
        embedding_dim: d.
        blocks: One module for each depth, (batch, seq, d) → (batch, seq, d), causal.
        device: Device of norms and projections.
        dtype: Dtype of norms and projections.

    Raises:
        UsageError: Without blocks; in forward for shapes that do not match or texts that are too short.

    >>> tokens = nn.Embedding(50, 8)
    >>> from rowspace.layers import TiedHead
    >>> ahead = MultiTokenPrediction(tokens, TiedHead(tokens), 8, [nn.Identity()])
    >>> ids = torch.randint(50, (2, 6))
    >>> ahead(tokens(ids), ids).shape
    torch.Size([])
    """

    def __init__(
        self,
        embedding: nn.Module,
        head: Head,
        embedding_dim: int,
        blocks: Iterable[nn.Module],
        *,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(embedding_dim=embedding_dim)
        self.blocks = nn.ModuleList(blocks)
        if not len(self.blocks):
            raise UsageError("blocks must have one module for each token ahead, at least one")
        self.embedding, self.head = embedding, head
        readers.add(self)
        factory: Factory = {"device": device, "dtype": dtype}
        self.state_norms = nn.ModuleList(nn.RMSNorm(embedding_dim, eps=1e-6, **factory) for _ in self.blocks)
        self.row_norms = nn.ModuleList(nn.RMSNorm(embedding_dim, eps=1e-6, **factory) for _ in self.blocks)
        self.projections = nn.ModuleList(
            nn.Linear(2 * embedding_dim, embedding_dim, bias=False, **factory) for _ in self.blocks
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Of a copy."""
        super().__setstate__(state)
        readers.add(self)

    def __setattr__(self, name: str, value: Any) -> None:
        """Store what is shared as plain attributes: as submodules they would be saved twice."""
        if name in ("embedding", "head"):
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)

    def forward(self, hidden: Tensor, ids: Tensor, *, ignore_index: int = -100) -> Tensor:
        """The mean loss of all depths.

        Args:
            hidden: (batch, seq, d), the states from which the head predicts the next token.
            ids: (batch, seq) int64, the tokens.
            ignore_index: Id that is not predicted, such as padding.

        Returns:
            A scalar.
        """
        states = self.states(hidden, ids)
        losses = [
            self.head.loss(each[:, :-1], ids[:, depth + 2 :], ignore_index=ignore_index)
            for depth, each in enumerate(states)
        ]
        return torch.stack(losses).mean()

    def states(self, hidden: Tensor, ids: Tensor) -> list[Tensor]:
        """The states of each depth, for the head; that of depth k has k places less.

        Args:
            hidden: As in `forward`.
            ids: As in `forward`.

        Returns:
            For each depth k from 1: (batch, seq - k, d). The head predicts from its place i the token i + k + 1.
        """
        if hidden.dim() != 3 or hidden.shape[:2] != ids.shape:
            raise UsageError(
                f"hidden {tuple(hidden.shape)} and ids {tuple(ids.shape)} do not match: expected (batch, seq, d) and "
                "(batch, seq)"
            )
        if ids.shape[1] < len(self.blocks) + 2:
            raise UsageError(
                f"texts of {ids.shape[1]} tokens are too short to predict {len(self.blocks) + 1} tokens ahead; at "
                f"least {len(self.blocks) + 2} are needed"
            )
        rows, found = self.embedding(ids), []
        parts = zip(self.state_norms, self.row_norms, self.projections, self.blocks, strict=True)
        for depth, (state_norm, row_norm, projection, block) in enumerate(parts, start=1):
            joined = torch.cat([state_norm(hidden[:, :-1]), row_norm(rows[:, depth:])], -1)
            # joined: (batch, seq - depth, 2 d)
            hidden = block(projection(joined))
            found.append(hidden)
        return found
