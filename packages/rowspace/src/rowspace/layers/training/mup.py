"""Learning rates and scales that stay right when a model gets wider (μP): `mup_groups`, `mup_head_scale`."""

from typing import Any

import torch
from torch import nn

from rowspace.errors import UsageError
from rowspace.layers.head.base_head import Head
from rowspace.layers.pixels.image_embedding import PrefixTokens
from rowspace.layers.pixels.patches import PatchEmbedding
from rowspace.layers.positions.grid import GridPosition
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.positions.relative import RelativeBias
from rowspace.layers.training.rows_in_text import SoftPrompt

__all__ = ["mup_groups", "mup_head_scale"]

TABLES = (
    nn.Embedding, nn.EmbeddingBag, Head, GridPosition, LearnedPosition, PatchEmbedding, PrefixTokens, RelativeBias,
    SoftPrompt,
)  # fmt: skip


def mup_head_scale(embedding_dim: int, base_dim: int) -> float:
    """The `scale` of a tied or untied head of a wide model: base_dim / embedding_dim.

    The table keeps the standard deviation and the learning rate that it has at the base width, as the input needs; the
    products with it grow with the width, which this factor undoes. It makes tying possible under μP.

    Source: Yang et al. 2021, "Tensor Programs V", table 8 (with the multiplier of the output).

    Args:
        embedding_dim: d of the model.
        base_dim: d of the model for which the learning rate was found.

    Returns:
        The scale, for `TiedHead(embedding, scale=...)`.

    Raises:
        UsageError: For a size below 1.

    >>> mup_head_scale(1024, base_dim=256)
    0.25
    """
    if embedding_dim < 1 or base_dim < 1:
        raise UsageError(f"embedding_dim and base_dim must be at least 1, got {embedding_dim} and {base_dim}")
    return base_dim / embedding_dim


def mup_groups(model: nn.Module, embedding_dim: int, *, base_dim: int, lr: float) -> list[dict[str, Any]]:
    """Parameters in two groups for Adam: matrices between hidden layers learn at lr · base_dim / embedding_dim.

    Tables, heads, biases and norms, whose size grows with the width in at most one dimension, keep `lr`. Initialize the
    hidden matrices with a variance of 1 / (their inputs), as torch's linear layers do up to a constant.

    Source: as `mup_head_scale`.

    Args:
        model: Any module.
        embedding_dim: d of the model.
        base_dim: d of the model for which `lr` was found.
        lr: The learning rate at the base width.

    Returns:
        Groups for `torch.optim.AdamW`.

    Raises:
        UsageError: As `mup_head_scale`.

    >>> model = nn.Sequential(nn.Embedding(10, 64), nn.Linear(64, 64))
    >>> [(len(group["params"]), group["lr"]) for group in mup_groups(model, 64, base_dim=16, lr=0.01)]
    [(2, 0.01), (1, 0.0025)]
    """
    parts = [part for part in model.modules() if isinstance(part, TABLES)]
    tables = {id(getattr(part, name, None)) for part in parts for name in ("weight", "register_tokens")}
    kept: list[torch.Tensor] = []
    slowed: list[torch.Tensor] = []
    for parameter in model.parameters():
        is_hidden = parameter.dim() > 1 and id(parameter) not in tables
        (slowed if is_hidden else kept).append(parameter)
    factor = mup_head_scale(embedding_dim, base_dim)
    return [{"params": kept, "lr": lr}, {"params": slowed, "lr": lr * factor}]
