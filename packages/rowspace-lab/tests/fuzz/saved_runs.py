"""Runs, events and arenas, as they are saved, and all that can be read of them."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

from tests.arena_results import QUALITIES, STRATEGIES, save_arena
from tests.fuzz.saved_states import TEXTS, States

import rowspace as rs
from rowspace_lab.experiments import (
    ArenaOptions,
    Events,
    TrainReports,
    load_run,
    read_arena as read_arena_document,
    train,
)
from rowspace_lab.experiments.arena.runs.saved import SavedResults
from rowspace_lab.experiments.language_model.telemetry.events import NAME, RUN_FILE

__all__ = ["STATES"]

MODEL = {
    "dim": 8,
    "layers": 1,
    "heads": 2,
    "tokens": "chars",
    "batch_size": 2,
    "context": 8,
    "workers": 1,
    "device": "cpu",
}
UNCOMPARED = ("seconds", "format", "format_version")
STEPS = {"steps": 6, "record": 2, "evaluate": 3, "sample": 6, "watch": ["t", "a"]}


def run(folder: Path) -> Path:
    """Write a run of a language model that was interrupted, without the events after its checkpoint.

    Those are of steps that a resumed run repeats, and may be incomplete.
    """

    def stop(progress: Any) -> None:
        if progress.step == 4:
            raise KeyboardInterrupt

    try:
        train(
            ["\n".join(TEXTS * 12)],
            folder / "r",
            save_steps=2,
            reports=TrainReports(on_progress=stop),
            **MODEL,
            **STEPS,
        )
    except KeyboardInterrupt:
        os.truncate(folder / "r" / NAME, json.loads((folder / "r" / RUN_FILE).read_text())["events"])
        return folder / "r"
    raise AssertionError("the training ended before it was interrupted")


def read_run(path: Path) -> object:
    """Return the model, the table, the events and the record, and what the resumed run learns."""
    before = read_parts(path)
    train(output=path, resume=True)
    return before, rs.load(path, verify=True).rows.tolist(), len(read_events(path)[1])


def read_parts(path: Path) -> object:
    """Return the model, the table, the events and the record of a run."""
    loaded = load_run(path)
    weights = {name: tensor.tolist() for name, tensor in loaded.model.state_dict().items()}
    record = {name: value for name, value in loaded.record.to_json().items() if name not in UNCOMPARED}
    facts = {name: value for name, value in record.pop("facts").items() if "seconds" not in name}
    return weights, record, facts, loaded.tokenizer.json, read_events(path), rs.load(path, verify=True).rows.tolist()


def events(folder: Path) -> Path:
    """Write the events of a run, with what says how long they were at its checkpoint, and nothing else."""
    made, kept = run(folder), folder / "e"
    (kept / RUN_FILE).parent.mkdir(parents=True)
    for name in (NAME, RUN_FILE):
        (made / name).rename(kept / name)
    shutil.rmtree(made)
    return kept


def read_events(path: Path) -> tuple[Any, ...]:
    """Return all events."""
    with Events(path) as found:
        rows = [{name: array.tolist() for name, array in found.rows(step).items()} for step in found.row_steps()]
        shown = [
            {name: array.tolist() for name, array in found.snapshot(step).items()} for step in found.snapshot_steps()
        ]
        return found.header, found.steps().tolist(), found.held_out(), found.row_steps(), rows, shown


def arena(folder: Path) -> Path:
    """Write the results of an arena."""
    save_arena(folder / "a")
    return folder / "a"


def read_arena(path: Path) -> object:
    """Return the document, and the runs that are not run again."""
    saved = SavedResults(path, ArenaOptions(tasks=list(QUALITIES), strategies=list(STRATEGIES)).settings())
    return saved.cells, sorted(saved.finished), read_arena_document(path)


STATES: States = {
    "run-folder": (run, read_run),
    "events": (events, read_events),
    "arena": (arena, read_arena),
}
"""By name, a function that writes a sample to an empty folder, and one that returns all that can be read of it."""
