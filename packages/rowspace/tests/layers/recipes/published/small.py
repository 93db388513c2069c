"""Small sizes for the config class of any model type: `small_arguments`."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from transformers import PreTrainedConfig

__all__ = ["CHANGES", "SIZES", "VOCAB", "Sizes", "small_arguments"]

VOCAB = 320


class Sizes(NamedTuple):
    """How small a config becomes; with `dims=False` only the numbers of layers, experts and rows change."""

    layers: int = 2
    dim: int = 32
    dims: bool = True


# The first that a class accepts, and whose model runs, is used: None is the default config.
SIZES = (Sizes(), Sizes(4, 64), Sizes(6, 64), Sizes(8, 64), Sizes(dims=False), Sizes(4, dims=False), None)

NAMES, CHANGES = (
    tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8")) for name in ("names", "changes")
)
AT_MOST, AT_MOST_DIMS, OTHER = (
    {entry: group["value"] for group in NAMES[name] for entry in group["entries"]}
    for name in ("at_most", "dims_at_most", "other")
)


def small_arguments(kind: type[PreTrainedConfig], sizes: Sizes | None, depth: int = 0) -> dict[str, Any]:
    """The arguments of a config class, with those of its parts, that make the model small."""
    if sizes is None:
        return {}
    default, spare = kind(), iter(range(VOCAB - 2, 0, -1))
    found: dict[str, Any] = {}
    for name, value in list(vars(default).items()):
        if name in OTHER:
            found[name] = OTHER[name]
        elif isinstance(value, PreTrainedConfig) and not name.startswith("_"):
            if depth < 4:
                own = CHANGES.get(value.model_type, {})
                rotation = {
                    entry: own[entry]
                    for entry in ("rope_parameters", "head_dim")
                    if {"rope_parameters", entry} <= own.keys()
                }
                inner = small_arguments(type(value), sizes, depth + 1)
                found[name] = {**inner, **rotation, "model_type": value.model_type}
        elif isinstance(value, (list, tuple)) and name == "depths":
            found[name] = [1] * len(value)
        elif isinstance(value, int) and not isinstance(value, bool) and (not name.startswith("_") or "pattern" in name):
            smaller = _smaller(name, value, sizes, spare, getattr(default, "patch_size", None))
            if smaller != value:
                found[name] = smaller
    return found | _special_ids(default, found, spare)


def _smaller(name: str, value: int, sizes: Sizes, spare: Iterator[int], patch: Any) -> int:
    """The value of an entry of a small config."""
    if name.endswith("vocab_size") and name != "type_vocab_size":
        return min(value, VOCAB)
    if name in NAMES["layers"]:
        return min(value, sizes.layers)
    if name in AT_MOST:
        return min(value, AT_MOST[name])
    if name.endswith(("token_id", "token_index", "_id")) and value >= VOCAB:
        return next(spare)
    if name in ("max_position_embeddings", "max_sequence_length") and value > 4096:
        return 512
    return _smaller_dim(name, value, sizes, patch) if sizes.dims else value


def _smaller_dim(name: str, value: int, sizes: Sizes, patch: Any) -> int:
    if name in AT_MOST_DIMS:
        return min(value, AT_MOST_DIMS[name]) if value > 0 else value
    if "attention_heads" in name:
        return min(value, 2)
    if "intermediate_size" in name or "ffn" in name:
        return min(value, 48)
    if name.endswith("hidden_size") or name in NAMES["dims"]:
        return min(value, sizes.dim)
    if name == "image_size" and isinstance(patch, int):
        return min(value, 4 * patch)
    return value


def _special_ids(default: Any, found: dict[str, Any], spare: Iterator[int]) -> dict[str, Any]:
    """Special ids that are rows of the small table."""
    result = {}
    for name in ("bos_token_id", "eos_token_id", "decoder_start_token_id"):
        value = getattr(default, name, None)
        if isinstance(value, list) or (isinstance(value, int) and value >= VOCAB and name not in found):
            result[name] = next(spare)
    return result
