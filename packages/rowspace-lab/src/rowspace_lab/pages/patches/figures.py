"""The figures of the Patches page that need PyTorch."""

from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rowspace.layers import PatchEmbedding, pad_to_patches, patch_cost, unfold_patches
from rowspace_lab.pages.patches.replies import Cut, PatchCosts

Order = Literal["channels_first", "channels_last"]


def scale_images(fitted: NDArray[np.uint8], *, values: str, size: int, pad: bool) -> Tensor:
    """Convert to a float tensor (1, C, H, W) with values 0 to 1 ("unit"), -1 to 1 ("signed") or 0 to 255 ("bytes")."""
    images = torch.from_numpy(fitted).permute(2, 0, 1)[None].float()
    images = images / 255 if values == "unit" else images / 127.5 - 1 if values == "signed" else images
    return pad_to_patches(images, size) if pad else images


def image_bytes(images: Tensor, *, values: str) -> NDArray[np.uint8]:
    """Convert the input of the projection, including any padding, back to pixels (H, W, C)."""
    images = images * 255 if values == "unit" else (images + 1) * 127.5 if values == "signed" else images
    pixels: NDArray[np.uint8] = images[0].permute(1, 2, 0).round().byte().numpy()
    return pixels


def make_projections(*, size: int, channels: int, dim: int, seed: int) -> tuple[PatchEmbedding, PatchEmbedding]:
    """Create the patch projection as a linear layer and as a convolution, with the same untrained weights."""
    linear = PatchEmbedding(size, channels, dim)
    convolution = PatchEmbedding(size, channels, dim, form="convolution")
    for form in (linear, convolution):
        form.reset_parameters(torch.Generator().manual_seed(seed))
    return linear, convolution


def cut_figure(
    images: Tensor,
    projections: tuple[PatchEmbedding, PatchEmbedding],
    *,
    values: str,
    size: int,
    order: Order,
    at: int,
    unit: int,
) -> Cut:
    """Cut the image into patches, and project them in both forms; `at` is the index of the patch to show."""
    linear, convolution = projections
    flat = unfold_patches(images, size, order=order)[0]  # (patches, numbers)
    with torch.no_grad():
        (vectors, grid), (others, _) = linear(images), convolution(images)
    return {
        "grid": grid,
        "patches": len(flat),
        "numbers": flat.shape[1],
        "parameters": sum(parameter.numel() for parameter in linear.parameters()),
        "difference": float((vectors - others).abs().max()),
        "image": image_bytes(images, values=values),
        "pixels": flat[at].numpy(),
        "linear": vectors[0, at].numpy(),
        "convolution": others[0, at].numpy(),
        "weight": unfold_patches(linear.weight.detach()[unit, None], size, order=order)[0, 0].numpy(),
        "feature": vectors[0, :, unit].reshape(grid).numpy(),
        "variances": flat.double().var(1, correction=0).reshape(grid).numpy(),
    }


def patch_costs_figure(*, height: int, width: int, channels: int, dim: int, pad: bool) -> PatchCosts:
    """Compute the costs of each patch size that divides the picture, or of all sizes with `pad`."""
    sizes = [size for size in range(1, 65) if pad or not (height % size or width % size)]
    costs = [patch_cost((height, width), size, channels=channels, embedding_dim=dim, pad=pad) for size in sizes]
    return {
        "sizes": np.array(sizes),
        "patches": np.array([cost.patches for cost in costs]),
        "tokens": np.array([cost.tokens for cost in costs]),
        "numbers": np.array([cost.numbers for cost in costs]),
        "parameters": np.array([cost.parameters for cost in costs]),
        "scores": np.array([cost.scores for cost in costs]),
        "attention_flops": np.array([cost.attention_flops for cost in costs]),
        "projection_flops": np.array([cost.projection_flops for cost in costs]),
    }
