"""Bit-for-bit parity with the embeddings of tiny, randomly initialized vision models of transformers."""

import pytest
import torch
from torch import nn
from transformers import (
    CLIPVisionConfig,
    CLIPVisionModel,
    DeiTConfig,
    DeiTForMaskedImageModeling,
    Dinov2Config,
    Dinov2Model,
    Dinov2WithRegistersConfig,
    Dinov2WithRegistersModel,
    ViTConfig,
    ViTForMaskedImageModeling,
)

from rowspace.errors import UsageError
from rowspace.layers.pixels.image_embedding import PrefixTokens
from rowspace.layers.pixels.patches import PatchEmbedding

VISION = {
    "image_size": 32, "patch_size": 8, "hidden_size": 24, "intermediate_size": 8, "num_hidden_layers": 1,
    "num_attention_heads": 2, "encoder_stride": 8,
}  # fmt: skip
NAMES = {
    "cls_token": "class_token",
    "class_embedding": "class_token",
    "distillation_token": "distillation_token",
    "register_tokens": "register_tokens",
    "mask_token": "mask_token",
}


def embeddings_of(model: nn.Module) -> nn.Module:
    """The input embedding of transformers' model, with nonzero tensors."""
    found = next(module for module in model.modules() if type(module).__name__.endswith("Embeddings"))
    for parameter in found.parameters():
        nn.init.normal_(parameter)
    return found.eval()


def ours_of(theirs: nn.Module, prefix: PrefixTokens):
    """A function (images, mask) → vectors with the tensors of transformers' model."""
    state = theirs.state_dict()
    projection = next(module for module in theirs.modules() if isinstance(module, nn.Conv2d))
    patches = PatchEmbedding(8, 3, 24, bias=projection.bias is not None, form="convolution")
    patches.load_state_dict(projection.state_dict())
    expected = prefix.state_dict()
    found = {NAMES[key]: tensor for key, tensor in state.items() if NAMES.get(key) in expected}
    prefix.load_state_dict({key: tensor.reshape(expected[key].shape) for key, tensor in found.items()})
    (positions,) = [tensor for key, tensor in state.items() if key.startswith("position_embedding")]
    return lambda images, mask=None: prefix(patches(images)[0], positions=positions, mask=mask)


CASES = {
    "ViT": (lambda: ViTForMaskedImageModeling(ViTConfig(**VISION)), {"mask": True}),
    "DeiT": (lambda: DeiTForMaskedImageModeling(DeiTConfig(**VISION)), {"distillation": True, "mask": True}),
    "DINOv2": (lambda: Dinov2Model(Dinov2Config(**VISION)), {"mask": True}),
    "DINOv2 with registers": (
        lambda: Dinov2WithRegistersModel(Dinov2WithRegistersConfig(**VISION, num_register_tokens=3)),
        {"registers": 3, "mask": True},
    ),
}  # fmt: skip


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(("model", "options"), CASES.values(), ids=CASES)
def test_tokens_positions_and_masks_match_the_published_models(model, options, masked):
    torch.manual_seed(0)
    theirs = embeddings_of(model())
    ours = ours_of(theirs, PrefixTokens(24, **options))
    images, mask = torch.randn(2, 3, 32, 32), torch.rand(2, 16) < 0.4 if masked else None
    with torch.no_grad():
        assert torch.equal(ours(images, mask), theirs(images, bool_masked_pos=mask))


def test_clip_has_a_class_token_and_no_bias():
    torch.manual_seed(0)
    theirs = embeddings_of(CLIPVisionModel(CLIPVisionConfig(**VISION)))
    images = torch.randn(2, 3, 32, 32)
    with torch.no_grad():
        assert torch.equal(ours_of(theirs, PrefixTokens(24))(images), theirs(images))


def test_224_image_with_patches_of_16_has_197_rows():
    assert PrefixTokens(4)(torch.zeros(1, 196, 4)).shape == (1, 197, 4)


@pytest.mark.parametrize(
    ("options", "prefix"), [({}, 1), ({"distillation": True, "registers": 4}, 2), ({"class_token": False}, 0)]
)
def test_prefix_counts_tokens_with_a_position(options, prefix):
    assert PrefixTokens(4, **options).prefix == prefix


def test_registers_are_after_the_prefix_without_a_position():
    tokens = PrefixTokens(2, registers=2)
    patches, positions = torch.ones(1, 3, 2), torch.full((4, 2), 10.0)
    result = tokens(patches, positions=positions)
    assert torch.equal(result[0, 0], tokens.class_token + 10)
    assert torch.equal(result[0, 1:3], tokens.register_tokens)
    assert torch.equal(result[0, 3:], torch.full((3, 2), 11.0))


@pytest.mark.parametrize("axes", [2, 3])
def test_positions_of_only_the_patches_are_not_added_to_tokens(axes):
    tokens, positions = PrefixTokens(2), torch.full((3, 2), 10.0)
    result = tokens(torch.ones(1, 3, 2), positions=positions if axes == 2 else positions.unsqueeze(0))
    assert torch.equal(result[0, 0], tokens.class_token)
    assert torch.equal(result[0, 1:], torch.full((3, 2), 11.0))


def test_without_tokens_the_patches_are_returned():
    patches = torch.rand(2, 3, 4)
    assert PrefixTokens(4, class_token=False)(patches) is patches


def test_every_token_gets_a_gradient():
    tokens = PrefixTokens(4, distillation=True, registers=2, mask=True)
    tokens(torch.rand(2, 3, 4), mask=torch.tensor([[True, False, False]] * 2)).sum().backward()
    assert all(torch.equal(token.grad, torch.full_like(token, 2)) for token in tokens.parameters())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"patches": torch.zeros(1, 3, 5)}, r"patches must have shape \(batch, patches, 4\), got \(1, 3, 5\)"),
        (
            {"positions": torch.zeros(5, 4)},
            r"positions must have 4 rows \(1 before 3 patches\), or 3, of 4, got \(5, 4\)",
        ),
        ({"mask": torch.zeros(1, 3)}, r"mask must be bool of shape \(1, 3\)"),
        ({"mask": torch.zeros(3, 1, dtype=torch.bool)}, r"got torch.bool \(3, 1\)"),
    ],
)
def test_inconsistent_arguments_raise(call, message):
    arguments = {"patches": torch.zeros(1, 3, 4), **call}
    with pytest.raises(UsageError, match=message):
        PrefixTokens(4, mask=True)(**arguments)


def test_mask_without_a_mask_token_raises():
    with pytest.raises(UsageError, match="construct PrefixTokens with mask=True"):
        PrefixTokens(4)(torch.zeros(1, 3, 4), mask=torch.zeros(1, 3, dtype=torch.bool))


def test_negative_sizes_raise():
    with pytest.raises(UsageError, match="registers at least 0, got 4 and -1"):
        PrefixTokens(4, registers=-1)


def test_repr_shows_the_arguments():
    assert repr(PrefixTokens(4, registers=2)) == (
        "PrefixTokens(4, class_token=True, distillation=False, registers=2, mask=False)"
    )
