"""The watched rows from both sides: sums of gradients, and AdamW's first moment and step from input and head.

AdamW's first moment is linear in the gradient, so that of a tied row is the sum of one from the input and one from the
head, and so is its step apart from weight decay; the second moment, by which both are divided, is of their sum.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

__all__ = ["TwoSides"]

SIDES = ("input", "head")
Gradients = tuple[Tensor | None, Tensor | None]


class TwoSides:
    """Follows the gradients of w watched rows from the input and from the head.

    Attributes:
        tensors: By name, (w, d) each: `input_sum`, `head_sum`, the sums of the gradients, and `input_moment`,
            `head_moment`, the parts of the first moment.
    """

    def __init__(self, watched: Tensor, dim: int) -> None:
        self._watched = watched
        self.tensors = {
            f"{side}_{what}": torch.zeros(len(watched), dim, device=watched.device)
            for what in ("sum", "moment")
            for side in SIDES
        }
        self._gradients: Gradients = (None, None)

    def add(self, gradients: Gradients) -> None:
        """Add the gradients of a step from both sides, (w, d) each; None for rows that do not learn."""
        self._gradients = gradients
        for side, gradient in zip(SIDES, gradients, strict=True):
            if gradient is not None:
                self.tensors[f"{side}_sum"] += gradient

    def clipped(self, factor: float, beta1: float) -> None:
        """Update the parts of the first moment with the gradients of the step, after they were clipped.

        Args:
            factor: By which clipping has multiplied all gradients.
            beta1: AdamW's decay of the first moment.
        """
        for side, gradient in zip(SIDES, self._gradients, strict=True):
            if gradient is not None:
                self.tensors[f"{side}_moment"].lerp_(factor * gradient, 1 - beta1)

    def steps(self, states: Mapping[str, Mapping[str, Tensor]], group: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """Compute the step from each side, `input_step` and `head_step`: (w, d) float32, zeros before the first one.

        Args:
            states: AdamW's state of the table that each side changes.
            group: The options of AdamW.
        """
        return {f"{side}_step": self._step(side, states.get(side, {}), group) for side in SIDES}

    def _step(self, side: str, state: Mapping[str, Tensor], group: Mapping[str, Any]) -> NDArray[Any]:
        moment = self.tensors[f"{side}_moment"]
        if "exp_avg_sq" not in state:
            return np.zeros(tuple(moment.shape), "<f4")
        count, (beta1, beta2) = float(state["step"]), group["betas"]
        root = (state["exp_avg_sq"][self._watched] / (1 - beta2**count)).sqrt() + group["eps"]
        step: NDArray[Any] = (-group["lr"] * moment / (1 - beta1**count) / root).cpu().numpy().astype("<f4")
        return step
