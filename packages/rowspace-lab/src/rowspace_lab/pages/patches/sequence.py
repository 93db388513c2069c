"""The finished sequence of a picture, filters learned from its patches, and numbers of tokens. They need PyTorch."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rowspace import space
from rowspace.layers import PatchEmbedding, from_checkpoint, patch_cost, unfold_patches
from rowspace.layers.tables.init import init_rows_
from rowspace_lab.pages.patches.replies import CheckpointFilters, Filters, Sequence, TokenCounts

Array = NDArray[np.float32]


def sequence_figure(
    images: Tensor, projections: tuple[PatchEmbedding, PatchEmbedding], *, seed: int, tokens: int, numbers: int
) -> Sequence:
    """Put the class token before the projected patches, and add a learned position to each, as ViT does.

    Class token and positions are untrained. Only the first `tokens` rows and `numbers` columns are returned.
    """
    linear, generator = projections[0], torch.Generator().manual_seed(seed + 1)
    with torch.no_grad():
        vectors, grid = linear(images)
        class_token = nn.init.trunc_normal_(
            torch.empty(1, linear.embedding_dim), std=0.02, a=-0.04, b=0.04, generator=generator
        )
        rows = torch.cat([class_token, vectors[0]])
        positions = torch.empty_like(rows)
        init_rows_(positions, "normal", generator=generator)
        added = rows + positions
    part = slice(tokens), slice(numbers)
    return {
        "tokens": len(rows),
        "position_parameters": positions.numel(),
        "grid": grid,
        "rows": rows[part].numpy(),
        "positions": positions[part].numpy(),
        "sequence": added[part].numpy(),
        "row_norm": float(vectors[0].norm(dim=1).mean()),
        "position_norm": float(positions.norm(dim=1).mean()),
    }


def filters_figure(
    images: Tensor, projections: tuple[PatchEmbedding, PatchEmbedding], *, size: int, count: int
) -> Filters:
    """Compare filters drawn at random with the principal components of the picture's patches.

    A share is the part of the variance of all patches that the first filters hold: that of their projection to the span
    of the filters.
    """
    patches = unfold_patches(images, size)[0].double().numpy()
    count = min(count, *patches.shape)
    learned = space.pca(patches, count)
    weight = projections[0].weight.detach().flatten(1).double().numpy()[:count]
    return {
        "random": weight.astype(np.float32),
        "learned": learned.components.astype(np.float32),
        "random_share": held_share(patches, weight),
        "learned_share": learned.share.cumsum(),
        "count": len(learned.components),
    }


def held_share(patches: NDArray[np.float64], filters: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the patches' variance in the span of the first 1, 2, 3 ... filters."""
    directions, _ = np.linalg.qr(filters.T)
    centered = patches - patches.mean(0)
    whole = (centered**2).sum()
    held: NDArray[np.float64] = ((centered @ directions) ** 2).sum(0).cumsum()
    return held / whole if whole > 0 else np.zeros(len(held))


def checkpoint_filters_figure(*, path: str, count: int) -> CheckpointFilters:
    """Return the filters of a checkpoint's patch embedding with the largest norms, channels first."""
    weight = from_checkpoint(path, part="vision").get_parameter("patches.weight").detach().float()
    order = weight.flatten(1).norm(dim=1).argsort(descending=True, stable=True)[:count]
    return {
        "filters": weight[order].flatten(1).numpy(),
        "ids": order.numpy(),
        "channels": weight.shape[1],
        "patch": weight.shape[2],
        "dim": len(weight),
    }


def token_counts_figure(*, height: int, width: int, channels: int) -> TokenCounts:
    """Count tokens and attention scores for patches, for every pixel as a token, and for every value as a token."""
    sides = [side for side in (32, 16, 8, 4) if not (height % side or width % side)]
    costs = [patch_cost((height, width), side, channels=channels, prefix=0) for side in (*sides, 1)]
    costs.append(patch_cost((height, width * channels), 1, channels=1, prefix=0))
    return {
        "names": [*(f"patches of {side}" for side in sides), "every pixel", "every value"],
        "tokens": np.array([cost.patches for cost in costs]),
        "scores": np.array([cost.scores for cost in costs]),
    }
