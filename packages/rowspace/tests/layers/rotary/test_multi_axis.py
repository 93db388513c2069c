import re

import pytest
import torch
from transformers.models.dinov3_vit.modeling_dinov3_vit import get_patches_center_coordinates
from transformers.models.pixtral.configuration_pixtral import PixtralVisionConfig
from transformers.models.pixtral.modeling_pixtral import PixtralVisionRotaryEmbedding
from transformers.models.qwen2_vl import modeling_qwen2_vl as qwen2_vl
from transformers.models.qwen2_vl.configuration_qwen2_vl import Qwen2VLTextConfig, Qwen2VLVisionConfig
from transformers.models.qwen3_vl.configuration_qwen3_vl import Qwen3VLTextConfig
from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLTextRotaryEmbedding
from transformers.vision_utils import get_vision_position_ids

from rowspace.errors import UsageError
from rowspace.layers import (
    AxialRotaryPosition,
    LinearScaling,
    MultimodalRotaryPosition,
    RotaryPosition,
    YarnScaling,
    grid_positions,
)

POSITIONS = torch.tensor([[0, 1, 2, 500], [7, 0, 0, 131071], [3, 1, 9, 12]])


def heads(seq, head_dim, *, dtype=torch.float32):
    return torch.randn(2, 3, seq, head_dim, generator=torch.Generator().manual_seed(1)).to(dtype)


@pytest.mark.parametrize("merge_size", [1, 2])
def test_order_of_patches_matches_qwen2_vl(merge_size):
    # transformers' get_vision_position_ids
    grid = torch.tensor([[1, 4, 6]])
    assert torch.equal(grid_positions(4, 6, merge_size=merge_size).t(), get_vision_position_ids(grid, merge_size))


def test_centered_positions_match_dinov3():
    theirs = get_patches_center_coordinates(3, 5, dtype=torch.float32, device=torch.device("cpu")) * 2 * torch.pi
    torch.testing.assert_close(grid_positions(3, 5, centered=True).t(), theirs, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_axial_matches_the_vision_tower_of_qwen2_vl_bit_for_bit(dtype):
    # transformers' Qwen2VLVisionRotaryEmbedding, whose rotation is in float32; q there is (seq, heads, head_dim)
    config = Qwen2VLVisionConfig(embed_dim=64, num_heads=2)
    config.num_attention_heads = 2
    positions = grid_positions(4, 6, merge_size=2)
    q = heads(24, 32, dtype=dtype)
    cos, sin = qwen2_vl.Qwen2VLVisionRotaryEmbedding(config)(q, positions.t())
    expected, _ = qwen2_vl.apply_rotary_pos_emb_vision(q[0].transpose(0, 1), q[0].transpose(0, 1), cos, sin)
    rotated, _ = AxialRotaryPosition(32, upcast=True)(q, q, positions)
    assert torch.equal(rotated[0].transpose(0, 1), expected)


def test_alternating_frequencies_match_pixtral_bit_for_bit():
    # transformers' PixtralVisionRotaryEmbedding
    config = PixtralVisionConfig(hidden_size=64, num_attention_heads=2)
    positions = grid_positions(4, 6)
    cos, sin = PixtralVisionRotaryEmbedding(config)(torch.zeros(1), positions.t())
    actual = AxialRotaryPosition(32, alternate=True).angles(positions)
    assert torch.equal(actual[0], cos[:, :16])
    assert torch.equal(actual[1], sin[:, :16])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("theta", [10000.0, 1e6])
def test_sections_match_qwen2_vl_bit_for_bit(theta, dtype):
    # transformers' Qwen2VLRotaryEmbedding, with (3, batch, seq) positions
    rope = {"rope_type": "default", "rope_theta": theta, "mrope_section": [4, 6, 6]}
    config = Qwen2VLTextConfig(hidden_size=64, num_attention_heads=2, rope_parameters=rope)
    q = heads(4, 32, dtype=dtype)
    positions = torch.stack((POSITIONS, POSITIONS.flip(1)), dim=1)  # (3, 2, 4)
    cos, sin = qwen2_vl.Qwen2VLRotaryEmbedding(config)(q, positions)
    expected = qwen2_vl.apply_rotary_pos_emb(q, q, cos, sin)[0]
    assert torch.equal(MultimodalRotaryPosition(32, (4, 6, 6), base=theta)(q, q, positions)[0], expected)


def test_interleaved_sections_match_qwen3_vl_bit_for_bit():
    # transformers' Qwen3VLTextRotaryEmbedding
    rope = {"rope_type": "default", "rope_theta": 5e6, "mrope_section": [6, 5, 5], "mrope_interleaved": True}
    config = Qwen3VLTextConfig(hidden_size=64, num_attention_heads=2, head_dim=32, rope_parameters=rope)
    positions = POSITIONS[:, None]
    cos, sin = Qwen3VLTextRotaryEmbedding(config)(torch.zeros(1), positions)
    actual = MultimodalRotaryPosition(32, (6, 5, 5), base=5e6, interleaved=True).angles(positions)
    assert torch.equal(actual[0], cos[..., :16])
    assert torch.equal(actual[1], sin[..., :16])


@pytest.mark.parametrize("scaling", [None, LinearScaling(2.0), YarnScaling(4.0, 64)])
def test_text_is_rotated_as_without_sections(scaling):
    q = heads(9, 16)
    plain, _ = RotaryPosition(16, scaling=scaling)(q, q)
    assert torch.equal(MultimodalRotaryPosition(16, (2, 3, 3), scaling=scaling)(q, q)[0], plain)


def test_rows_and_columns_rotate_separate_pairs():
    rotary = AxialRotaryPosition(16)
    q = heads(1, 16).expand(2, 3, 12, 16)
    rotated, _ = rotary(q, q, grid_positions(3, 4))
    grid = rotated.unflatten(2, (3, 4))
    pairs = grid.unflatten(-1, (2, 2, 4))  # halves, axes, pairs
    assert torch.equal(pairs[:, :, :, :1, :, 0].expand_as(pairs[:, :, :, :, :, 0]), pairs[:, :, :, :, :, 0])
    assert torch.equal(pairs[:, :, :1, :, :, 1].expand_as(pairs[:, :, :, :, :, 1]), pairs[:, :, :, :, :, 1])


def test_three_axes():
    positions = torch.arange(15).view(3, 5)
    assert AxialRotaryPosition(12, axes=3).angles(positions)[0].shape == (5, 6)


def test_missing_positions_of_patches_raise():
    with pytest.raises(
        UsageError,
        match=re.escape("positions must be passed, since the grid of 6 patches is unknown; use grid_positions"),
    ):
        AxialRotaryPosition(8)(heads(6, 8), heads(6, 8))


@pytest.mark.parametrize("positions", [torch.arange(4), torch.zeros(3, 4)])
def test_positions_of_another_shape_raise(positions):
    with pytest.raises(UsageError, match="positions must have 2 coordinates in the first dimension"):
        AxialRotaryPosition(8)(heads(4, 8), heads(4, 8), positions)


def test_head_dim_that_does_not_divide_by_axes_raises():
    with pytest.raises(
        UsageError, match="head_dim must be a multiple of 4, for equal numbers of pairs on 2 axes, not 6"
    ):
        AxialRotaryPosition(6)


@pytest.mark.parametrize("sections", [(2, 3), (9, -1, 0), ()])
def test_sections_that_do_not_add_up_raise(sections):
    with pytest.raises(UsageError, match="but a head of 16 has 8 pairs"):
        MultimodalRotaryPosition(16, sections)


def test_grid_that_does_not_divide_into_blocks_raises():
    with pytest.raises(UsageError, match="a grid of 3 × 4 patches does not divide into blocks of 2 × 2"):
        grid_positions(3, 4, merge_size=2)
