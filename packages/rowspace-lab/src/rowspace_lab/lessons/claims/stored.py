"""The results of claims that train models: computed once by `scripts/make_claims.py`, and shown with the page."""

import json
import os
import platform
import time
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from rowspace_lab.lessons.computed.claims import JOBS, MODULES, NEED_TORCH

__all__ = ["FILE", "Stored", "computed_by", "frame_of", "measured_now", "stored"]

FILE = "stored.json"
FRAMES: Mapping[str, Mapping[str, Any]] = {
    "wider": {"dims": list, "losses": np.array, "kept": np.array},
    "longer_texts": {"schemes": list, "lengths": np.array, "bits": np.array},
    "tying": {"heads": list, "seeds": list, "bits": np.array},
}
"""The numbers that the chart of a job shows."""
NO_CUT = {"cut_dims": [], "cut_kept": np.array([]), "cut_chance": 0.0, "cut_words": 0}


class Stored(TypedDict):
    """The numbers of a claim, lists in place of arrays, and when, with what and in how long they were computed."""

    date: str
    software: str
    machine: str
    seconds: int
    numbers: Mapping[str, Any]


def stored(name: str) -> Stored:
    """Return the stored result of a claim.

    >>> stored("wider")["numbers"]["verdict"] in ("true", "false", "it depends")
    True
    """
    return _all_stored()[name]


def computed_by(name: str) -> str:
    """Return the sentence that says where the stored numbers of a claim come from, as Markdown."""
    found = stored(name)
    day = date.fromisoformat(found["date"])
    return (
        f"Computed on {day.day} {day:%B %Y} with {found['software']}, on {found['machine']}, in {found['seconds']} s, "
        f"by `python scripts/make_claims.py {name}`."
    )


def frame_of(name: str) -> Mapping[str, Any]:
    """Return the stored numbers that the chart of a claim's job shows, as the last frame of the job has them."""
    numbers = stored(name)["numbers"]
    chart = {field: make(numbers[field]) for field, make in FRAMES[name].items()} if name in JOBS else {}
    return chart | (NO_CUT if name == "wider" else {})


def measured_now(name: str, figure: Callable[[], Mapping[str, Any]]) -> Stored:
    """Run the figure function of a claim, and return its result as it is stored."""
    start = time.perf_counter()
    numbers = figure()
    packages = ["rowspace", "numpy", *(["torch"] if MODULES[name] in NEED_TORCH else [])]
    software = [f"Python {platform.python_version()}", *(f"{each} {version(each)}" for each in packages)]
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "software": ", ".join(software),
        "machine": f"{os.cpu_count()} CPUs ({_processor()})",
        "seconds": round(time.perf_counter() - start),
        "numbers": {field: _plain(value) for field, value in numbers.items()},
    }


def _processor() -> str:
    """Return the model of the processor where Linux knows it, else its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n")
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(filter(None, names), platform.machine())


def _plain(value: Any) -> Any:
    """Return arrays as nested lists, with as many digits as a text or a chart can show."""
    if isinstance(value, np.ndarray):
        return [_plain(each) for each in value.tolist()]
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return float(f"{value:.7g}") if isinstance(value, float) else value


@cache
def _all_stored() -> Mapping[str, Stored]:
    text = files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    found: Mapping[str, Stored] = json.loads(text)
    return found
