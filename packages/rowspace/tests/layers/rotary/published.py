"""Rotary positions computed by transformers: the oracle for `rotary_from_config`, for all of its model types."""

import copy
import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any

import torch
import transformers
import transformers.models
from torch import Tensor
from transformers import PreTrainedConfig

from rowspace.layers import MultimodalRotaryPosition, rotary_from_config

# Rotary modules whose annotation does not name the class of their config.
UNANNOTATED = {
    "Qwen2_5OmniTextConfig": "Qwen2_5OmniRotaryEmbedding",
    "Qwen2_5OmniTalkerConfig": "Qwen2_5OmniRotaryEmbedding",
    "Qwen3OmniMoeTextConfig": "Qwen3OmniMoeThinkerTextRotaryEmbedding",
    "Qwen3OmniMoeTalkerTextConfig": "Qwen3OmniMoeTalkerRotaryEmbedding",
    "Qwen3OmniMoeTalkerCodePredictorConfig": "Qwen3OmniMoeRotaryEmbedding",
}


def rotary_configs(*model_types: str) -> Iterator[type[PreTrainedConfig]]:
    """The config classes of transformers with rotary positions, of some model types or all."""
    if model_types:
        yield from (transformers.CONFIG_MAPPING[model_type] for model_type in model_types)
        return
    for package in pkgutil.iter_modules(transformers.models.__path__):
        name = f"{transformers.models.__name__}.{package.name}.configuration_{package.name}"
        needed = (name, name.replace(".configuration_", ".modeling_"))  # some have a config, but no module yet
        if any(importlib.util.find_spec(each) is None for each in needed):
            continue
        for found in vars(importlib.import_module(name)).values():
            if not inspect.isclass(found) or found.__module__ != name or not issubclass(found, PreTrainedConfig):
                continue
            if found.model_type and _turns(found):
                yield found


def _turns(kind: type[PreTrainedConfig]) -> bool:
    """Whether the default config has rotary parameters in one dimension; some configs have no defaults."""
    try:
        rope = getattr(kind(), "rope_parameters", None)
    except Exception:
        return False
    return bool(rope) and rope.get("rope_type") != "axial"


def rotary_module_of(config: PreTrainedConfig) -> torch.nn.Module:
    """transformers' module that computes cosines and sines for this config."""
    modeling = importlib.import_module(type(config).__module__.replace(".configuration_", ".modeling_"))
    classes = [value for name, value in vars(modeling).items() if "RotaryEmbedding" in name and inspect.isclass(value)]
    classes = [value for value in classes if "config" in inspect.signature(value.__init__).parameters]
    named = [value for value in classes if _annotated(value) == type(config).__name__]
    named += [value for value in classes if value.__name__ == UNANNOTATED.get(type(config).__name__)]
    return (named or [value for value in classes if "Vision" not in value.__name__])[0](config)


def layers_of(config: PreTrainedConfig, known: tuple[str, ...]) -> tuple[str | None, ...]:
    """The kinds of layers that have a rotation of their own in this config: of the known ones, or None for one in all.

    The default config of Laguna and of Zaya has no layer with a sliding window.
    """
    types = getattr(rotary_module_of(config), "rope_type", None)
    return tuple(name for name in known if name in types) if known and isinstance(types, dict) else (known or (None,))


def _annotated(rotary: type) -> str:
    annotation = inspect.signature(rotary.__init__).parameters["config"].annotation
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")


def rotated(config: PreTrainedConfig, q: Tensor, positions: Tensor, layer_type: str | None = None) -> Tensor:
    """q (batch, heads, seq, head_dim) rotated by transformers. Some models reorder the rotated components."""
    rotary = rotary_module_of(config)
    if positions.ndim == 2 and hasattr(rotary, "mrope_section"):
        positions = positions.expand(3, *positions.shape)
    layer = {} if layer_type is None else {"layer_type": layer_type}
    angles = rotary(torch.zeros(1), positions, **layer)
    modeling = importlib.import_module(type(rotary).__module__)
    if torch.is_tensor(angles):  # complex numbers, and in Llama 4 heads after tokens
        if config.model_type == "llama4_text":
            return modeling.apply_rotary_emb(q.transpose(1, 2), q.transpose(1, 2), angles)[0].transpose(1, 2)
        return modeling.apply_rotary_emb(q, q, angles)[0]
    apply: Any = modeling.apply_rotary_pos_emb if hasattr(modeling, "apply_rotary_pos_emb") else None
    if hasattr(modeling, "apply_rotary_pos_emb_interleave") and getattr(config, "rope_interleave", True):
        apply = modeling.apply_rotary_pos_emb_interleave
    if "k" not in inspect.signature(apply).parameters:
        return apply(q, *angles)
    try:
        return apply(q, q, *angles)[0]
    except RuntimeError:  # Persimmon and similar models slice the rotated part in attention
        width = angles[0].shape[-1]
        return torch.cat((apply(q[..., :width], q[..., :width], *angles)[0], q[..., width:]), dim=-1)


def agrees(kind: type[PreTrainedConfig], written: dict[str, Any], layer_type: str | None = None) -> bool:
    """Whether `rotary_from_config` rotates as transformers does, up to rounding, for a config.json."""
    config = kind.from_dict(copy.deepcopy(written))
    ours = rotary_from_config({"model_type": kind.model_type, **written}, layer_type=layer_type)
    q = torch.randn(1, 2, 6, ours.head_dim, generator=torch.Generator().manual_seed(0))
    positions = torch.tensor([[0, 1, 2, 3, 11, 700]])
    if isinstance(ours, MultimodalRotaryPosition):
        positions = torch.stack([positions, positions // 2, positions % 5])[: len(ours.sections)]
    expected = rotated(config, q, positions, layer_type)
    actual = ours(q, q, positions)[0]
    # Latent attention puts components with an even index first, which does not change scores.
    reordered = torch.cat((actual[..., ::2], actual[..., 1::2]), dim=-1)
    return any(torch.allclose(each, expected, rtol=1e-5, atol=1e-5) for each in (actual, reordered))
