"""The figures of lesson 11, which need PyTorch. Pictures, patches and projections are those of the Patches page."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from rowspace.layers import patch_cost, unfold_patches
from rowspace_lab.pages.patches.figures import cut_figure, make_projections, scale_images
from rowspace_lab.pages.patches.images import Picture, fit_picture, six_by_six

SMALL_SIZE, SMALL_DIM = 3, 4


def small_patches() -> dict[str, Any]:
    """Return the four patches of the picture of 6 × 6 numbers, and their variances."""
    images = scale_images(six_by_six(), values="bytes", size=SMALL_SIZE, pad=False)
    patches = unfold_patches(images, SMALL_SIZE)[0].double()
    return {
        "side": images.shape[2],
        "patches": patches.tolist(),
        "variances": patches.var(1, correction=0).tolist(),
    }


def convolution_difference() -> dict[str, float]:
    """Project the patches of a photograph as a matrix product and as a convolution; return how far they differ."""
    picture = fit_picture(open_sample(name="china.jpg"), height=224, width=224, channels=3)
    images = scale_images(picture, values="unit", size=16, pad=False)
    projections = make_projections(size=16, channels=3, dim=64, seed=0)
    cut = cut_figure(images, projections, values="unit", size=16, order="channels_first", at=0, unit=0)
    return {"difference": cut["difference"], "largest": float(projections[0](images)[0].detach().abs().max())}


def open_sample(*, name: str) -> Picture:
    """Read a photograph of scikit-learn without importing the package, which takes seconds."""
    package = find_spec("sklearn")
    folder = Path(str(package and package.origin)).parent / "datasets" / "images"
    with Image.open(folder / name) as opened:
        return np.array(opened.convert("RGB"))


def quarter_figure(*, name: str, size: int, most: bool) -> Mapping[str, Any]:
    """Return the quarter of a photograph with the patch of the least or most variance, and where the patch is."""
    picture = fit_picture(open_sample(name=name), height=224, width=224, channels=3)
    patches = unfold_patches(scale_images(picture, values="unit", size=size, pad=False), size)[0].double()
    variances, along = patches.var(1, correction=0), 224 // size
    at = int(variances.argmax() if most else variances.argmin())
    row, column = divmod(at, along)
    return {
        "answer": 2 * (row >= along / 2) + (column >= along / 2),
        "row": row,
        "column": column,
        "spread": f"{float(variances[at]) ** 0.5:.3f}",
        "usual": f"{float(variances.median()) ** 0.5:.3f}",
    }


def tokens_figure(*, side: int, size: int) -> int:
    """Return the tokens of a square picture: its patches and a class token."""
    return patch_cost((side, side), size).tokens


def scores_figure(*, side: int, size: int, part: int) -> Mapping[str, int | str]:
    """Return how many times as many scores attention computes when patches have a part of their side."""
    before = patch_cost((side, side), size, prefix=0)
    after = patch_cost((side, side), size // part, prefix=0)
    return {
        "answer": after.scores // before.scores,
        "tokens": f"{before.patches:,}",
        "more": f"{after.patches:,}",
        "factor": after.patches // before.patches,
    }
