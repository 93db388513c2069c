"""The claim that a convolution is faster than unfolding patches and multiplying: timed once, since times vary.

It needs PyTorch.
"""

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
import torch

from rowspace._base.parallel import torch_threads
from rowspace.layers import PatchEmbedding
from rowspace_lab.lessons.computed.claims.verdict import Verdict

__all__ = ["convolution"]

FORMS: tuple[Literal["convolution", "linear"], ...] = ("convolution", "linear")


def seconds_of(layers: Mapping[str, Any], images: torch.Tensor, *, repeats: int) -> dict[str, list[float]]:
    """Time each layer on the images, in turn, so that other work on the machine slows all of them."""
    found: dict[str, list[float]] = {name: [] for name in layers}
    with torch.no_grad():
        for _ in range(repeats):
            for name, layer in layers.items():
                start = time.perf_counter()
                layer(images)
                found[name].append(time.perf_counter() - start)
    return found


def convolution_figure(*, patches: Sequence[int], dim: int, side: int, batch: int, repeats: int) -> Mapping[str, Any]:
    """Time both forms of the same patch embedding for several sizes of patches, on one thread."""
    images = torch.randn(batch, 3, side, side, generator=torch.Generator().manual_seed(0))
    times = {}
    with torch_threads(1):
        for patch in patches:
            layers: dict[str, Any] = {form: PatchEmbedding(patch, 3, dim, form=form) for form in FORMS}
            layers["linear"].load_state_dict(layers["convolution"].state_dict())
            seconds_of(layers, images, repeats=2)  # the first calls prepare
            times[patch] = {
                form: float(np.median(each)) for form, each in seconds_of(layers, images, repeats=repeats).items()
            }
    ratios = [each["convolution"] / each["linear"] for each in times.values()]
    return {
        "dim": dim,
        "side": side,
        "batch": batch,
        "repeats": repeats,
        "least": min(ratios),
        "most": max(ratios),
        "least_at": patches[ratios.index(min(ratios))],
        "most_at": patches[ratios.index(max(ratios))],
        "ratios": ratios,
        "verdict": convolution_verdict(ratios=ratios),
        "bars": {
            f"ms, {form}, patches of {patch}": 1000 * each[form] for patch, each in times.items() for form in FORMS
        },
    }


def convolution_verdict(*, ratios: Sequence[float]) -> Verdict:
    """True if the convolution takes at most 90% of the time for all sizes, false if for none.

    It depends otherwise.
    """
    faster = [ratio <= 0.9 for ratio in ratios]
    return "it depends" if any(faster) and not all(faster) else "true" if any(faster) else "false"


convolution = partial(convolution_figure, patches=[4, 8, 16, 32], dim=384, side=224, batch=4, repeats=101)
