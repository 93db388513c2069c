"""Rotary positions as a published `config.json` has them, in transformers' old form and its new one.

The new form keeps everything under `rope_parameters`, one dict or one for each kind of layer; the old one has
`rope_theta` beside an optional `rope_scaling`. Leaves out multi-modal sections: their models' text part is read,
sections go to `MultimodalRotaryPosition` by hand. The scalings themselves are in `rotary_scaling.py`.
"""

from collections.abc import Mapping
from typing import Any

from rowspace.errors import UsageError
from rowspace.layers.rotary import RotaryLayout, RotaryPosition
from rowspace.layers.rotary_frequencies import RotaryScaling
from rowspace.layers.rotary_scaling import (
    DynamicScaling,
    LinearScaling,
    Llama3Scaling,
    LongRopeScaling,
    ProportionalScaling,
    YarnScaling,
)

__all__ = ["rotary_from_config", "scaling_from_config"]

Config = Mapping[str, Any]

# Models of transformers whose pairs are neighbours; all others split the head in halves.
_INTERLEAVED = frozenset({"codegen", "cohere", "cohere2", "ernie4_5", "glm", "glm4", "gptj", "helium"})

# The share of the head that turns where an old config.json does not say.
_PARTIAL = {"gpt_neox": 0.25, "phi": 0.5}


def rotary_from_config(config: Config, *, layer_type: str | None = None) -> RotaryPosition:
    """The `RotaryPosition` of a model, from its `config.json` as a dict.

    `layer_type` chooses among several (Gemma 3: `"full_attention"` or `"sliding_attention"`). Raises `UsageError`
    where a number is missing, or a scaling is of a kind that is not known here.

    >>> rotary_from_config({"hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000.0})
    RotaryPosition(128, base=500000.0, layout='half', rotary_dim=128)
    """
    rope = _rope_parameters(config, layer_type)
    head_dim = config.get("head_dim") or _width(config) // _first(config, "num_attention_heads", "n_head")
    model_type = config.get("model_type")
    layout: RotaryLayout = "interleaved" if model_type in _INTERLEAVED else "half"
    kind = _kind(rope)
    share = rope.get("partial_rotary_factor", 1.0)
    rotary_dim = config.get("rotary_dim") or (head_dim if kind == "proportional" else int(head_dim * share))
    scaling = scaling_from_config(rope, max_positions=config.get("max_position_embeddings"))
    return RotaryPosition(head_dim, base=rope["rope_theta"], layout=layout, rotary_dim=rotary_dim, scaling=scaling)


def scaling_from_config(rope: Config | None, *, max_positions: int | None = None) -> RotaryScaling:
    """The scaling that a `rope_scaling` or `rope_parameters` dict of transformers describes.

    `max_positions` is the model's `max_position_embeddings`, which dynamic NTK needs, and YaRN and longrope where
    they are not given a factor of their own. Raises `UsageError` where a number is missing, or the kind is not known
    here.

    >>> scaling_from_config({"type": "linear", "factor": 4.0})
    LinearScaling(factor=4.0)
    """
    kind = _kind(rope or {})
    if rope is None or kind == "default":
        return RotaryScaling()
    rope = dict(rope)
    rope.setdefault("original_max_position_embeddings", max_positions)
    try:
        return _READERS[kind](rope, max_positions)
    except KeyError as error:
        if kind not in _READERS:
            known = ", ".join(["default", *sorted(_READERS)])
            raise UsageError(
                f"rope_type is {kind!r}, but the kinds read here are {known}; build the scaling by hand"
            ) from None
        raise UsageError(
            f"a {kind} rope_scaling needs {error}, but has only {sorted(rope)}; add it to the config"
        ) from None


def _rope_parameters(config: Config, layer_type: str | None) -> dict[str, Any]:
    """One flat dict in the new form, whatever form the config has."""
    rope = dict(config.get("rope_parameters") or config.get("rope_scaling") or {})
    local = _first(config, "rope_local_base_freq", "local_rope_theta", default=0.0)
    kinds = sorted(key for key, value in rope.items() if isinstance(value, Mapping))
    if local and not kinds:  # the old form of Gemma 3 and ModernBERT: a second base, which is not scaled
        kinds = ["full_attention", "sliding_attention"]
        rope = {"full_attention": rope, "sliding_attention": {"rope_theta": local}}
    if kinds:
        if layer_type not in kinds:
            raise UsageError(f"layer_type is {layer_type!r}, but this config has {kinds}; pass one of them")
        rope = dict(rope[layer_type])
    share = _PARTIAL.get(config.get("model_type", ""), 1.0)
    rope.setdefault("partial_rotary_factor", _first(config, "partial_rotary_factor", "rotary_pct", default=share))
    base = _first(config, "rope_theta", "rotary_emb_base", "global_rope_theta", default=10000.0)
    rope.setdefault("rope_theta", base)
    if "original_max_position_embeddings" in config:  # Phi-3 keeps it outside, and transformers lets that one win
        rope["original_max_position_embeddings"] = config["original_max_position_embeddings"]
    return rope


def _kind(rope: Config) -> str:
    """The name of the scaling: `su` is longrope's first name, and `mrope` scales nothing."""
    kind = str(rope.get("rope_type") or rope.get("type") or "default")
    return {"su": "longrope", "mrope": "default"}.get(kind, kind)


def _width(config: Config) -> int:
    return int(_first(config, "hidden_size", "n_embd"))


def _first(config: Config, *names: str, default: Any = None) -> Any:
    """The value of the first name that the config has; without a default, one of them must be there."""
    for name in names:
        if config.get(name) is not None:
            return config[name]
    if default is None:
        raise UsageError(f"the config has no {' or '.join(names)}; add it, or build a RotaryPosition by hand")
    return default


def _linear(rope: Config, _: int | None) -> RotaryScaling:
    return LinearScaling(rope["factor"])


def _dynamic(rope: Config, max_positions: int | None) -> RotaryScaling:
    if max_positions is None:
        raise KeyError("max_positions")
    return DynamicScaling(rope["factor"], max_positions)


def _yarn(rope: Config, max_positions: int | None) -> RotaryScaling:
    return YarnScaling(
        _factor(rope, max_positions),
        rope["original_max_position_embeddings"],
        beta_fast=rope.get("beta_fast") or 32.0,
        beta_slow=rope.get("beta_slow") or 1.0,
        attention_scale=rope.get("attention_factor"),
        mscale=rope.get("mscale"),
        mscale_all_dim=rope.get("mscale_all_dim"),
        truncate=rope.get("truncate", True),
    )


def _longrope(rope: Config, max_positions: int | None) -> RotaryScaling:
    return LongRopeScaling(
        tuple(rope["short_factor"]),
        tuple(rope["long_factor"]),
        rope["original_max_position_embeddings"],
        factor=_factor(rope, max_positions),
        attention_scale=rope.get("attention_factor"),
    )


def _llama3(rope: Config, _: int | None) -> RotaryScaling:
    return Llama3Scaling(
        rope["factor"], rope["low_freq_factor"], rope["high_freq_factor"], rope["original_max_position_embeddings"]
    )


def _proportional(rope: Config, _: int | None) -> RotaryScaling:
    return ProportionalScaling(rope.get("partial_rotary_factor", 1.0), rope.get("factor", 1.0))


def _factor(rope: Config, max_positions: int | None) -> float:
    """The factor, or where there is none, how much longer texts are now than in training."""
    if rope.get("factor") is not None:
        return float(rope["factor"])
    if max_positions is None or rope["original_max_position_embeddings"] is None:
        raise KeyError("factor")
    return float(max_positions / rope["original_max_position_embeddings"])


_READERS = {
    "linear": _linear,
    "dynamic": _dynamic,
    "yarn": _yarn,
    "longrope": _longrope,
    "llama3": _llama3,
    "proportional": _proportional,
}
