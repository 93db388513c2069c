"""Claims about tying: small models with a tied and with an untied head, over seeds and widths.

They need PyTorch and train for about a minute, or several.
"""

import tempfile
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any, TypedDict

import numpy as np

from rowspace_lab.experiments import TrainReports
from rowspace_lab.lessons.computed.claims.verdict import Verdict
from rowspace_lab.pages.training.text import train_figure
from rowspace_lab.pages.training.variants import BASE

__all__ = [
    "HEADS",
    "HeadRun",
    "smaller_tied",
    "smaller_tied_numbers",
    "tied_better",
    "tied_better_numbers",
    "train_head",
    "tying",
    "tying_numbers",
]

HEADS = ("tied", "untied")


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
        run: Any = train_figure(output=f"{folder}/run", options=options, replaced=None)
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


@cache  # two claims are about the same models
def tied_changes(*, dims: tuple[int, ...], seeds: tuple[int, ...], steps: int) -> list[Mapping[str, Any]]:
    """Return the numbers of `tying_figure` for models of each width d."""
    found = []
    for dim in dims:
        runs = [train_head(head, seed=seed, steps=steps, dim=dim) for seed in seeds for head in HEADS]
        found.append(tying_numbers(runs, steps=steps))
    return found


def tied_better_figure(*, dims: tuple[int, ...], seeds: tuple[int, ...], steps: int) -> Mapping[str, Any]:
    """Compare tied with untied models of several widths, and the effect on the narrowest with that on the widest."""
    return tied_better_numbers(tied_changes(dims=dims, seeds=seeds, steps=steps), dims=dims)


def tied_better_numbers(found: Sequence[Mapping[str, Any]], *, dims: Sequence[int]) -> Mapping[str, Any]:
    """Compare the widths; `found` has the numbers of `tying_numbers` for each of `dims`, ascending."""
    changes, noises = [each["change"] for each in found], [each["noise"] for each in found]
    return {
        "narrowest": dims[0],
        "widest": dims[-1],
        "runs": found[0]["runs"],
        "steps": found[0]["steps"],
        "first": changes[0],
        "first_noise": noises[0],
        "first_share": found[0]["share"],
        "last": changes[-1],
        "last_noise": noises[-1],
        "last_share": found[-1]["share"],
        "changes": changes,
        "noises": noises,
        "verdict": tied_better_verdict(changes=changes, noises=noises),
        "bars": {
            f"change of bits per byte, percent, d = {dim}": 100 * each for dim, each in zip(dims, changes, strict=True)
        },
    }


def tied_better_verdict(*, changes: Sequence[float], noises: Sequence[float]) -> Verdict:
    """True if tying lowers the bits per byte at each width by more than two standard errors over the seeds.

    False if it raises them by as much at some width; it depends if it changes them less.
    """
    if any(change > 2 * noise for change, noise in zip(changes, noises, strict=True)):
        return "false"
    lower = all(change < -2 * noise for change, noise in zip(changes, noises, strict=True))
    return "true" if lower else "it depends"


def smaller_tied_figure(*, dims: tuple[int, ...], seeds: tuple[int, ...], steps: int) -> Mapping[str, Any]:
    """Compare the effect of tying on the narrowest model with that on the widest."""
    return smaller_tied_numbers(tied_better_figure(dims=dims, seeds=seeds, steps=steps))


def smaller_tied_numbers(widths: Mapping[str, Any]) -> Mapping[str, Any]:
    """Compare the narrowest with the widest model of `tied_better_numbers`."""
    more = widths["first"] - widths["last"]
    noise = float(np.hypot(widths["first_noise"], widths["last_noise"]))
    verdict = smaller_tied_verdict(more=more, noise=noise)
    return {**widths, "more": more, "more_noise": noise, "verdict": verdict}


def smaller_tied_verdict(*, more: float, noise: float) -> Verdict:
    """True if tying changes the bits per byte of the narrowest model for the better, compared with those of the widest.

    False if it changes them for the worse. It depends if the two changes differ by less than two standard errors.
    """
    if abs(more) <= 2 * noise:
        return "it depends"
    return "true" if more < 0 else "false"


tying = partial(tying_figure, seeds=[1, 2, 3], steps=300)
tied_better = partial(tied_better_figure, dims=(16, 32, 64), seeds=(1, 2, 3), steps=300)
smaller_tied = partial(smaller_tied_figure, dims=(16, 32, 64), seeds=(1, 2, 3), steps=300)
