"""Runs → a document: means with their spread over seeds, status, reasons, winners, and the curve over sizes."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rowspace_lab.experiments.arena.options import ArenaOptions
from rowspace_lab.experiments.arena.report.sizes import attention_flops, sizes
from rowspace_lab.experiments.arena.report.why import verdict, why
from rowspace_lab.experiments.arena.runs.saved import RUN_FACTS
from rowspace_lab.experiments.arena.runs.worker import cell_key

__all__ = ["DIVERGED", "LEARNED", "NOT_FINISHED", "NOT_LEARNED", "TaskFacts", "summarize"]

LEARNED, NOT_LEARNED, NOT_FINISHED = "learned", "not learned in this budget", "not finished"
DIVERGED = "diverged"
SEEDS_FOR_A_WINNER = 3
ROUNDING = 1e-9  # three runs of the baseline's own quality have a mean that differs from it in the last digit

Cells = Mapping[str, Mapping[str, Any]]
Entry = dict[str, Any]


@dataclass(frozen=True)
class TaskFacts:
    """A task without its samples.

    Attributes:
        baseline: What a model that ignores its input reaches.
        classes: Names of the labels; none for next bytes.
        train_inputs, test_inputs: Number of samples.
        words_per_input: Words of text in a held-out input, on average.
    """

    baseline: float
    classes: tuple[str, ...]
    train_inputs: int
    test_inputs: int
    words_per_input: float

    @property
    def measure(self) -> str:
        """What quality is."""
        return "accuracy" if self.classes else "bits per byte"


def summarize(cells: Cells, options: ArenaOptions, tasks: Mapping[str, TaskFacts]) -> dict[str, Any]:
    """Return the document that `run_arena` describes.

    Args:
        cells: The finished and failed runs by key.
        options: The options of the arena, which determine its runs.
        tasks: The facts of each task.
    """
    entries = list[Entry]()
    winners = dict[str, str | None]()
    for task, facts in tasks.items():
        own = [_entry(cells, options, task, strategy.name, facts) for strategy in options.chosen_strategies]
        for entry in own:
            entry["why"] = why(entry, own, facts)
        winners[task] = _winner(own, facts)
        entries += own
    return {
        "settings": options.settings(),
        "seeds": options.num_seeds,
        "verdict": verdict(entries, winners, tasks, enough_seeds=options.num_seeds >= SEEDS_FOR_A_WINNER),
        "tasks": {
            name: asdict(facts) | {"measure": facts.measure, "classes": list(facts.classes), "winner": winners[name]}
            for name, facts in tasks.items()
        },
        "strategies": {strategy.name: sizes(strategy, options) for strategy in options.chosen_strategies},
        "entries": entries,
        "curve": _curve(cells, options, tasks),
    }


def _entry(cells: Cells, options: ArenaOptions, task: str, strategy: str, facts: TaskFacts) -> Entry:
    """What the runs of a strategy on a task say together."""
    runs = [cells.get(cell_key(task, strategy, seed), {"failed": "not run"}) for seed in _seeds(options)]
    entry = Entry(task=task, strategy=strategy) | _quality(runs)
    entry["failed"] = sorted({run["failed"] for run in runs if "failed" in run})
    entry["status"] = NOT_FINISHED if entry["failed"] else _status(entry, facts)
    if any("diverged" in run for run in runs):
        entry["status"] = DIVERGED
    done = [run for run in runs if "failed" not in run]
    entry |= {name: _mean([run[name] for run in done]) for name in RUN_FACTS}
    return entry | {
        "finished_seeds": [seed for seed, run in zip(_seeds(options), runs, strict=True) if "failed" not in run],
        "learning_curves": [run["curve"] for run in done],
        "wrong": done[0]["wrong"] if done else [],
    }


def _quality(runs: Sequence[Mapping[str, Any]]) -> Entry:
    """Quality with its spread: the standard deviation over seeds, or, of one seed, the standard error over inputs."""
    done = [run for run in runs if "failed" not in run]
    qualities = [run["quality"] for run in done]
    spread = statistics.stdev(qualities) if len(done) > 1 else done[0]["error"] if done else None
    return {
        "quality": _mean(qualities),
        "spread": spread,
        "spread_over": "seeds" if len(done) > 1 else "inputs",
        "seeds": len(done),
        "qualities": qualities,
    }


def _status(entry: Entry, facts: TaskFacts) -> str:
    gain = entry["quality"] - facts.baseline if facts.classes else facts.baseline - entry["quality"]
    return LEARNED if gain > entry["spread"] + ROUNDING else NOT_LEARNED


def _winner(entries: Sequence[Entry], facts: TaskFacts) -> str | None:
    """The strategy each of whose seeds is better than each seed of all others; None with less than three seeds."""
    if any(entry["seeds"] < SEEDS_FOR_A_WINNER or entry["failed"] for entry in entries) or len(entries) < 2:
        return None
    sign = 1 if facts.classes else -1
    best = max(entries, key=lambda entry: sign * entry["quality"])
    worst_seed = min(sign * quality for quality in best["qualities"])
    others = (sign * quality for entry in entries if entry is not best for quality in entry["qualities"])
    return best["strategy"] if best["status"] == LEARNED and worst_seed > max(others) else None


def _curve(cells: Cells, options: ArenaOptions, tasks: Mapping[str, TaskFacts]) -> list[Entry]:
    """Byte pairs at several vocabulary sizes: what a larger table costs and buys."""
    if not options.curve or "next-bytes" not in tasks:
        return []
    points = list[Entry]()
    for size in options.curve_sizes:
        runs = [cells.get(cell_key("next-bytes", "bpe", seed, size), {"failed": "not run"}) for seed in _seeds(options)]
        done = [run for run in runs if "failed" not in run]
        quality = _quality(runs)
        tokens = _mean([run["tokens_per_input"] for run in done])
        points.append(
            {
                "num_embeddings": size,
                "table_bytes": 4 * size * options.dim,
                "tokens_per_word": None if tokens is None else tokens / tasks["next-bytes"].words_per_input,
                "attention_flops": None if tokens is None else attention_flops(tokens, options),
                "median_count": _mean([run["median_count"] for run in done]),
                "bits_per_byte": quality.pop("quality"),
                **quality,
            }
        )
    return points


def _seeds(options: ArenaOptions) -> range:
    return range(1, options.num_seeds + 1)


def _mean(values: Sequence[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return statistics.fmean(numbers) if numbers else None
