"""Held-out bits of tied and untied models among the runs of the Training page."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rowspace_lab.experiments import Events, read_events
from rowspace_lab.experiments.language_model.telemetry.events import NAME
from rowspace_lab.lab import Lab
from rowspace_lab.pages.head.replies import Evidence

RUNS_FOLDER = "training/folder"
"""The key under which the lab keeps the folder of the Training page's runs."""


def evidence_figure(*, runs: Sequence[str]) -> Evidence:
    """Read the last held-out bits per byte of runs, and whether their heads are tied."""
    names, tied, steps, bits, sizes = [], [], [], [], []
    for run in runs:
        with read_events(run) as events:
            step, measured = events.held_out()[-1]
            names.append(Path(run).name)
            tied.append(bool(events.header["model"]["tied"]))
            steps.append(step)
            bits.append(measured)
            sizes.append([events.header["num_embeddings"], events.header["model"]["dim"]])
    return {
        "names": names,
        "tied": tied,
        "steps": np.array(steps, np.int64),
        "bits": np.array(bits, np.float64),
        "sizes": np.array(sizes, np.int64).reshape(-1, 2),
    }


def comparable_runs(lab: Lab) -> list[str]:
    """Return the runs that differ from another one in nothing but tying and the seed, in order of their names."""
    folder = lab.existing(RUNS_FOLDER)
    found = [each for each in _runs(folder) if _is_measured(each)] if folder else []
    headers = {each: _header(each) for each in found}
    pairs = [each for each in found if any(_differ_in_tying(headers[each], headers[other]) for other in found)]
    return [str(each) for each in pairs]


def _runs(folder: Path) -> list[Path]:
    return sorted(each for each in folder.iterdir() if (each / NAME).is_file())


def _is_measured(run: Path) -> bool:
    with Events(run) as events:
        return bool(events.held_out())


def _header(run: Path) -> Mapping[str, Any]:
    with Events(run) as events:
        return events.header


def _differ_in_tying(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether one model is tied and the other is not, and all else is equal but the seed."""
    return one["model"]["tied"] != other["model"]["tied"] and _settings(one) == _settings(other)


def _settings(header: Mapping[str, Any]) -> Mapping[str, Any]:
    """The options of a run without tying and seed, and the size of its vocabulary."""
    model = {name: value for name, value in header["model"].items() if name != "tied"}
    training = {name: value for name, value in header["training"].items() if name != "seed"}
    return {"model": model, "training": training, "num_embeddings": header["num_embeddings"]}
