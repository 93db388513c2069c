"""A saved arena with known numbers, as `run_arena` saves it, but without its runs."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rowspace_lab.experiments import ArenaOptions
from rowspace_lab.experiments.arena.report.summary import TaskFacts, summarize
from rowspace_lab.experiments.arena.runs.saved import SavedResults
from rowspace_lab.experiments.arena.runs.worker import cell_key

FACTS = {
    "next-bytes": TaskFacts(5.0, (), train_inputs=100, test_inputs=10, words_per_input=20.0),
    "images": TaskFacts(0.125, ("temple", "flower"), train_inputs=100, test_inputs=10, words_per_input=0.0),
}
STRATEGIES = ("bpe", "bytes", "patches-16")
CHUNK = {"text": "import the ", "image": None, "expected": "naïve ", "answer": "the ", "bits": 40.5}
IMAGE = {"text": "", "image": ["Af" * 8] * 16, "expected": "temple", "answer": "flower", "bits": None}
QUALITIES: dict[str, dict[str, Sequence[float]]] = {
    "next-bytes": {"bpe": [3.0, 3.1, 3.2], "bytes": [4.0, 4.0, 4.0], "patches-16": [4.9, 5.1, 5.3]},
    "images": {"bpe": [0.1, 0.12, 0.14], "bytes": [0.3, 0.4, 0.5], "patches-16": [0.9, 0.91, 0.92]},
}


def cell(task: str, quality: float) -> dict[str, Any]:
    """A run with this result."""
    return {
        "quality": quality, "error": 0.01, "parameters": 1000, "table_parameters": 100, "tokens_per_input": 40.0,
        "steps": 10, "inputs": 100, "passes": 1.0, "cpu_seconds": 20.0, "seconds": 21.5, "input_milliseconds": 0.1,
        "state_bytes": 16000, "activation_bytes": 5000, "unknown": 0.0, "median_count": 30.0, "rare_rows": 0.1,
        "unused_rows": 0.0, "curve": [[10.0, 50, 6.0], [20.0, 100, quality]],
        "wrong": [CHUNK if task == "next-bytes" else IMAGE] * 3,
    }  # fmt: skip


def save_arena(folder: Path, changes: Mapping[str, dict[str, Any]] | None = None) -> dict[str, Any]:
    """Save an arena of three strategies, two tasks and three seeds; `changes` replace runs by key.

    Returns:
        Its document.
    """
    options = ArenaOptions(tasks=list(QUALITIES), strategies=list(STRATEGIES))
    folder.mkdir(parents=True)
    saved = SavedResults(folder, options.settings(), partial(summarize, options=options, tasks=FACTS))
    for task, strategies in QUALITIES.items():
        for strategy, qualities in strategies.items():
            for seed, quality in enumerate(qualities, 1):
                saved.cells[cell_key(task, strategy, seed)] = cell(task, quality)
    for seed in (1, 2, 3):
        for size, quality in zip(options.curve_sizes, (4.0, 3.6, 3.3, 3.1, 3.2), strict=True):
            key = cell_key("next-bytes", "bpe", seed, size)
            saved.cells[key] = cell("next-bytes", quality) | {"tokens_per_input": 40.0 - size / 200}
    saved.cells.update(changes or {})
    saved.save()
    return summarize(saved.cells, options, FACTS)
