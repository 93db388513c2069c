"""The figures of what moves rows: the gradients of both sides, and rows that move without one. No PyTorch is needed."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.store import load
from rowspace_lab.experiments import read_events
from rowspace_lab.pages.training.figures import readable
from rowspace_lab.pages.training.replies import BothSides, WithoutGradient

Array = NDArray[Any]

WHY = ["gradient", "momentum", "decay"]


def both_sides_figure(*, run: str, ids: Sequence[int]) -> BothSides:
    """Watched rows from the input and from the head: summed gradients and their cosines, moments and steps."""
    rows = load(run)
    with read_events(run) as events:
        steps = events.snapshot_steps()
        found = [events.snapshot(each) for each in steps]
        watched = found[0]["ids"].tolist()
        places = [watched.index(id) for id in ids]
        names = ("input_sum", "head_sum", "input_moment", "head_moment", "input_step", "head_step")
        # (k, n, d); older runs have the sums only
        parts = {
            name: np.stack([each.get(name, each["input_sum"] * np.nan)[places] for each in found]) for name in names
        }
        return {
            "steps": np.array(steps, np.int64),
            "tokens": [readable(rows, rows.vocabulary[id]) for id in ids],
            "input": parts["input_sum"],
            "head": parts["head_sum"],
            "input_cosines": cosines(parts["input_sum"][:, :1], parts["input_sum"]),
            "head_cosines": cosines(parts["head_sum"][:, :1], parts["head_sum"]),
            "side_cosines": cosines(parts["input_sum"], parts["head_sum"]),
            "input_moments": np.linalg.norm(parts["input_moment"], axis=-1),
            "head_moments": np.linalg.norm(parts["head_moment"], axis=-1),
            "input_steps": np.linalg.norm(parts["input_step"], axis=-1),
            "head_steps": np.linalg.norm(parts["head_step"], axis=-1),
            "tied": events.header["model"]["tied"],
        }


def cosines(first: Array, second: Array) -> Array:
    """The cosines of vectors (..., d) → (...); NaN for a vector of zeros."""
    lengths = np.linalg.norm(first, axis=-1) * np.linalg.norm(second, axis=-1)
    found: Array = (first * second).sum(-1) / np.where(lengths > 0, lengths, np.nan)
    return found


def without_gradient_figure(*, run: str, step: int, k: int) -> WithoutGradient:
    """How many rows have moved with and without a gradient at each recorded step, and which ones moved most."""
    rows = load(run)
    with read_events(run) as events:
        steps = events.row_steps()
        sources = np.stack([source_of_step(events.rows(each)) for each in steps])  # (r, V)
        now, moved = sources[steps.index(step)], events.rows(step)["step"]
        idle = np.flatnonzero((now == 1) | (now == 2))
        most = idle[np.argsort(-moved[idle], kind="stable")][:k]
        return {
            "step": step,
            "steps": np.array(steps, np.int64),
            "by_gradient": (sources == 0).sum(1),
            "by_momentum": (sources == 1).sum(1),
            "by_decay": (sources == 2).sum(1),
            "still": (sources == 3).sum(1),
            "ids": most,
            "tokens": [readable(rows, rows.vocabulary[id]) for id in most],
            "why": [WHY[now[id]] for id in most],
            "moved": moved[most],
            "median_with": float(np.median(moved[now == 0])) if (now == 0).any() else None,
            "median_momentum": float(np.median(moved[now == 1])) if (now == 1).any() else None,
            "median_decay": float(np.median(moved[now == 2])) if (now == 2).any() else None,
            "tied": events.header["model"]["tied"],
        }


def source_of_step(record: dict[str, Array]) -> Array:
    """What has moved each input row in a step: 0 a gradient, 1 the first moment, 2 weight decay; 3 for none. (V,)."""
    nothing = np.zeros_like(record["step"])
    gradient = record.get("input_gradient", nothing)
    if "head_norm" not in record:  # a tied table also has the head's gradient
        gradient = gradient + record.get("head_gradient", nothing)
    has_moment = record.get("first_moment", record["input_updates"]) > 0  # older runs have no moments
    reasons = [gradient > 0, (record["step"] > 0) & has_moment, record["step"] > 0]
    return np.select(reasons, [0, 1, 2], default=3)
