"""Sentences about the results, each of which states measured numbers."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

__all__ = ["verdict", "why"]

Entry = Mapping[str, Any]

# From these shares on, a fact is worth a sentence.
_UNKNOWN, _RARE, _UNUSED, _MANY_TOKENS = 0.02, 0.25, 0.5, 1.5


class Facts(Protocol):
    """What a sentence needs of a task."""

    @property
    def baseline(self) -> float:
        """What a model that ignores its input reaches."""

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the labels."""


def why(entry: Entry, entries: Sequence[Entry], facts: Facts) -> str:
    """Return what the measurements say about a result.

    Args:
        entry: The result of a strategy on a task.
        entries: Those of all strategies on it.
        facts: The task.
    """
    if not entry["seeds"]:
        return f"No run finished: {'; '.join(entry['failed'])}."
    sentences = [_against_baseline(entry, facts), _compute(entry, entries)]
    if entry["unknown"] >= _UNKNOWN:
        sentences.append(
            f"{entry['unknown']:.0%} of the held-out words have no row, so they share the one for unknown words."
        )
    if (entry["rare_rows"] or 0) >= _RARE:
        sentences.append(f"{entry['rare_rows']:.0%} of the rows in use occur less than 10 times in the training text.")
    if (entry["unused_rows"] or 0) >= _UNUSED:
        sentences.append(f"{entry['unused_rows']:.0%} of its rows are never used here.")
    if entry["failed"]:
        sentences.append(f"Some runs did not finish: {'; '.join(entry['failed'])}.")
    return " ".join(sentences)


def _against_baseline(entry: Entry, facts: Facts) -> str:
    if facts.classes:
        result, base = f"{entry['quality']:.1%} right", f"{facts.baseline:.1%} for one class always"
        spread = f"{100 * entry['spread']:.1f} points"
    else:
        result, base = f"{entry['quality']:.3f} bits per byte", f"{facts.baseline:.3f} for byte frequencies alone"
        spread = f"{entry['spread']:.3f}"
    learned = "" if entry["status"] == "learned" else f" {entry['status'].capitalize()}."
    return f"{result} ± {spread}, against {base}.{learned}"


def _compute(entry: Entry, entries: Sequence[Entry]) -> str:
    """How much it read in the budget, next to the strategy with the shortest inputs."""
    tokens, inputs, passes = entry["tokens_per_input"], entry["inputs"], entry["passes"]
    read = f"it read {inputs:,.0f} inputs in the budget ({passes:.2f} passes over the training inputs)"
    shortest = min((other for other in entries if other["seeds"]), key=lambda other: other["tokens_per_input"])
    ratio = tokens / shortest["tokens_per_input"]
    if ratio < _MANY_TOKENS:
        return f"An input takes {tokens:.1f} tokens, and {read}."
    return (
        f"An input takes {tokens:.0f} tokens, {ratio:.1f} times as many as with {shortest['strategy']}, so {read}, "
        f"{inputs / shortest['inputs']:.0%} of what {shortest['strategy']} read."
    )


def verdict(
    entries: Sequence[Entry], winners: Mapping[str, str | None], tasks: Mapping[str, Facts], *, enough_seeds: bool
) -> str:
    """Return whether a strategy wins all tasks, and who leads each.

    Args:
        entries: All results.
        winners: The winner of each task, or None.
        tasks: The tasks.
        enough_seeds: Whether there are enough seeds to name a winner.
    """
    unfinished = sum(bool(entry["failed"]) for entry in entries)
    if unfinished:
        return f"{unfinished} of {len(entries)} entries are not finished, so no winner is named."
    if not enough_seeds:
        return "No winner is named: that needs three seeds, since one run can be lucky."
    names = set(winners.values())
    if len(names) == 1 and None not in names:
        everywhere = f"all {len(winners)} tasks" if len(winners) > 1 else "the only task"
        return f"{names.pop()} wins {everywhere}: each of its runs is better than each run of the others."
    parts = [
        _task_verdict(task, winners[task], [e for e in entries if e["task"] == task], tasks[task]) for task in tasks
    ]
    return f"No strategy wins all {len(tasks)} tasks. {' '.join(parts)}"


def _task_verdict(task: str, winner: str | None, entries: Sequence[Entry], facts: Facts) -> str:
    sign = 1 if facts.classes else -1
    ranked = sorted(entries, key=lambda entry: -sign * entry["quality"])
    first, second = (f"{entry['strategy']} ({_short(entry, facts)})" for entry in (ranked * 2)[:2])
    if ranked[0]["status"] != "learned":
        return f"On {task}, no strategy learned anything in this budget."
    if winner is None:
        return f"On {task}, runs of the best, {first}, overlap with those of others; the second is {second}."
    return f"On {task}, {first} wins before {second}."


def _short(entry: Entry, facts: Facts) -> str:
    if facts.classes:
        return f"{entry['quality']:.1%} ± {100 * entry['spread']:.1f}"
    return f"{entry['quality']:.3f} ± {entry['spread']:.3f}"
