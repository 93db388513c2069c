"""`device` and `dtype` of every module and recipe: the same as building it and calling `.to(device, dtype)`."""

import inspect

import pytest
import torch
from tests.layers.cases_recipes import IMAGES, RECIPE_NAMES, SETTINGS
from torch import nn

from rowspace import layers
from rowspace.errors import UsageError
from rowspace.layers import from_config, recipes

TABLE = nn.Embedding(10, 4)
BUILDERS = {
    "AdaptiveEmbedding": lambda **options: layers.AdaptiveEmbedding(10, 8, cutoffs=[3], **options),
    "Alibi": lambda **options: layers.Alibi(4, **options),
    "AxialRotaryPosition": lambda **options: layers.AxialRotaryPosition(8, **options),
    "ByteNgramEmbedding": lambda **options: layers.ByteNgramEmbedding(4, num_rows=5, **options),
    "Concatenation": lambda **options: layers.Concatenation(
        4, tokens=layers.TokenEmbedding(10, 3, **options), **options
    ),
    "FactorizedEmbedding": lambda **options: layers.FactorizedEmbedding(10, 4, inner_dim=2, **options),
    "GridPosition": lambda **options: layers.GridPosition((2, 2), 4, **options),
    "HashedEmbedding": lambda **options: layers.HashedEmbedding(10, 4, num_rows=5, weighted=True, **options),
    "HashedNgramEmbedding": lambda **options: layers.HashedNgramEmbedding(
        10, 8, num_rows=5, boundary_id=0, heads=2, **options
    ),
    "LearnedPosition": lambda **options: layers.LearnedPosition(6, 4, **options),
    "MatryoshkaEmbedding": lambda **options: layers.MatryoshkaEmbedding(10, 4, **options),
    "MultiHotEmbedding": lambda **options: layers.MultiHotEmbedding(10, 4, **options),
    "MultiTokenPrediction": lambda **options: layers.MultiTokenPrediction(
        TABLE, layers.TiedHead(TABLE), 4, [nn.Identity()], **options
    ),
    "MultimodalRotaryPosition": lambda **options: layers.MultimodalRotaryPosition(8, (1, 1, 2), **options),
    "PatchEmbedding": lambda **options: layers.PatchEmbedding(4, 3, 6, **options),
    "PrefixTokens": lambda **options: layers.PrefixTokens(4, registers=2, mask=True, **options),
    "QuantizedEmbedding": lambda **options: layers.QuantizedEmbedding(10, 4, **options),
    "QuotientRemainderEmbedding": lambda **options: layers.QuotientRemainderEmbedding(10, 4, **options),
    "RelativeBias": lambda **options: layers.RelativeBias(4, **options),
    "RotaryPosition": lambda **options: layers.RotaryPosition(8, **options),
    "SegmentEmbedding": lambda **options: layers.SegmentEmbedding(2, 4, **options),
    "SinusoidGrid": lambda **options: layers.SinusoidGrid(8, **options),
    "SinusoidPosition": lambda **options: layers.SinusoidPosition(8, **options),
    "SoftPrompt": lambda **options: layers.SoftPrompt(3, 4, **options),
    "TiedHead": lambda **options: layers.TiedHead(TABLE, bias=True, **options),
    "TokenEmbedding": lambda **options: layers.TokenEmbedding(10, 4, padding_idx=0, **options),
    "UntiedHead": lambda **options: layers.UntiedHead(4, 10, bias=True, **options),
}
COMPOSED = {"ImageEmbedding", "InputEmbedding", "LoraTable", "TrainableRows"}  # of modules that are already built
IN_FILES = {"MappedEmbedding"}  # which have the dtype of the file


def recipe(name: str):
    """A function that builds a tiny model of this recipe."""
    sizes = (6,) if name in IMAGES else (10, 6)
    settings = SETTINGS.get(name, {}) | ({"image_size": 8, "patch_size": 4} if name in IMAGES else {})
    if name == "modernbert":
        settings = {**settings, "padding_idx": 0}
    return lambda **options: getattr(recipes, name)(*sizes, **settings, **options)


def described(module: nn.Module) -> dict[str, tuple[str, torch.dtype]]:
    """Device and dtype of each parameter and buffer."""
    tensors = [*module.named_parameters(), *module.named_buffers()]
    return {name: (tensor.device.type, tensor.dtype) for name, tensor in tensors}


def test_every_module_has_an_entry():
    classes = {name for name in layers.__all__ if inspect.isclass(getattr(layers, name))}
    modules = {name for name in classes if issubclass(getattr(layers, name), nn.Module)}
    assert modules == BUILDERS.keys() | COMPOSED | IN_FILES


def test_device_and_dtype_match_to():
    builders = BUILDERS | {name: recipe(name) for name in RECIPE_NAMES}
    for name, build in builders.items():
        expected = described(build().to("meta", torch.float64))
        assert expected, name
        assert described(build(device="meta", dtype=torch.float64)) == expected, name
        assert described(build(dtype=torch.bfloat16)) == described(build().to(torch.bfloat16)), name


def test_from_config_builds_on_a_device():
    config = {"model_type": "gpt2", "n_embd": 8, "n_positions": 16, "vocab_size": 100}
    found = described(from_config(config, device="meta", dtype=torch.float64))
    assert set(found.values()) == {("meta", torch.float64)}


def test_composed_modules_name_an_unknown_argument():
    with pytest.raises(UsageError, match="device must be a module, not 'meta'"):
        layers.InputEmbedding(tokens=layers.TokenEmbedding(10, 4), device="meta")
