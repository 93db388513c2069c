import pytest
import torch
from torch import nn

from rowspace.errors import UsageError
from rowspace.layers import GridPosition, ImageEmbedding, PatchEmbedding, PrefixTokens


def made(*, tokens=None, **options):
    prefix = 0 if tokens is None else tokens.prefix
    positions = GridPosition((2, 2), 6, prefix=prefix)
    return ImageEmbedding(patches=PatchEmbedding(4, 3, 6), tokens=tokens, positions=positions, **options)


def test_patches_plus_positions():
    embed, images = made(), torch.rand(2, 3, 8, 8)
    assert torch.equal(embed(images), embed.patches(images)[0] + embed.positions.weight)


def test_norm_then_dropout():
    norm = nn.LayerNorm(6)
    embed, images = made(norm=norm, dropout=0.5), torch.rand(2, 3, 8, 8)
    torch.manual_seed(0)
    actual = embed(images)
    torch.manual_seed(0)
    assert torch.equal(actual, nn.functional.dropout(norm(embed.patches(images)[0] + embed.positions.weight), 0.5))


@pytest.mark.parametrize("size", [(11, 8), (8, 9), (11, 11)])
def test_crop_drops_incomplete_patches(size):
    images = torch.rand(1, 3, *size)
    embed = made(crop=True)
    assert torch.equal(embed(images), embed(images[..., :8, :8]))


@pytest.mark.parametrize("options", [{"stride": 2}, {"stride": 5}, {"padding": 1}], ids=str)
def test_crop_keeps_all_patches_of_a_convolution(options):
    patches, images = PatchEmbedding(4, 3, 6, **options), torch.rand(1, 3, 11, 9)
    expected = nn.functional.conv2d(images, patches.weight, patches.bias, **({"stride": 4} | options))
    found = ImageEmbedding(patches=patches, positions=None, crop=True)(images)
    torch.testing.assert_close(found, expected.flatten(2).transpose(1, 2))


def test_incomplete_patches_without_crop_raise():
    with pytest.raises(UsageError, match="height 11 is not a multiple of the patch's 4"):
        made()(torch.rand(1, 3, 11, 8))


def test_image_smaller_than_a_patch_raises_with_crop():
    with pytest.raises(UsageError, match="width 3 is not a multiple of the patch's 4"):
        made(crop=True)(torch.rand(1, 3, 8, 3))


def test_positions_with_another_prefix_raise():
    patches, positions = PatchEmbedding(4, 3, 6), GridPosition((2, 2), 6, prefix=1)
    with pytest.raises(UsageError, match="positions have 1 prefix token, but tokens have 2; pass prefix=2"):
        ImageEmbedding(patches=patches, tokens=PrefixTokens(6, distillation=True), positions=positions)


def test_mask_without_tokens_raises():
    with pytest.raises(UsageError, match="mask needs a mask token, but there are no prefix tokens"):
        made()(torch.rand(1, 3, 8, 8), mask=torch.zeros(1, 4, dtype=torch.bool))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # from torch, while it compiles
def test_compiles_as_one_graph():
    embed, images = made(tokens=PrefixTokens(6, registers=2)), torch.rand(2, 3, 12, 8)
    torch.testing.assert_close(torch.compile(embed, fullgraph=True, backend="aot_eager")(images), embed(images))


def test_norm_of_patches_comes_before_positions_which_may_be_absent():
    patches = PatchEmbedding(2, 3, 4)
    images = torch.rand(1, 3, 4, 4)
    bare = ImageEmbedding(patches=patches, positions=None)
    normed = ImageEmbedding(patches=patches, positions=None, patch_norm=nn.LayerNorm(4))
    positioned = ImageEmbedding(
        patches=patches, positions=GridPosition((2, 2), 4, prefix=0), patch_norm=nn.LayerNorm(4)
    )
    rows = patches(images)[0]
    assert torch.equal(bare(images), rows)
    assert torch.equal(normed(images), nn.functional.layer_norm(rows, [4]))
    assert torch.equal(positioned(images), normed(images) + positioned.positions((2, 2)))
