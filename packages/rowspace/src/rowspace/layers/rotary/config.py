"""Rotary positions from a published `config.json`, in the old and the new format of transformers.

The new format has everything in `rope_parameters`, one dict or one per layer type; the old one has `rope_theta` next to
an optional `rope_scaling`. A missing entry has the default of its model type in transformers.
"""

from collections.abc import Mapping
from typing import Any

from rowspace.errors import UsageError
from rowspace.layers.arguments import one_sentence
from rowspace.layers.rotary.frequencies import RotaryScaling
from rowspace.layers.rotary.models import Model, model_of
from rowspace.layers.rotary.multi_axis import MultimodalRotaryPosition
from rowspace.layers.rotary.position import ReversedRotaryPosition, RotaryLayout, RotaryPosition
from rowspace.layers.rotary.scaling import (
    DynamicScaling,
    LinearScaling,
    Llama3Scaling,
    LongRopeScaling,
    ProportionalScaling,
    YarnScaling,
)

__all__ = ["rotary_from_config", "scaling_from_config"]

Config = Mapping[str, Any]
OLD_BASES = ("rope_theta", "rope_local_base_freq", "global_rope_theta", "local_rope_theta")
NEXT_STEP = "pass head_dim, base, layout and rotary_dim to RotaryPosition"


def rotary_from_config(
    config: Config, *, layer_type: str | None = None, layout: RotaryLayout | None = None
) -> RotaryPosition:
    """Build the `RotaryPosition` of a model from its `config.json`.

    Models with latent attention (DeepSeek) rotate a separate part of each query and key: the result is for that part,
    with `head_dim = qk_rope_head_dim`.

    Args:
        config: config.json as a dict. `model_type` is required; other missing entries have the default of that type in
            transformers. For a model with several parts, pass the config of one, such as `config["text_config"]`.
        layer_type: Selects one of several rotations (Gemma 3: `"full_attention"` or `"sliding_attention"`).
        layout: Replaces the layout of the model type, as for weights that `permute_rotary` has reordered.

    Returns:
        A `RotaryPosition`; for M-RoPE a `MultimodalRotaryPosition`.

    Raises:
        UsageError: For an unknown model type, layer type or scaling, a scaling that lacks a number, or another
            impossible entry.

    >>> rotary_from_config({"model_type": "llama", "hidden_size": 4096, "rope_theta": 500000.0})
    RotaryPosition(128, base=500000.0, layout='half', rotary_dim=128)
    >>> rotary_from_config({"model_type": "cohere"}).layout
    'interleaved'
    """
    with one_sentence("no rotation can be made from the config"):
        return _rotary(config, layer_type, layout)


def _rotary(config: Config, layer_type: str | None, layout: RotaryLayout | None) -> RotaryPosition:
    """`rotary_from_config`, with the errors of Python for entries of another type."""
    model = model_of(config)
    _check_entries(config, model)
    rope = _rope_parameters(config, model, layer_type)
    head_dim = _head_dim(config, model, layer_type)
    layout = layout or model.layout
    if model.rope_interleave is not None:  # other types ignore the entry
        layout = "interleaved" if config.get("rope_interleave", model.rope_interleave) else "half"
    max_positions = config.get("max_position_embeddings", model.max_position_embeddings)
    scaling = scaling_from_config(rope, max_positions=max_positions)
    rotary_dim, base = _rotary_dim(config, model, rope, head_dim), rope["rope_theta"]
    if model.mrope is None:
        if "mrope_section" in rope:
            raise UsageError(
                f"the config of a {config['model_type']!r} has mrope_section, but its layout is unknown; pass "
                f"head_dim, sections and base to MultimodalRotaryPosition"
            )
        kind = ReversedRotaryPosition if model.reverse else RotaryPosition
        return kind(head_dim, base=base, layout=layout, rotary_dim=rotary_dim, scaling=scaling)
    sections = rope.get("mrope_section", model.mrope_section) or (rotary_dim // 4, rotary_dim // 4)
    interleaved = model.mrope == "interleaved"
    return MultimodalRotaryPosition(
        head_dim, sections, base=base, layout=layout, interleaved=interleaved, scaling=scaling, rotary_dim=rotary_dim
    )


def scaling_from_config(rope: Config | None, *, max_positions: int | None = None) -> RotaryScaling:
    """Build the scaling of a `rope_scaling` or `rope_parameters` dict of transformers.

    Args:
        rope: The dict, or None for no scaling.
        max_positions: `max_position_embeddings` of the model, which dynamic NTK needs, and YaRN and longrope without a
            factor.

    Returns:
        The scaling.

    Raises:
        UsageError: For a missing number, or an unknown `rope_type`.

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
                f"rope_type is {kind!r}, but must be one of {known}; construct the scaling directly"
            ) from None
        raise UsageError(
            f"a {kind} rope_scaling needs {error}, but has only {sorted(rope)}; add it to the config"
        ) from None


def _check_entries(config: Config, model: Model) -> None:
    """Raise for an entry that models of this type interpret in their own way."""
    rope = config.get("rope_parameters") or {}
    parts = [part for part in (rope, *rope.values()) if isinstance(part, Mapping)]
    own = {_kind(part) for part in (model.rope_parameters or {}, *model.layers.values())}
    usual = {"partial_rotary_factor": model.partial_rotary_factor}  # harmless where the type has no other
    found = [name for name in model.unread if config.get(name, usual.get(name)) != usual.get(name)]
    if "scaling" in model.unread and {_kind(part) for part in parts} - own - {"default"}:
        found.append("scaling")
    if "share" in model.unread and any(part.get("partial_rotary_factor") is not None for part in parts):
        found.append("partial_rotary_factor in rope_parameters")
    if found:
        raise UsageError(
            f"the config of a {config['model_type']!r} has {' and '.join(found)}, which is unknown for this type; "
            f"{NEXT_STEP}"
        )


def _rope_parameters(config: Config, model: Model, layer_type: str | None) -> dict[str, Any]:
    """One flat dict in the new format, for a config in either format."""
    rope = config.get("rope_scaling") or config.get("rope_parameters") or model.rope_parameters or {}
    if model.layers:
        rope = _of_layer(config, model, rope, layer_type)
    elif any(isinstance(value, Mapping) for value in rope.values()):
        raise UsageError(
            f"rope_parameters has {sorted(rope)}, but a {config['model_type']!r} has one rotation for all layers; "
            f"{NEXT_STEP}"
        )
    rope = dict(rope)
    share = config.get(model.share_key, model.partial_rotary_factor)
    if rope.get("partial_rotary_factor") is None:
        rope["partial_rotary_factor"] = 1.0 if share is None else share  # null in config.json stands for 1
    rope.setdefault("rope_theta", _first(config, model.base_key, default=model.rope_theta))
    if bases := {base for base in config.get(model.layer_bases_key) or () if base}:
        if len(bases) > 1:
            raise UsageError(
                f"{model.layer_bases_key} has several bases, {sorted(bases)}, and a rotation has one; construct a "
                f"RotaryPosition for each"
            )
        rope["rope_theta"] = bases.pop()
    known_length = config.get("original_max_position_embeddings", model.original_max_position_embeddings)
    if known_length is not None:  # Phi-3 has it at the top level, which transformers prefers
        rope["original_max_position_embeddings"] = known_length
    return rope


def _of_layer(config: Config, model: Model, rope: Config, layer_type: str | None) -> dict[str, Any]:
    """The parameters of one layer type."""
    kinds = sorted(model.layers)
    if layer_type is None or layer_type not in model.layers:
        raise UsageError(f"layer_type is {layer_type!r}, but this config has {kinds}; pass one of them")
    defaults = model.layers[layer_type]
    old = {key: config[key] for key in (*OLD_BASES, "rope_scaling") if config.get(key) is not None}
    if not old:
        return {**_without_scaling(defaults), **(rope.get(layer_type) or {})} if rope else dict(defaults)
    if not model.old_bases:
        raise UsageError(
            f"the config of a {config['model_type']!r} has {sorted(old)}, but this type needs rope_parameters for each "
            f"layer type; save it with transformers 5, or {NEXT_STEP}"
        )
    base = config.get(model.old_bases.get(layer_type, ""))
    scaling = config.get("rope_scaling") if layer_type in model.scaled_layers else None
    if scaling and "rope_type" not in scaling and _kind(scaling) != "default":
        raise UsageError(
            f"rope_scaling of a {config['model_type']!r} has no rope_type, and transformers ignores type; rename it to "
            f"rope_type if you want that scaling"
        )
    own = (config.get("rope_parameters") or {}).get(layer_type) or {}
    return {**_without_scaling(defaults), **({} if base is None else {"rope_theta": base}), **own, **(scaling or {})}


def _without_scaling(defaults: Config) -> dict[str, Any]:
    """Only the base: the parameters of a config replace the scaling of the defaults."""
    return {"rope_theta": defaults["rope_theta"]}


def _head_dim(config: Config, model: Model, layer_type: str | None) -> int:
    """The `head_dim` of the rotation: that of a head, or of the rotated part in latent attention."""
    if layer_type is not None and (own := _own_head_dim(config, model, layer_type)) is not None:
        return own
    found = config.get(model.head_dim_key, model.head_dim)
    if found is not None:
        return int(found)
    width = _first(config, "hidden_size", "n_embd", "d_model", default=model.hidden_size)
    heads = _first(config, "num_attention_heads", "n_head", "n_heads", default=model.num_attention_heads)
    return int(width // heads)


def _own_head_dim(config: Config, model: Model, layer_type: str) -> int | None:
    """The width of a head in the layers of a type, if it differs from that of the config."""
    own, kinds = config.get("per_layer_config"), config.get("layer_types") or []
    if own is None:
        return model.layer_head_dims.get(layer_type)
    found = {part.get("head_dim") for layer, part in own.items() if kinds[int(layer)] == layer_type}
    return None if None in found or len(found) != 1 else int(found.pop())


def _rotary_dim(config: Config, model: Model, rope: Config, head_dim: int) -> int:
    """Number of components of a head that are rotated."""
    if model.head_dim_key == "qk_rope_head_dim" or _kind(rope) == "proportional":
        return head_dim
    count = 0 if model.rotary_dim is None else config.get("rotary_dim", model.rotary_dim)
    share = 1.0 if model.partial_rotary_factor is None else rope["partial_rotary_factor"]
    return int(count or head_dim * share)


def _kind(rope: Config) -> str:
    """The name of the scaling: `su` is the former name of longrope, and `mrope` is not a scaling."""
    kind = str(rope.get("rope_type") or rope.get("type") or "default")
    return {"su": "longrope", "mrope": "default"}.get(kind, kind)


def _first(config: Config, *names: str, default: Any) -> Any:
    """The value of the first name that the config has, or the default."""
    return next((config[name] for name in names if config.get(name) is not None), default)


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
    """The factor, by default the ratio of the maximum length to the one in training."""
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
