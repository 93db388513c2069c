"""Whether `rowspace.layers` opens a model type, and computes bit for bit what its first block receives: `agreement`."""

import itertools
import json
import math
import re
from pathlib import Path
from typing import Any, NamedTuple

import torch
import transformers as tf
from tests.layers.recipes.published.models import NotRun, SmallModel, inputs_for, small_model
from tests.layers.recipes.published.recorded import Recording, Rotation, recorded
from torch import Tensor, nn

from rowspace.errors import RowspaceError
from rowspace.layers import (
    AxialRotaryPosition,
    ImageEmbedding,
    MultimodalRotaryPosition,
    RotaryPosition,
    from_checkpoint,
    grid_positions,
)

__all__ = ["Agreement", "agreement"]


class Agreement(NamedTuple):
    """The result of one model type, or of one of its parts.

    - `outcome`: agrees, differs, refused, crashed, or not run (transformers builds no small model of it).
    - `rotary`: agrees, differs, missing, or none.
    """

    kind: str
    part: str
    modality: str
    outcome: str
    message: str
    rotary: str


def agreement(kind: str, folder: Path) -> list[Agreement]:
    """Build, save, open and compare a small model of a type; one result for each part that opens."""
    try:
        small = small_model(kind)
        small.model.save_pretrained(folder)
    except NotRun as problem:
        return [Agreement(kind, "", "", "not run", str(problem), "none")]
    try:
        return [_compared(kind, "", small, from_checkpoint(folder), small.recording, small.inputs)]
    except RowspaceError as error:
        if "pass one of them" not in str(error):
            return [Agreement(kind, "", small.modality, "refused", _line(error), _missing(small.recording))]
        parts = re.findall(r"'(\w+)'", str(error).rpartition(" has ")[2])
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return [_of_part(kind, part, small, config, folder) for part in parts]


def _of_part(kind: str, part: str, small: SmallModel, config: dict[str, Any], folder: Path) -> Agreement:
    """Compare one part of a model, which has a module of its own."""
    try:
        ours = from_checkpoint(folder, part=part)
    except RowspaceError as error:
        return Agreement(kind, part, part, "refused", _line(error), "none")
    inner = (config.get(f"{part}_config") or config.get(part) or {}).get("model_type", f"{kind}_{part}_model")
    for module in small.model.modules():
        theirs = getattr(getattr(module, "config", None), "model_type", None)
        if isinstance(module, tf.PreTrainedModel) and module is not small.model and theirs == inner:
            for modality, inputs in inputs_for(module.config):
                if (modality == part or part not in ("text", "vision")) and (
                    recording := recorded(module, inputs)
                ).first_blocks:
                    return _compared(kind, part, small._replace(modality=part), ours, recording, inputs)
    return Agreement(kind, part, part, "not run", "the part does not run alone", "none")


def _compared(
    kind: str, part: str, small: SmallModel, ours: nn.Module, recording: Recording, inputs: dict[str, Tensor]
) -> Agreement:
    """Compare the output of our module with the inputs of the first blocks."""
    name = "pixel_values" if isinstance(ours, ImageEmbedding) else "input_ids"
    given = inputs.get(name, inputs.get("decoder_input_ids"))
    if given is None:
        return Agreement(kind, part, small.modality, "not run", f"the model runs on {' and '.join(inputs)}", "none")
    try:
        with torch.no_grad():
            actual = ours(given)
        rotary = _rotary(ours, recording.rotations)
    except RowspaceError as error:
        return Agreement(kind, part, small.modality, "refused", _line(error), _missing(recording))
    except Exception as error:  # the page reports crashes, too
        return Agreement(kind, part, small.modality, "crashed", f"{type(error).__name__}: {_line(error)}", "none")
    difference = _difference(actual, recording.first_blocks)
    if difference is None:
        shapes = [tuple(states.shape) for _, states in recording.first_blocks][:3]
        return Agreement(kind, part, small.modality, "differs", f"{tuple(actual.shape)}, not of {shapes}", rotary)
    outcome = "differs" if difference > 0 or rotary == "differs" else "agrees"
    return Agreement(kind, part, small.modality, outcome, f"{difference:.2g}" if difference else "", rotary)


def _difference(actual: Tensor, first_blocks: list[tuple[str, Tensor]]) -> float | None:
    """The largest difference to the most similar of the recorded inputs; None if none has the shape."""
    recorded = [_laid_out(states, actual) for _, states in first_blocks]
    both = [_unpadded(each, actual) for states in recorded for each in (states, states.transpose(0, 1))]
    found = [float((expected - actual).abs().max()) for expected in both if expected.shape == actual.shape]
    return min(found, default=None)


def _laid_out(states: Tensor, actual: Tensor) -> Tensor:
    """The states of a first block in the layout of `actual`, as far as their shapes tell how they are arranged."""
    if states.dim() == 4 and torch.equal(states, states[:, :, :1].expand_as(states)):
        states = states[:, :, 0]  # several residual streams that start with the same states
    if actual.dim() != 3:
        return states
    if states.dim() == 3 and states.equal(states[..., : (d := actual.shape[-1])].repeat(1, 1, states.shape[-1] // d)):
        states = states[..., :d]  # the same, side by side
    if states.dim() == 3 and len(states) == 1 and states.numel() == actual.numel():
        return states.view_as(actual)  # the images one after the other
    if states.dim() == 4 and states[:, :, 0].shape[::2] == actual.shape[::2]:
        return states.flatten(1, 2)  # (batch, height, width, d)
    if states.dim() == 4 and states.flatten(2).mT.shape == actual.shape:
        return states.flatten(2).mT  # (batch, d, height, width)
    return states


def _unpadded(states: Tensor, actual: Tensor) -> Tensor:
    """The states without what pads them to a multiple of a window."""
    is_longer = states.dim() == actual.dim() == 3 and states.shape[1] > actual.shape[1]
    return states[:, : actual.shape[1]] if is_longer else states


def _missing(recording: Recording) -> str:
    return "missing" if recording.rotations else "none"


def _rotary(ours: nn.Module, rotations: list[Rotation]) -> str:
    """Whether each recorded rotation is one of ours, up to the order of components and a shift of all positions."""
    candidates = [module for module in ours.children() if isinstance(module, RotaryPosition)]
    if not candidates or not rotations:
        return "missing" if rotations else "none"
    there = [any(_turns(each, found) for each in candidates) for found in rotations]
    back = [any(_turns(each, found, direction=-1) for each in candidates) for found in rotations]
    # DeepSeek V4 rotates queries and keys, and the output of its attention back.
    return "agrees" if any(there) and all(map(any, zip(there, back, strict=True))) else "differs"


def _turns_patches(rotary: AxialRotaryPosition, found: Rotation) -> bool:
    """Whether ours rotates the last queries, of one or two squares of patches, and theirs no others."""
    sides = range(2, math.isqrt(found.q.shape[-2]) + 1)
    for side, images, centered in itertools.product(sides, (1, 2), (True, False)):
        count = images * side * side
        positions = grid_positions(side, side, centered=centered).repeat(1, images)
        if count > found.q.shape[-2]:
            continue
        ours = rotary(found.q[..., -count:, :], found.k[..., -count:, :], positions)[0]
        same = torch.allclose(ours, found.rotated[..., -count:, :], rtol=1e-5, atol=1e-5)
        if same and torch.equal(found.q[..., :-count, :], found.rotated[..., :-count, :]):
            return True
    return False


def _turns(rotary: RotaryPosition, found: Rotation, direction: int = 1) -> bool:
    if isinstance(rotary, AxialRotaryPosition):
        return _turns_patches(rotary, found)
    q, expected = (each.transpose(1, 2) if found.axis == 1 else each for each in (found.q, found.rotated))
    if q.shape == expected.shape and q.shape[-1] > rotary.head_dim:  # the rotated part is the first or the last one
        size = rotary.head_dim
        parts = [(q[..., :size], expected[..., :size], q[..., size:], expected[..., size:])]
        parts += [(q[..., -size:], expected[..., -size:], q[..., :-size], expected[..., :-size])]
        kept = [pair for *pair, before, after in parts if torch.equal(before, after)]
        return any(_turns(rotary, found._replace(q=each, rotated=after, axis=2), direction) for each, after in kept)
    if q.shape != expected.shape or q.shape[-1] not in (rotary.head_dim, rotary.rotary_dim):
        return False
    if q.shape[-1] != rotary.head_dim:  # the model slices the rotated part
        q = torch.cat((q, q.new_zeros(*q.shape[:-1], rotary.head_dim - q.shape[-1])), dim=-1)
    for shift in (0, 1):  # PaliGemma counts from 1
        positions = torch.arange(shift, q.shape[-2] + shift) * direction
        if isinstance(rotary, MultimodalRotaryPosition):
            positions = positions.expand(len(rotary.sections), -1)
        actual = rotary(q, q, positions)[0][..., : expected.shape[-1]]
        reordered = torch.cat((actual[..., ::2], actual[..., 1::2]), dim=-1)
        if any(torch.allclose(each, expected, rtol=1e-5, atol=1e-5) for each in (actual, reordered)):
            return True
    return False


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
