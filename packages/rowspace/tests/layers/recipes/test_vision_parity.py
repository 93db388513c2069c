"""Each vision recipe, opened from a checkpoint of transformers, matches the input of the model's first layer.

Bit for bit, in float32 and in bfloat16: the same convolution, and the same additions in the same order. The two forms
of a patch embedding differ from each other by at most 1e-6 of the result (`test_patches.py`).
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import pytest
import torch
import transformers as tf
from tests.layers.recipes.text_models import TextModel, saved

from rowspace.errors import UsageError
from rowspace.layers import from_checkpoint, from_config

VISION = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "image_size": 12, "patch_size": 4}
MLP = {**VISION, "intermediate_size": 8}
TEXT = {**MLP, "vocab_size": 40, "max_position_embeddings": 10}
del TEXT["image_size"], TEXT["patch_size"]
IDS = {"bos_token_id": 2, "eos_token_id": 3, "pad_token_id": 1}


def clip_config():
    return tf.CLIPConfig(text_config={**TEXT, **IDS}, vision_config={**MLP, "layer_norm_eps": 0.01}, projection_dim=4)


def siglip_config():
    return tf.SiglipConfig(text_config={**TEXT, **IDS}, vision_config={**MLP, "image_size": 14})


class VisionModel(NamedTuple):
    model: TextModel
    part: str | None
    embedded: Callable[..., torch.Tensor]  # (model, images, options) → input of the first layer
    size: int = 12


def embeddings(model, images, **options):
    return model.base_model.embeddings(images, **options)


def clip_embeddings(model, images, **options):
    inner = getattr(model, "vision_model", model)
    return inner.pre_layrnorm(inner.embeddings(images, **options))


def siglip_embeddings(model, images, **options):
    return getattr(model, "vision_model", model).embeddings(images, **options)


MODELS = {
    "vit": VisionModel(TextModel(lambda: tf.ViTConfig(**MLP), tf.ViTModel), None, embeddings),
    "vit, with a head": VisionModel(
        TextModel(lambda: tf.ViTConfig(**MLP), tf.ViTForImageClassification), None, embeddings
    ),
    "deit": VisionModel(TextModel(lambda: tf.DeiTConfig(**MLP), tf.DeiTModel), None, embeddings),
    "dinov2": VisionModel(TextModel(lambda: tf.Dinov2Config(**VISION), tf.Dinov2Model), None, embeddings),
    "dinov2 without a mask": VisionModel(
        TextModel(lambda: tf.Dinov2Config(**VISION, use_mask_token=False), tf.Dinov2Model), None, embeddings
    ),
    "dinov2 with registers": VisionModel(
        TextModel(lambda: tf.Dinov2WithRegistersConfig(**VISION), tf.Dinov2WithRegistersModel), None, embeddings
    ),
    "clip": VisionModel(TextModel(clip_config, tf.CLIPModel), "vision", clip_embeddings),
    "clip, alone": VisionModel(
        TextModel(lambda: tf.CLIPVisionConfig(**MLP, layer_norm_eps=0.01), tf.CLIPVisionModel), None, clip_embeddings
    ),
    "siglip": VisionModel(TextModel(siglip_config, tf.SiglipModel), "vision", siglip_embeddings, size=14),
    "siglip, alone": VisionModel(
        TextModel(lambda: tf.SiglipVisionConfig(**MLP), tf.SiglipVisionModel), None, siglip_embeddings
    ),
}
RESIZING = [name for name in MODELS if "head" not in name]


def images(*size: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.rand(2, 3, *size, generator=torch.Generator().manual_seed(1)).to(dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", MODELS)
@torch.no_grad()
def test_input_matches_the_model_bit_for_bit(name, dtype, tmp_path):
    made, part, embedded, size = MODELS[name]
    model = made.made(dtype)
    embed = from_checkpoint(saved(model, tmp_path), part=part)
    pixels = images(size, size, dtype=dtype)
    assert torch.equal(embed(pixels), embedded(model, pixels))


@pytest.mark.parametrize("grid", [(2, 2), (5, 4), (3, 1)], ids=str)
@pytest.mark.parametrize("name", RESIZING)
@torch.no_grad()
def test_images_of_another_size_match_the_model(name, grid, tmp_path):
    # transformers' interpolation of positions, to 1e-6, since its memory layout may differ
    made, part, embedded, _ = MODELS[name]
    model = made.made()
    embed = from_checkpoint(saved(model, tmp_path), part=part)
    pixels = images(4 * grid[0], 4 * grid[1])
    options: dict[str, Any] = {} if "dinov2" in name else {"interpolate_pos_encoding": True}
    torch.testing.assert_close(embed(pixels), embedded(model, pixels, **options), rtol=1e-6, atol=1e-6)


@torch.no_grad()
def test_incomplete_patches_are_dropped(tmp_path):
    # as by transformers' convolutions: 17 × 15 pixels are 4 × 3 patches of 4
    for name in RESIZING:
        made, part, embedded, _ = MODELS[name]
        model, pixels = made.made(), images(17, 15)
        embed = from_checkpoint(saved(model, tmp_path / name), part=part)
        options: dict[str, Any] = {} if "dinov2" in name else {"interpolate_pos_encoding": True}
        expected = embedded(model, pixels, **options)
        torch.testing.assert_close(embed(pixels), expected, rtol=1e-6, atol=1e-6, msg=partial("{}: {}".format, name))


@pytest.mark.parametrize("name", ["dinov2", "dinov2 with registers"])
@torch.no_grad()
def test_masked_patches_match_the_model(name, tmp_path):
    model = MODELS[name].model.made()
    embed = from_checkpoint(saved(model, tmp_path))
    mask = torch.rand(2, 9) < 0.5
    assert torch.equal(embed(images(12, 12), mask=mask), model.embeddings(images(12, 12), bool_masked_pos=mask))


@pytest.mark.parametrize("name", ["clip", "siglip"])
@torch.no_grad()
def test_text_part_matches_the_model(name, tmp_path):
    # transformers' CLIPTextEmbeddings and SiglipTextEmbeddings, bit for bit
    model = MODELS[name].model.made()
    ids = torch.tensor([[2, 5, 39, 0], [1, 8, 30, 3]])
    embed = from_checkpoint(saved(model, tmp_path), part="text")
    assert torch.equal(embed(ids), model.text_model.embeddings(ids))


@pytest.mark.parametrize("family", ["CLIP", "Siglip"])
@torch.no_grad()
def test_text_model_alone(family, tmp_path):
    config, model = getattr(tf, f"{family}TextConfig"), getattr(tf, f"{family}TextModel")
    made = TextModel(lambda: config(**TEXT, **IDS), model).made()
    ids = torch.tensor([[2, 5, 39, 0], [1, 8, 30, 3]])
    assert torch.equal(from_checkpoint(saved(made, tmp_path))(ids), getattr(made, "text_model", made).embeddings(ids))


@pytest.mark.parametrize("part", [None, "audio"])
def test_missing_or_unknown_part_raises(part):
    with pytest.raises(UsageError, match="but a 'clip' has 'text' and 'vision'; pass one of them"):
        from_config(clip_config().to_dict(), part=part)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # from the compiler
def test_compiles_as_one_graph_for_changing_image_sizes():
    # the oracle is the eager module, which is compared with transformers above
    embed = from_config({"model_type": "dinov2_with_registers", **VISION})
    compiled = torch.compile(embed, fullgraph=True, backend="aot_eager")
    for grid in ((3, 3), (5, 4), (2, 6)):
        pixels = images(4 * grid[0] + 1, 4 * grid[1])
        actual, expected = compiled(pixels), embed(pixels)
        torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-6)
        gradients = (torch.autograd.grad(each.square().sum(), embed.positions.weight) for each in (actual, expected))
        torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-5)


def test_sizes_may_differ_by_side():
    config = {"model_type": "vit", "hidden_size": 8, "image_size": [32, 64], "patch_size": [16, 8]}
    embed = from_config(config)
    assert embed.positions.grid == (2, 8)
    assert embed(images(32, 64)).shape == (2, 17, 8)


def test_config_of_dinov2_with_registers():
    with torch.device("meta"):
        embed = from_config({"model_type": "dinov2_with_registers", "image_size": 518, "patch_size": 14})
    assert embed.tokens.register_tokens.shape == (4, 768)
    assert embed.positions.weight.shape == (1 + 37 * 37, 768)
