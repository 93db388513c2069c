"""Parity with torch's convolution and unfold, and with tiny random vision models of transformers."""

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
    SiglipVisionConfig,
    SiglipVisionModel,
    ViTConfig,
    ViTModel,
)

from rowspace.errors import UsageError
from rowspace.layers.pixels.patches import PatchEmbedding, unfold_patches

VISION = {
    "image_size": 32, "patch_size": 8, "hidden_size": 24, "intermediate_size": 8, "num_hidden_layers": 1,
    "num_attention_heads": 2,
}  # fmt: skip
MODELS = {
    "ViT": (ViTModel, ViTConfig),
    "DeiT": (DeiTModel, DeiTConfig),
    "DINOv2": (Dinov2Model, Dinov2Config),
    "CLIP": (CLIPVisionModel, CLIPVisionConfig),
    "SigLIP": (SiglipVisionModel, SiglipVisionConfig),
}
PROJECTIONS = ("patch_embeddings.projection", "patch_embedding")


def projection_of(name: str) -> nn.Conv2d:
    """The patch projection of transformers' model."""
    model, config = MODELS[name]
    torch.manual_seed(0)
    modules = dict(model(config(**VISION)).named_modules())
    (found,) = [module for key, module in modules.items() if key.endswith(PROJECTIONS)]
    assert isinstance(found, nn.Conv2d)
    return found


def like(convolution: nn.Conv2d, **options) -> PatchEmbedding:
    """A PatchEmbedding with the tensors of a convolution."""
    ours = PatchEmbedding(
        convolution.kernel_size, convolution.in_channels, convolution.out_channels,
        bias=convolution.bias is not None, **options,
    )  # fmt: skip
    ours.load_state_dict(convolution.state_dict())
    return ours


@pytest.mark.parametrize("size", [(32, 32), (16, 40), (8, 8)])
@pytest.mark.parametrize("name", MODELS)
def test_convolution_matches_the_published_models_bit_for_bit(name, size):
    theirs, images = projection_of(name), torch.randn(2, 3, *size)
    patches, grid = like(theirs, form="convolution")(images)
    assert torch.equal(patches, theirs(images).flatten(2).transpose(1, 2))
    assert grid == (size[0] // 8, size[1] // 8)


@pytest.mark.parametrize("name", MODELS)
def test_linear_form_is_within_1e_6(name):
    theirs, images = projection_of(name), torch.randn(2, 3, 16, 40)
    patches, _ = like(theirs, form="linear")(images)
    torch.testing.assert_close(patches, theirs(images).flatten(2).transpose(1, 2), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-14), (torch.bfloat16, 2**-7)])
@pytest.mark.parametrize("patch_size", [1, 3, (2, 5)])
def test_both_forms_agree_in_value_and_gradient(patch_size, dtype, tolerance):
    """In bfloat16, with 8 bits, they are within one unit in the last place of the largest value."""
    torch.manual_seed(0)
    linear = PatchEmbedding(patch_size, 2, 7, form="linear").to(dtype)
    convolution = PatchEmbedding(patch_size, 2, 7, form="convolution").to(dtype)
    convolution.load_state_dict(linear.state_dict())
    images = torch.randn(3, 2, 6, 15, dtype=dtype)
    results = [form(images) for form in (linear, convolution)]
    assert results[0][1] == results[1][1]
    torch.testing.assert_close(results[0][0], results[1][0], rtol=tolerance, atol=tolerance)
    for patches, _ in results:
        patches.square().sum().backward()
    torch.testing.assert_close(linear.weight.grad, convolution.weight.grad, rtol=2 * tolerance, atol=8 * tolerance)


def test_unfold_patches_matches_torch():
    images = torch.randn(2, 3, 12, 20)
    theirs = functional.unfold(images, kernel_size=4, stride=4).transpose(1, 2)
    assert torch.equal(unfold_patches(images, 4), theirs)


def test_unfold_a_6_by_6_image():
    image = torch.arange(36.0).view(1, 1, 6, 6)
    image[0, 0, :3, :3] = torch.tensor([[1, 2, 3], [4, 5, 0], [7, 8, 1]])
    patches = unfold_patches(image, 3)
    assert patches.shape == (1, 4, 9)
    assert patches[0, 0].tolist() == [1, 2, 3, 4, 5, 0, 7, 8, 1]
    assert patches[0, 1].tolist() == [3, 4, 5, 9, 10, 11, 15, 16, 17]


@pytest.mark.parametrize("form", ["linear", "convolution"])
@pytest.mark.parametrize(("stride", "padding"), [(4, 3), ((2, 5), 0), (None, 1)])
def test_overlapping_patches_match_a_convolution(form, stride, padding):
    convolution = nn.Conv2d(3, 6, 7, stride=stride or 7, padding=padding)
    images = torch.randn(2, 3, 30, 41)
    expected = convolution(images)
    patches, grid = like(convolution, form=form, stride=stride, padding=padding)(images)
    assert grid == expected.shape[2:]
    torch.testing.assert_close(patches, expected.flatten(2).mT, rtol=1e-6, atol=1e-6)


def test_image_smaller_than_an_overlapping_patch_raises():
    with pytest.raises(UsageError, match="an image of 30 × 4 pixels is smaller than a patch of 7 × 7; resize it"):
        PatchEmbedding(7, 3, 6, stride=4, padding=1)(torch.zeros(1, 3, 30, 4))


@pytest.mark.parametrize(("side", "count"), [(16, 196), (32, 49), (8, 784), (4, 3136)])
def test_number_of_patches_of_a_224_image(side, count):
    patches, grid = PatchEmbedding(side, 3, 2)(torch.zeros(1, 3, 224, 224))
    assert patches.shape[1] == count == grid[0] * grid[1]


@pytest.mark.parametrize(("side", "count"), [(16, 590_592), (32, 2_360_064)])
def test_number_of_parameters(side, count):
    assert sum(parameter.numel() for parameter in PatchEmbedding(side, 3, 768).parameters()) == count


@pytest.mark.parametrize("form", ["linear", "convolution"])
@pytest.mark.parametrize(
    ("size", "message"),
    [
        ((225, 224), r"height 225 is not a multiple of the patch's 16 \(next: 224 or 240\); resize or crop it"),
        ((224, 7), r"width 7 is not a multiple of the patch's 16 \(next: 16\)"),
        ((100, 100), r"height 100 .* \(next: 96 or 112\) and width 100 .* \(next: 96 or 112\)"),
        ((0, 16), r"height 0"),
    ],
)
def test_error_for_an_image_size_names_the_nearest_sizes(form, size, message):
    with pytest.raises(UsageError, match=message):
        PatchEmbedding(16, 3, 4, form=form)(torch.zeros(1, 3, *size))


@pytest.mark.parametrize("form", ["linear", "convolution"])
def test_padding_is_at_the_bottom_and_on_the_right(form):
    embed = PatchEmbedding((4, 5), 1, 3, form=form, pad=True)
    image = torch.rand(1, 1, 7, 11)
    padded = torch.zeros(1, 1, 8, 15)
    padded[:, :, :7, :11] = image
    patches, grid = embed(image)
    assert grid == (2, 3)
    assert torch.equal(patches, embed(padded)[0])


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (torch.zeros(3, 16, 16), r"images must have shape \(batch, 3, height, width\), got \(3, 16, 16\)"),
        (torch.zeros(1, 16, 16, 3), "check the order of the axes"),
        (torch.zeros(1, 3, 16, 16, dtype=torch.uint8), "images must be floats"),
    ],
)
def test_images_of_another_shape_or_dtype_raise(images, message):
    with pytest.raises(UsageError, match=message):
        PatchEmbedding(16, 3, 4)(images)


def test_images_are_cast_to_the_dtype_of_the_weight():
    assert PatchEmbedding(16, 3, 4).bfloat16()(torch.zeros(1, 3, 16, 16))[0].dtype == torch.bfloat16


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((0, 3, 4), {}),
        ((16, 3, 0), {}),
        ((16, 3, 4), {"form": "conv"}),
        ((16, 3, 4), {"stride": 0}),
        ((16, 3, 4), {"padding": -1}),
        ((16, 3, 4), {"stride": 8, "pad": True}),
    ],
)
def test_invalid_arguments_raise(arguments, options):
    with pytest.raises(UsageError):
        PatchEmbedding(*arguments, **options)


def test_repr_shows_the_arguments():
    assert repr(PatchEmbedding(16, 3, 4)) == "PatchEmbedding((16, 16), 3, 4, bias=True, form='linear', pad=False)"


def test_channels_last_matches_the_order_of_an_image_file():
    images = torch.randn(2, 3, 12, 20)
    patches = unfold_patches(images, (4, 5), order="channels_last")
    rows = images[1].permute(1, 2, 0)  # (H, W, C)
    assert torch.equal(patches[1, 5], rows[4:8, 5:10].flatten())
    sizes = {len(unfold_patches(images, 4, order=order)[0]) for order in ("channels_first", "channels_last")}
    assert sizes == {15}


def test_unknown_order_raises():
    with pytest.raises(UsageError, match="order must be"):
        unfold_patches(torch.zeros(1, 1, 2, 2), 2, order="last")


@pytest.mark.long  # the default backend generates and compiles C++
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # from the compiler
def test_inductor_compiles_the_convolution_for_changing_image_sizes():
    patches = PatchEmbedding(7, 3, 8, form="convolution")
    compiled = torch.compile(lambda images: patches(images)[0], fullgraph=True)
    for height, width in ((28, 28), (56, 63), (35, 49)):
        images = torch.rand(2, 3, height, width)
        actual, expected = compiled(images), patches(images)[0]
        torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-6)
        gradients = (torch.autograd.grad(each.square().sum(), patches.weight) for each in (actual, expected))
        torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-5)
