import pytest
import torch
from transformers.models.sam3.modeling_sam3 import Sam3ViTEmbeddings

from rowspace.errors import UsageError
from rowspace.layers import GridPosition, grid_of, resample_positions


def test_own_grid_returns_the_weight():
    positions = GridPosition((2, 3), 4, prefix=2)
    assert positions((2, 3)) is positions.weight
    assert positions.weight.shape == (8, 4)


@pytest.mark.parametrize("antialias", [True, False])
def test_another_grid_returns_resampled_rows(antialias):
    positions = GridPosition((4, 4), 8, antialias=antialias)
    expected = resample_positions(positions.weight, (4, 4), (2, 3), prefix=1, antialias=antialias)
    assert torch.equal(positions((2, 3)), expected)
    assert torch.equal(positions((2, 3))[0], positions.weight[0])


def test_gradients_flow_through_resampling():
    positions = GridPosition((4, 4), 8)
    positions((6, 6)).sum().backward()
    assert positions.weight.grad.abs().sum() > 0


@pytest.mark.parametrize(
    ("image", "patch", "grid"), [(224, 16, (14, 14)), ((30, 65), (10, 16), (3, 4)), (384, 14, (27, 27))]
)
def test_grid_of_counts_complete_patches(image, patch, grid):
    assert grid_of(image, patch) == grid


def test_empty_grid_raises():
    with pytest.raises(UsageError, match="width must be 1 or more, not 0"):
        GridPosition((2, 0), 4)
    for patch_size in (0, -16, (0, 16)):
        with pytest.raises(UsageError, match="patch_size must be 1 or more, not"):
            grid_of(224, patch_size)


def test_grid_that_is_not_resampled_refuses_another_one():
    positions = GridPosition((2, 3), 4, resampled=False)
    assert positions((2, 3)).shape == (7, 4)
    with pytest.raises(UsageError, match="the image has 3 × 3 patches, but this model has positions for 2 × 3"):
        positions((3, 3))


@pytest.mark.parametrize("grid", [(2, 2), (5, 3), (1, 4)])
def test_tiled_positions_match_sam_3(grid):
    positions = GridPosition((2, 2), 4, prefix=0, resampled="tiled")
    expected = Sam3ViTEmbeddings._tile_position_embeddings(None, positions.weight[None], *grid)
    assert torch.equal(positions(grid), expected[0])


def test_tiled_positions_with_a_prefix_raise():
    with pytest.raises(UsageError, match="tiled positions have no prefix, but prefix is 1"):
        GridPosition((2, 2), 4, resampled="tiled")
