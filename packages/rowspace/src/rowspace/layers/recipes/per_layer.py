"""Rows for each layer of a model beside those of its input: `PerLayerInput` (Gemma 3n and 4)."""

from os import PathLike
from typing import Unpack

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.arguments import Factory
from rowspace.layers.base_modules import CountedModule
from rowspace.layers.recipes.checkpoint import Checkpoint
from rowspace.layers.recipes.families import Config
from rowspace.layers.recipes.parts import norm_of
from rowspace.layers.tables.token_embedding import TokenEmbedding

__all__ = ["PerLayerInput", "per_layer_from_checkpoint"]

MODELS = ("gemma3n_text", "gemma4_text", "gemma4_unified_text")
SIZES = ("vocab_size_per_layer_input", "hidden_size", "num_hidden_layers", "hidden_size_per_layer_input")
NAMES = {
    "tokens.weight": "embed_tokens_per_layer.weight",
    "projection.weight": "per_layer_model_projection.weight",
    "norm.weight": "per_layer_projection_norm.weight",
}


class PerLayerInput(CountedModule):
    """ids (batch, seq) and rows (batch, seq, d) → (batch, seq, layers, p): what each layer adds to its states.

    A second table has the rows of all layers side by side, (V, layers · p). They are added to a projection of the rows
    of the input, of which each layer's part is normalized, and the sum is divided by √2. Ids beyond the second
    table, of images and audio, read its row 0.

    Source: Gemma 3n (Gemma Team, 2025); bit for bit transformers' `get_per_layer_inputs` and
    `project_per_layer_inputs`.

    Args:
        vocab_size: V of the second table.
        embedding_dim: d, the dimension of the input.
        num_layers: Number of layers.
        layer_dim: p, the dimension of the rows of a layer.
        padding_idx: Id of the padding, whose row gets no gradient.
        norm_eps: Epsilon of the norm.
        **factory: `device` and `dtype` of the parameters.

    Raises:
        UsageError: For a size below 1; in forward for a negative id.

    >>> per_layer = PerLayerInput(10, 8, num_layers=3, layer_dim=4)
    >>> per_layer(torch.tensor([[1, 2]]), torch.rand(1, 2, 8)).shape
    torch.Size([1, 2, 3, 4])
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_dim: int,
        *,
        num_layers: int,
        layer_dim: int,
        padding_idx: int | None = None,
        norm_eps: float = 1e-6,
        **factory: Unpack[Factory],
    ) -> None:
        super().__init__()
        self.num_layers, self.layer_dim = num_layers, layer_dim
        self.tokens = TokenEmbedding(
            vocab_size, num_layers * layer_dim, padding_idx=padding_idx, scale=layer_dim**0.5, **factory
        )
        self.projection = nn.Linear(embedding_dim, num_layers * layer_dim, bias=False, **factory)
        self.norm = norm_of("rms_power_weighted", layer_dim, eps=norm_eps, **factory)

    def forward(self, ids: Tensor, rows: Tensor) -> Tensor:
        """Compute the rows of all layers.

        Args:
            ids: (batch, seq) integers.
            rows: (batch, seq, d), the output of the input for the same ids.

        Returns:
            (batch, seq, layers, p).
        """
        shape = (*ids.shape, self.num_layers, self.layer_dim)
        projected = self.projection(rows) * torch.tensor(rows.shape[-1] ** -0.5).to(rows)
        # projected: (batch, seq, layers · p)
        known = torch.where(ids < self.tokens.num_embeddings, ids, 0)
        total: Tensor = self.norm(projected.reshape(shape)) + self.tokens(known).reshape(shape)
        return total * torch.tensor(2.0**-0.5).to(rows)


def per_layer_from_checkpoint(path: str | PathLike[str]) -> PerLayerInput:
    """Load the rows for each layer of a Gemma 3n or 4; the input itself is read by `from_checkpoint`.

    Args:
        path: As in `from_checkpoint`.

    Returns:
        The module on the CPU in eval mode. Its table may be larger than that of the input.

    Raises:
        FileFormatError: If the folder is damaged.
        UsageError: If `path` is not a folder, or for a model without rows for each layer.

    >>> per_layer_from_checkpoint("no such folder")
    Traceback (most recent call last):
    rowspace.errors.UsageError: no such folder is not a folder; pass a local copy of the model's repository
    """
    checkpoint = Checkpoint(path)
    config: Config = checkpoint.config
    config = config if config.get("model_type") in MODELS else config.get("text_config") or {}
    if config.get("model_type") not in MODELS or not config.get("hidden_size_per_layer_input"):
        raise UsageError(f"{path}: the model has no rows for each layer; use from_checkpoint")
    if missing := [name for name in SIZES if name not in config]:
        raise UsageError(f"{path}: the config has no {' and '.join(missing)}; restore the config.json")
    vocab_size, dim, layers, layer_dim = (int(config[name]) for name in SIZES)
    with torch.device("meta"):
        module = PerLayerInput(
            vocab_size,
            dim,
            num_layers=layers,
            layer_dim=layer_dim,
            padding_idx=config.get("pad_token_id"),
            norm_eps=config.get("rms_norm_eps", 1e-6),
        )
    tensors = {name: checkpoint.read(checkpoint.find([ending])) for name, ending in NAMES.items()}
    module.load_state_dict(tensors, assign=True)
    return module.requires_grad_().eval()
