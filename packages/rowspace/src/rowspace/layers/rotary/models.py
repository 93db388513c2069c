"""The defaults and layouts of rotary positions, by model type of transformers; `permute_rotary` converts weights.

The data is in `models.toml`, written and checked by `scripts/make_rotary_models.py` against the classes of
transformers. A model type that is not in it is refused, since config.json does not contain the layout.
"""

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from rowspace.errors import UsageError
from rowspace.layers.rotary.position import RotaryLayout, check_layout, check_rotary_dim

__all__ = ["Model", "known_models", "model_of", "permute_rotary"]

TABLE = Path(__file__).with_name("models.toml")


@dataclass(frozen=True)
class Model:
    """The defaults of a model type, and properties that are not in config.json.

    layout: as in `RotaryPosition`; if `rope_interleave` is not None, the config's `rope_interleave` determines it.
    head_dim_key: the entry of config.json with the dimension of the rotated part; empty if transformers computes it.
    rotary_dim: number of rotated components, for types whose config may have it (0 for all).
    partial_rotary_factor: the share of rotated components; None if transformers does not read one.
    base_key, share_key: the entries with the base and the share.
    rope_parameters: the default parameters, if they are more than a base and a share.
    layers: the parameters of each layer type, if they differ.
    old_bases, scaled_layers: the entry of an old config.json with the base of each layer type, and the layer types to
        which its `rope_scaling` applies.
    mrope, mrope_section: the order of the sections, "blocks" or "interleaved", if a token has several coordinates; no
        sections are two of equal size, for row and column.
    layer_head_dims: the width of a head in the layers of a type, if they differ and the config does not have it.
    layer_bases_key: the entry with the base of each layer, 0 for layers without a rotation; all others must have one.
    reverse: whether the angles are negative (nanochat).
    indexer_layout: the layout in the indexer of sparse attention, if it differs from that of the attention.
    unread: a config with one of these entries is refused, since transformers interprets it differently for this type
        ("scaling" is a scaling in `rope_parameters`, "share" a share there).
    """

    layout: RotaryLayout = "half"
    rope_interleave: bool | None = None
    hidden_size: int = 0
    num_attention_heads: int = 1
    head_dim: int | None = None
    head_dim_key: str = "head_dim"
    rotary_dim: int | None = None
    rope_theta: float = 10000.0
    base_key: str = "rope_theta"
    share_key: str = "partial_rotary_factor"
    partial_rotary_factor: float | None = None
    max_position_embeddings: int | None = None
    original_max_position_embeddings: int | None = None
    rope_parameters: Mapping[str, Any] | None = None
    layers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    old_bases: Mapping[str, str] = field(default_factory=dict)
    scaled_layers: tuple[str, ...] = ()
    mrope: str | None = None
    mrope_section: tuple[int, ...] = ()
    layer_head_dims: Mapping[str, int] = field(default_factory=dict)
    layer_bases_key: str = ""
    reverse: bool = False
    indexer_layout: RotaryLayout | None = None
    unread: tuple[str, ...] = ()


@functools.cache
def known_models() -> Mapping[str, Model]:
    """The models of the table, by `model_type`."""
    return {name: Model(**facts) for name, facts in tomllib.loads(TABLE.read_text(encoding="utf-8")).items()}


def model_of(config: Mapping[str, Any]) -> Model:
    """The defaults for a config.json; raises `UsageError` if its model type is not in the table."""
    kind = config.get("model_type")
    if kind in known_models():
        return known_models()[str(kind)]
    parts = [name for name, part in config.items() if isinstance(part, Mapping) and part.get("model_type")]
    if parts:
        raise UsageError(f"a {kind!r} has parts; pass the config of one of them: config[{parts[0]!r}]")
    problem = "the config has no model_type" if kind is None else f"model_type {kind!r} is unknown"
    raise UsageError(
        f"{problem}, and head size, base and layout depend on it; pass head_dim, base, layout and rotary_dim to "
        f"RotaryPosition"
    )


def permute_rotary(weight: Tensor, num_heads: int, *, to: RotaryLayout, rotary_dim: int | None = None) -> Tensor:
    """Reorder the weight (or bias) of a q or k projection for the other rotary layout; scores q·k do not change.

    Weights of Meta's Llama release (interleaved) fit the half layout afterwards, as in transformers' converter.

    For a head of 6, row by row::

        interleaved  0 1 2 3 4 5    pairs (0,1) (2,3) (4,5)
        half         0 2 4 1 3 5    the same pairs, now 3 apart

    Args:
        weight: `(num_heads · head_dim, ...)`.
        num_heads: Number of heads of this projection; keys may have fewer.
        to: The new layout.
        rotary_dim: Number of rotated components of a head, by default all; the other rows do not move.

    Returns:
        A new tensor of the shape of `weight`.

    Raises:
        UsageError: If the number of rows is not a multiple of `num_heads`.

    >>> permute_rotary(torch.arange(6), 1, to="half")
    tensor([0, 2, 4, 1, 3, 5])
    >>> permute_rotary(torch.tensor([0, 2, 4, 1, 3, 5]), 1, to="interleaved")
    tensor([0, 1, 2, 3, 4, 5])
    """
    if num_heads < 1 or weight.shape[0] % num_heads:
        raise UsageError(
            f"weight has {weight.shape[0]} rows, which is not a multiple of {num_heads} heads; pass the number of "
            f"heads of this projection (keys often have fewer)"
        )
    head_dim = weight.shape[0] // num_heads
    rotated = check_rotary_dim(head_dim if rotary_dim is None else rotary_dim, head_dim)
    order = torch.arange(head_dim, device=weight.device)
    pairs = order[:rotated].view(-1, 2) if check_layout(to) == "half" else order[:rotated].view(2, -1)
    order = torch.cat((pairs.t().flatten(), order[rotated:]))
    return weight.reshape(num_heads, head_dim, -1)[:, order].reshape(weight.shape)
