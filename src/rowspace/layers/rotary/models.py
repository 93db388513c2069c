"""The defaults and layouts of rotary positions, by model type of transformers.

The facts are in `models.toml`, written and checked by `scripts/make_rotary_models.py` against the classes of
transformers. A model type that is not in it is refused: its layout cannot be known from its config.json.
"""

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rowspace.errors import UsageError
from rowspace.layers.rotary.position import RotaryLayout

__all__ = ["Model", "known_models", "model_of"]

TABLE = Path(__file__).with_name("models.toml")


@dataclass(frozen=True)
class Model:
    """The defaults of a model type, and what no config.json says.

    layout: as in `RotaryPosition`; the config's own `rope_interleave` decides where `rope_interleave` is not None.
    head_dim_key: the entry of config.json with the width that turns.
    rotary_dim: how many components of it turn, where a config may say that (0 for all).
    partial_rotary_factor: the share of it that turns; None where transformers does not read one.
    base_key, share_key: the entries with the base and the share.
    rope_parameters: the default parameters, where they are more than a base and a share.
    layers: the parameters of each kind of layer, where they differ.
    old_bases, scaled_layers: the entry of an old config.json with the base of each kind of layer, and the kinds that
        its `rope_scaling` is for.
    mrope, mrope_section: the order of the sections, "blocks" or "interleaved", where a token has several coordinates.
    unread: a config with one of these entries is refused, since transformers reads it in a way of this type's own
        ("scaling" is a scaling in `rope_parameters`).
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
    unread: tuple[str, ...] = ()


@functools.cache
def known_models() -> Mapping[str, Model]:
    """The models of the table, by `model_type`."""
    return {name: Model(**facts) for name, facts in tomllib.loads(TABLE.read_text(encoding="utf-8")).items()}


def model_of(config: Mapping[str, Any]) -> Model:
    """The defaults for a config.json; raises `UsageError` where its model type is not in the table."""
    kind = config.get("model_type")
    if kind in known_models():
        return known_models()[str(kind)]
    parts = [name for name, part in config.items() if isinstance(part, Mapping) and part.get("model_type")]
    if parts:
        raise UsageError(f"a {kind!r} has parts; pass the config of one of them: config[{parts[0]!r}]")
    found = "the config has no model_type" if kind is None else f"the rotary positions of model_type {kind!r}"
    unknown = "" if kind is None else " are not known here"
    raise UsageError(
        f"{found}{unknown}, and head size, base and layout differ from one model type to another; give head_dim, base, "
        f"layout and rotary_dim to RotaryPosition yourself"
    )
