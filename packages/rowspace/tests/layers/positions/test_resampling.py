"""Parity with `interpolate_pos_encoding` of transformers, and with FlexiViT's definition in NumPy."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional
from transformers import (
    CLIPVisionConfig,
    CLIPVisionModel,
    DeiTConfig,
    DeiTModel,
    Dinov2Config,
    Dinov2Model,
    Dinov2WithRegistersConfig,
    Dinov2WithRegistersModel,
    SiglipVisionConfig,
    SiglipVisionModel,
    ViTConfig,
    ViTModel,
)

from rowspace.errors import UsageError
from rowspace.layers.pixels.patches import PatchEmbedding
from rowspace.layers.positions.grid import resample_patches, resample_positions

VISION = {
    "image_size": 32, "patch_size": 8, "hidden_size": 24, "intermediate_size": 8, "num_hidden_layers": 1,
    "num_attention_heads": 2,
}  # fmt: skip
# Only DINOv2 with registers is antialiased in transformers.
MODELS = {
    "ViT": (ViTModel, ViTConfig, 1, False),
    "DeiT": (DeiTModel, DeiTConfig, 2, False),
    "DINOv2": (Dinov2Model, Dinov2Config, 1, False),
    "DINOv2 with registers": (Dinov2WithRegistersModel, Dinov2WithRegistersConfig, 1, True),
    "CLIP": (CLIPVisionModel, CLIPVisionConfig, 1, False),
    "SigLIP": (SiglipVisionModel, SiglipVisionConfig, 0, False),
}


@pytest.mark.parametrize("grid", [(6, 6), (3, 2), (2, 8), (5, 4)])
@pytest.mark.parametrize(("model", "config", "prefix", "antialias"), MODELS.values(), ids=MODELS)
def test_positions_match_the_published_models_bit_for_bit(model, config, prefix, antialias, grid):
    torch.manual_seed(0)
    modules = model(config(**VISION)).modules()
    theirs = next(module for module in modules if type(module).__name__.endswith("Embeddings"))
    (table,) = [tensor for key, tensor in theirs.state_dict().items() if key.startswith("position_embedding")]
    nn.init.normal_(table)
    ours = resample_positions(table, (4, 4), grid, prefix=prefix, antialias=antialias)
    rows = torch.zeros(1, prefix + grid[0] * grid[1], 24)
    with torch.no_grad():
        expected = theirs.interpolate_pos_encoding(rows, grid[0] * 8, grid[1] * 8)
    assert torch.equal(ours, expected.reshape(ours.shape))


def test_grids_of_equal_size_and_other_aspect_differ():
    table = torch.rand(16, 3)
    resampled = resample_positions(table, (2, 8), (4, 4), prefix=0)
    assert resampled.shape == table.shape
    assert not torch.allclose(resampled, table)


def test_equal_grid_returns_the_table():
    table = torch.rand(17, 3)
    assert resample_positions(table, (4, 4), (4, 4)) is table


@pytest.mark.parametrize("prefix", [0, 1, 5])
def test_prefix_does_not_change(prefix):
    table = torch.rand(prefix + 9, 3)
    resampled = resample_positions(table, (3, 3), (5, 2), prefix=prefix)
    assert torch.equal(resampled[:prefix], table[:prefix])
    assert resampled.shape == (prefix + 10, 3)


def test_half_precision_is_resampled_in_float32_and_rounded_once():
    table = torch.randn(17, 8).bfloat16()
    expected = resample_positions(table.float(), (4, 4), (7, 3)).bfloat16()
    assert torch.equal(resample_positions(table, (4, 4), (7, 3)), expected)


def test_gradients_reach_the_table():
    table = torch.randn(5, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda table: resample_positions(table, (2, 2), (3, 5)), table)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((torch.zeros(17, 2), (4, 5), (2, 2)), "table has 17 rows, but a prefix of 1 and a grid of 4 × 5 make 21"),
        ((torch.zeros(2, 17, 2), (4, 4), (2, 2)), "expected a table of 2 axes"),
        ((torch.zeros(17), (4, 4), (2, 2)), "expected a table of 2 axes"),
        ((torch.zeros(17, 2), (4, 4), (0, 2)), "grids of at least 1 × 1"),
    ],
)
def test_inconsistent_arguments_raise(arguments, message):
    with pytest.raises(UsageError, match=message):
        resample_positions(*arguments)


def flexivit(weight: np.ndarray, size: tuple[int, int], *, antialias: bool) -> np.ndarray:
    """The definition: resize the images of the unit vectors, and compute the pseudo-inverse of the full matrix."""
    old = weight.shape[2:]
    units = torch.eye(old[0] * old[1], dtype=torch.float64).view(-1, 1, *old)
    resize = functional.interpolate(units, size, mode="bicubic", antialias=antialias).flatten(1).numpy().T
    flat = weight.reshape(*weight.shape[:2], -1)
    return (flat @ np.linalg.pinv(resize.T).T).reshape(*weight.shape[:2], *size)


@pytest.mark.parametrize("antialias", [True, False])
@pytest.mark.parametrize("size", [(4, 4), (7, 3), (12, 12), (3, 9)])
def test_patches_match_the_definition_of_flexivit(size, antialias):
    weight = torch.randn(3, 2, 6, 6, dtype=torch.float64)
    expected = torch.from_numpy(flexivit(weight.numpy(), size, antialias=antialias))
    torch.testing.assert_close(resample_patches(weight, size, antialias=antialias), expected)


def test_enlarged_image_has_the_same_tokens():
    """The purpose of FlexiViT's resizing, exact for larger patches."""
    torch.manual_seed(0)
    small, large = PatchEmbedding(8, 3, 16), PatchEmbedding(12, 3, 16)
    large.load_state_dict({"weight": resample_patches(small.weight.detach(), 12), "bias": small.bias})
    patch = torch.rand(5, 3, 8, 8)
    enlarged = functional.interpolate(patch, (12, 12), mode="bicubic", antialias=True)
    torch.testing.assert_close(large(enlarged)[0], small(patch)[0], rtol=1e-5, atol=1e-6)


def test_equal_size_returns_the_weight():
    weight = torch.rand(2, 3, 4, 4)
    assert resample_patches(weight, 4) is weight


def test_half_precision_weight_is_rounded_once():
    weight = torch.randn(2, 3, 4, 4).bfloat16()
    assert torch.equal(resample_patches(weight, (6, 5)), resample_patches(weight.float(), (6, 5)).bfloat16())


@pytest.mark.parametrize(("shape", "size"), [((3, 4, 4), 8), ((2, 3, 4, 4), 0)])
def test_invalid_weight_or_size_raises(shape, size):
    with pytest.raises(UsageError, match="expected a weight"):
        resample_patches(torch.zeros(shape), size)
