"""What `rowspace arena` prints at its end: a table for each task, the curve over sizes, and the verdict."""

from collections.abc import Mapping
from typing import Any

from rowspace.cli.output import file_size, print_facts, print_line, print_table

__all__ = ["print_summary", "run_line"]


def run_line(done: int, total: int, key: str, cell: Mapping[str, Any]) -> str:
    """Return the line that is printed after a run.

    >>> run_line(3, 72, "images/bpe/1", {"quality": 0.5, "seconds": 20.4})
    '3 of 72: images/bpe/1: 0.500 after 20.4 s'
    """
    if "failed" in cell:
        return f"{done} of {total}: {key}: not finished: {cell['failed']}"
    return f"{done} of {total}: {key}: {cell['quality']:.3f} after {cell['seconds']:.1f} s"


def print_summary(result: Mapping[str, Any]) -> None:
    """Print the document of `run_arena`."""
    for task, facts in result["tasks"].items():
        own = [entry for entry in result["entries"] if entry["task"] == task]
        print_table(
            f"{task}: {facts['measure']}, {facts['baseline']:.3f} without reading the input; "
            "tokens and ms are per input",
            ["strategy", "quality", "learned", "tokens", "params", "MB", "train", "ms"],
            [_row(entry) for entry in own],
            words=(0, 2),
        )
        print_facts("why", [(entry["strategy"], entry["why"]) for entry in own])
    _print_sizes(result["strategies"])
    _print_curve(result["curve"])
    print_line(result["verdict"])


def _row(entry: Mapping[str, Any]) -> list[str]:
    if not entry["seeds"]:
        return [entry["strategy"], "", entry["status"], *[""] * 5]
    return [
        entry["strategy"],
        f"{entry['quality']:.3f} ± {entry['spread']:.3f}",
        {"learned": "yes", "not finished": "partly", "diverged": "diverged"}.get(entry["status"], "no"),
        f"{entry['tokens_per_input']:.0f}",
        f"{entry['parameters'] / 1000:,.0f} k",
        f"{(entry['state_bytes'] + entry['activation_bytes']) / 1e6:.1f}",
        f"{entry['seconds']:.0f} s",
        f"{entry['input_milliseconds']:.2f}",
    ]


def _print_sizes(strategies: Mapping[str, Any]) -> None:
    for kind, title in (("scaled", "sizes of these runs"), ("full", "the same at full size")):
        print_table(
            f"{title}: rows or side of a patch, their width, parameters, tokens of an image",
            ["strategy", "rows or side", "d", "parameters", "tokens"],
            [[name, *_size_row(sizes[kind])] for name, sizes in strategies.items()],
        )


def _size_row(sizes: Mapping[str, Any]) -> list[str]:
    rows = f"V {sizes['num_embeddings']:,}" if "num_embeddings" in sizes else f"side {sizes['patch_size']}"
    tokens = "by its text" if sizes["image_tokens"] is None else f"{sizes['image_tokens']:,}"
    return [rows, f"{sizes['dim']:,}", f"{sizes['parameters']:,}", tokens]


def _print_curve(points: list[Mapping[str, Any]]) -> None:
    if not points:
        return
    rows = [
        [
            f"{point['num_embeddings']:,}",
            file_size(point["table_bytes"]),
            *(
                [
                    f"{point['tokens_per_word']:.2f}",
                    f"{point['attention_flops'] / 1e6:.2f} M",
                    f"{point['median_count']:,.0f}",
                    f"{point['bits_per_byte']:.3f}",
                    f"{point['spread']:.3f}",
                ]
                if point["seeds"]
                else ["", "", "", "not finished", ""]
            ),
        ]
        for point in points
    ]
    columns = ["V", "table", "tokens/word", "attention", "median count", "bits/byte", "±"]
    print_table("byte pairs at several vocabulary sizes, on next-bytes", columns, rows, words=())
