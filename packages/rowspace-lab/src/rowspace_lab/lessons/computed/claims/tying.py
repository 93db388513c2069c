"""The claim that tying only saves memory: small models with a tied and with an untied head, over seeds.

It needs PyTorch and trains for about a minute.
"""

import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypedDict

import numpy as np

from rowspace_lab.experiments import TrainReports
from rowspace_lab.lessons.computed.claims.verdict import Verdict
from rowspace_lab.pages.training.text import train_figure
from rowspace_lab.pages.training.variants import BASE

__all__ = [
    "HEADS",
    "HeadRun",
    "train_head",
    "tying",
    "tying_numbers",
]

HEADS = ("tied", "untied")
VOCABULARY_SIZE = 640


class HeadRun(TypedDict):
    """A trained model: its head, its seed, the parameters of all layers, and held-out bits per byte."""

    head: str
    seed: int
    parameters: int
    bits: float


def train_head(
    head: str, *, seed: int, steps: int, dim: int = BASE["dim"], reports: TrainReports | None = None
) -> HeadRun:
    """Train a small model on Python's help with a tied or an untied head."""
    own = {"tied": head == "tied", "seed": seed, "steps": steps, "evaluate": steps, "sample": 0, "watch": ()}
    options = {**BASE, "dim": dim, **own} | ({} if reports is None else {"reports": reports})
    with tempfile.TemporaryDirectory() as folder:
        run: Any = train_figure(output=f"{folder}/run", vocabulary_size=VOCABULARY_SIZE, options=options, replaced=None)
        parameters = sum(parameter.numel() for parameter in run.model.parameters())
        return {"head": head, "seed": seed, "parameters": parameters, "bits": run.bits_per_byte}


def tying_figure(*, seeds: Sequence[int], steps: int) -> Mapping[str, Any]:
    """Compare the held-out bits per byte of models with a tied and with an untied head, seed by seed."""
    found = [train_head(head, seed=seed, steps=steps) for seed in seeds for head in HEADS]
    return tying_numbers(found, steps=steps)


def tying_numbers(found: Sequence[HeadRun], *, steps: int) -> Mapping[str, Any]:
    """Compare both heads; `found` has both for each of two or more seeds."""
    seeds = list(dict.fromkeys(run["seed"] for run in found))
    bits = np.array([[run["bits"] for run in found if run["head"] == head] for head in HEADS])  # (heads, seeds)
    sizes = {run["head"]: run["parameters"] for run in found}
    changes = bits[0] / bits[1] - 1  # of the tied model against the untied one
    change, noise = float(changes.mean()), float(changes.std(ddof=1) / len(seeds) ** 0.5)
    return {
        "heads": list(HEADS),
        "seeds": seeds,
        "bits": bits,
        "runs": len(seeds),
        "steps": steps,
        **dict(zip(HEADS, bits.mean(1).tolist(), strict=True)),
        "saved": sizes["untied"] - sizes["tied"],
        "share": 1 - sizes["tied"] / sizes["untied"],
        "change": change,
        "noise": noise,
        "verdict": tying_verdict(change=change, noise=noise),
    }


def tying_verdict(*, change: float, noise: float) -> Verdict:
    """False if the bits per byte of tied and untied models differ by more than two standard errors over the seeds.

    True if they do not.
    """
    return "false" if abs(change) > 2 * noise else "true"


tying = partial(tying_figure, seeds=[1, 2, 3], steps=300)
