import pytest
import torch

from rowspace.errors import UsageError
from rowspace.layers import PatchEmbedding, cost, grid_of, patch_cost


@pytest.mark.parametrize(("side", "patches"), [(16, 196), (32, 49), (8, 784), (4, 3136)])
def test_documented_numbers(side, patches):
    counted = patch_cost(224, side)
    assert (counted.patches, counted.tokens) == (patches, patches + 1)
    assert counted.scores == (patches + 1) ** 2
    assert counted.attention_flops == 4 * (patches + 1) ** 2 * 768


@pytest.mark.parametrize(("image", "patch"), [((224, 160), 16), ((30, 50), (7, 5)), ((5, 5), 5)])
def test_cost_matches_the_module(image, patch):
    counted = patch_cost(image, patch, embedding_dim=8, prefix=0, pad=True)
    module = PatchEmbedding(patch, 3, 8, pad=True)
    vectors, grid = module(torch.zeros(1, 3, *image))
    assert (counted.grid, counted.tokens) == (grid, vectors.shape[1])
    assert counted.parameters == sum(parameter.numel() for parameter in module.parameters())
    assert patch_cost(image, patch).grid == grid_of(image, patch)


def test_projection_flops_match_the_cost_of_the_model():
    model, counted = cost("vit-base-patch16-224"), patch_cost(224, 16)
    assert counted.projection_flops == model.input_flops(counted.patches)
    assert counted.parameters == model.patches


def test_invalid_sizes_raise():
    with pytest.raises(UsageError, match="an image of 3 × 9 has no patch of 4 × 4"):
        patch_cost((3, 9), 4)
    with pytest.raises(UsageError, match="channels must be 1 or more, not 0"):
        patch_cost(8, 4, channels=0)
    with pytest.raises(UsageError, match="prefix must be 0 or more, not -200"):
        patch_cost(224, 16, prefix=-200)
