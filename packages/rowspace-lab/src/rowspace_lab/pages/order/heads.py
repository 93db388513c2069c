"""Attention heads: drawn at random from a seed, or read from the first layer of a checkpoint. They need PyTorch.

A head is a dict of tensors: `query`, `key` and `value` (d_k, d) and their biases (d_k,); what is added to each row,
`offset` (d,); the model's own position rows, `positions` (max, d); the factors of rows and sinusoids; and the norm that
the layer applies to its input.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from rowspace.errors import UsageError
from rowspace.layers import SinusoidPosition, from_checkpoint
from rowspace.layers.recipes.checkpoint import Checkpoint
from rowspace.table import Table

Head = dict[str, Any]

SEPARATE = {
    "bert": "layer.0.attention.self.{}",
    "roberta": "layer.0.attention.self.{}",
    "xlm-roberta": "layer.0.attention.self.{}",
    "llama": "layers.0.self_attn.{}_proj",
    "mistral": "layers.0.self_attn.{}_proj",
    "qwen2": "layers.0.self_attn.{}_proj",
}
"""How the first layer's matrices are named, by `model_type`; GPT-2 has the three in one transposed matrix."""


def row_scale(table: Table) -> float:
    """Return the factor that gives the numbers of the rows a mean square of 1, as layers have at initialization."""
    squares = table.norms[np.isfinite(table.norms)].astype(float) ** 2
    mean = float(squares.mean()) if len(squares) else 0.0
    return (table.dim / mean) ** 0.5 if mean > 0 else 1.0


def drawn_head(table: Table, *, head_dim: int, seed: int) -> Head:
    """Draw W_Q, W_K and W_V from N(0, 1/d), and 64 position rows from N(0, 1/2), the mean square of a sinusoid."""
    drawn = torch.Generator().manual_seed(seed)
    names = ("query", "key", "value")
    matrices = {
        name: torch.randn(head_dim, table.dim, generator=drawn, dtype=torch.float64) / table.dim**0.5 for name in names
    }
    biases = {f"{name}_bias": torch.zeros(head_dim, dtype=torch.float64) for name in names}
    positions = torch.randn(64, table.dim, generator=drawn, dtype=torch.float64) / 2**0.5
    scales = {"row_scale": row_scale(table), "sinusoid_scale": 1.0}
    return {**matrices, **biases, **scales, "positions": positions, "offset": 0.0, "norm": nn.Identity()}


def checkpoint_head(table: Table, *, path: str, head: int) -> Head:
    """Read a head of the first layer of a checkpoint, with what the model adds to rows and its norm."""
    checkpoint = Checkpoint(path)
    embed: Any = from_checkpoint(path)
    matrices, biases = zip(*first_layer(checkpoint), strict=True)
    size = len(matrices[0]) // head_count(table, path=path)
    found: Head = {"row_scale": 1.0, "sinusoid_scale": 1 / row_scale(table), "offset": 0.0, "positions": None}
    for name, matrix, bias in zip(("query", "key", "value"), matrices, biases, strict=True):
        at = head * len(matrix) // len(matrices[0]) * size  # grouped queries share keys and values
        found[name] = matrix[at : at + size].double()
        found[f"{name}_bias"] = torch.zeros(size).double() if bias is None else bias[at : at + size].double()
    if hasattr(embed, "segments"):
        found["offset"] = embed.segments.weight.detach()[0].double()
    if hasattr(getattr(embed, "positions", None), "weight"):
        found["positions"] = embed.positions.weight.detach()[embed.positions.offset :].double()
    return {**found, "norm": embed.norm.double() if embed.norm is not None else first_norm(checkpoint)}


def head_count(table: Table, *, path: str) -> int:
    """Return the number of heads of a layer; raise `UsageError` for a model whose heads are not known here."""
    config = Checkpoint(path).config
    kind, count = config.get("model_type"), config.get("num_attention_heads", config.get("n_head"))
    dim = config.get("hidden_size", config.get("n_embd"))
    if kind not in (*SEPARATE, "gpt2") or dim != table.dim or not isinstance(count, int) or count < 1:
        raise UsageError(f"{path}: no attention head of this {kind!r} can be read; use a head drawn at random")
    return count


def first_layer(checkpoint: Checkpoint) -> list[tuple[Tensor, Tensor | None]]:
    """Return W and bias of the queries, keys and values of all heads of the first layer."""
    kind = checkpoint.config["model_type"]
    if kind == "gpt2":
        weight, bias = (checkpoint.read(checkpoint.find([f"h.0.attn.c_attn.{end}"])) for end in ("weight", "bias"))
        return list(zip(weight.T.chunk(3), bias.chunk(3), strict=True))
    short = kind in ("llama", "mistral", "qwen2")
    names = [SEPARATE[kind].format(name[0] if short else name) for name in ("query", "key", "value")]
    return [
        (checkpoint.read(checkpoint.find([f"{name}.weight"])), optional(checkpoint, f"{name}.bias")) for name in names
    ]


def optional(checkpoint: Checkpoint, ending: str) -> Tensor | None:
    """Return the tensor with this ending, or None if there is none."""
    found = any(name == ending or name.endswith(f".{ending}") for name in checkpoint.names)
    return checkpoint.read(checkpoint.find([ending])) if found else None


def first_norm(checkpoint: Checkpoint) -> nn.Module:
    """Return the norm before the first layer: a LayerNorm for GPT-2, an RMSNorm for Llama and its relatives."""
    is_gpt2 = checkpoint.config["model_type"] == "gpt2"
    name = "h.0.ln_1" if is_gpt2 else "layers.0.input_layernorm"
    weight, bias = checkpoint.read(checkpoint.find([f"{name}.weight"])).double(), optional(checkpoint, f"{name}.bias")
    config, size = checkpoint.config, len(weight)
    eps = config.get("layer_norm_epsilon", 1e-5) if is_gpt2 else config.get("rms_norm_eps", 1e-6)
    norm: nn.Module = nn.LayerNorm(size, eps=eps) if is_gpt2 else nn.RMSNorm(size, eps=eps)
    norm.load_state_dict({"weight": weight} if bias is None else {"weight": weight, "bias": bias.double()}, assign=True)
    return norm


def head_inputs(rows: Tensor, head: Head, *, scheme: str) -> Tensor:
    """Return the input of the layer, (n, d): rows, with position rows for "sinusoid" and "learned", after its norm."""
    total = rows.double() * head["row_scale"] + head["offset"]
    if scheme == "sinusoid":  # of an even width: an odd one loses the last cosine
        waves = SinusoidPosition(rows.shape[1] + rows.shape[1] % 2)(torch.zeros(1, len(rows)))
        total = total + waves.double()[..., : rows.shape[1]] * head["sinusoid_scale"]
    elif scheme == "learned":
        total = total + head["positions"][: len(rows)]
    with torch.no_grad():
        normed: Tensor = head["norm"](total)
    return normed


def project(inputs: Tensor, head: Head, name: str) -> Tensor:
    """Return the queries, keys or values of a head, (n, d_k)."""
    return functional.linear(inputs, head[name], head[f"{name}_bias"])
