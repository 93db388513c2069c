"""Ways in which the rows of a model learn: freely, not at all, or by a change of low rank that is added to them."""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from rowspace_lab.experiments.language_model.model.model import LanguageModel

__all__ = ["merge_rows", "prepare_rows", "weights_of"]


class LowRank(nn.Module):
    """W → W + B A, where A (r, d) is random and B (V, r) is zero at the start (LoRA, Hu et al. 2021)."""

    def __init__(self, num_embeddings: int, dim: int, rank: int) -> None:
        super().__init__()
        self.up = nn.Parameter(torch.zeros(num_embeddings, rank))
        self.down = nn.Parameter(torch.randn(rank, dim) * dim**-0.5)

    def forward(self, rows: Tensor) -> Tensor:
        """(V, d) → (V, d)."""
        return rows + self.up @ self.down


def prepare_rows(model: LanguageModel, mode: Literal["free", "frozen", "lora"], rank: int) -> None:
    """Decide how the input rows learn; a tied head shares them.

    Args:
        model: The model, changed in place.
        mode: "free", "frozen", or "lora" for a change of low rank.
        rank: The rank of that change.
    """
    tokens = model.input.tokens
    if mode == "free":
        return
    tokens.weight.requires_grad_(False)
    if mode == "lora":
        size, dim = tokens.weight.shape
        parametrize.register_parametrization(tokens, "weight", LowRank(size, dim, rank))


def merge_rows(model: LanguageModel) -> None:
    """Add a change of low rank to the rows, in place."""
    if parametrize.is_parametrized(model.input.tokens, "weight"):
        parametrize.remove_parametrizations(model.input.tokens, "weight", leave_parametrized=True)


def weights_of(model: LanguageModel) -> dict[str, Tensor]:
    """Return the state dict of the model with plain rows, merged."""
    weights = {name: tensor for name, tensor in model.state_dict().items() if "parametrizations" not in name}
    return {"input.tokens.weight": model.input.tokens.weight.detach()} | weights
