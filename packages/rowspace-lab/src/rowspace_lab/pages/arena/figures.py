"""The figures of the Arena page, of a saved result. They do not need PyTorch."""

from collections.abc import Mapping
from typing import Any

from rowspace_lab.experiments import read_arena
from rowspace_lab.experiments.arena.runs.saved import RUN_FACTS
from rowspace_lab.pages.arena.replies import ArenaCell, ArenaResult


def arena_figure(*, folder: str) -> ArenaResult:
    """The table of a saved arena, its verdict, the sizes of its strategies, and the curve over vocabulary sizes."""
    result = read_arena(folder)
    cell = ("task", "strategy", "quality", "spread", "spread_over", "seeds", "status", "failed")
    point = ("num_embeddings", "table_bytes", "tokens_per_word", "attention_flops", "median_count", "bits_per_byte")
    tasks: list[Any] = [
        {"name": name, "lower": not facts["classes"], "classes": len(facts["classes"])}
        | {key: facts[key] for key in ("measure", "baseline", "winner", "train_inputs", "test_inputs")}
        for name, facts in result["tasks"].items()
    ]
    entries: list[Any] = [{key: entry[key] for key in cell} for entry in result["entries"]]
    curve: list[Any] = [{key: each[key] for key in (*point, "spread", "seeds")} for each in result["curve"]]
    return {
        "seconds": result["settings"]["seconds"],
        "seeds": result["seeds"],
        "verdict": result["verdict"],
        "tasks": tasks,
        "entries": entries,
        "strategies": [
            {"name": name, "full": sizes_of(each["full"]), "scaled": sizes_of(each["scaled"])}
            for name, each in result["strategies"].items()
        ],
        "curve": curve,
    }


def sizes_of(sizes: Mapping[str, Any]) -> Any:
    """The rows or the side of a patch, and what they cost."""
    return {key: sizes.get(key) for key in ("num_embeddings", "patch_size", "dim", "parameters", "image_tokens")}


def cell_figure(*, folder: str, task: str, strategy: str) -> ArenaCell:
    """What a strategy did on a task: why, its costs, its learning curves, and inputs that it got wrong."""
    (entry,) = (
        entry for entry in read_arena(folder)["entries"] if (entry["task"], entry["strategy"]) == (task, strategy)
    )
    costs: Any = {name: entry[name] for name in RUN_FACTS}
    wrong: list[Any] = [{**each, "bits": each.get("bits")} for each in entry["wrong"]]
    return {
        "why": entry["why"],
        "qualities": entry["qualities"],
        "costs": costs,
        "curves": [
            {"seed": seed, "seconds": [at for at, _, _ in points], "bits": [bits for _, _, bits in points]}
            for seed, points in zip(entry["finished_seeds"], entry["learning_curves"], strict=True)
        ],
        "wrong": wrong,
    }
