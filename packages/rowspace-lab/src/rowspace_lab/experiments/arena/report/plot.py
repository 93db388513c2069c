"""The results as one picture: bars with their spread for each task, and the curve over vocabulary sizes."""

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from rowspace._base.atomic import atomic_file, check_file_target
from rowspace.errors import MissingExtraError, UsageError

__all__ = ["check_plot", "plot_arena"]

_FORMATS = (".svg", ".png", ".pdf")
_LEARNED, _NOT_LEARNED = "#3b6fb6", "#c4c8cf"


def check_plot(path: Path) -> None:
    """Check that a picture can be drawn and written, before long work.

    Args:
        path: Where.

    Raises:
        UsageError: The name has no ending of a picture, or the file cannot be written.
        MissingExtraError: matplotlib is not installed.
    """
    if path.suffix.lower() not in _FORMATS:
        raise UsageError(f"the picture must end in {', '.join(_FORMATS)}, not {path.name!r}")
    check_file_target(path)
    _figure_class()


def plot_arena(result: Mapping[str, Any], path: Path) -> None:
    """Draw the document of `run_arena`.

    Args:
        result: The document.
        path: The picture, in the format of its ending.

    Raises:
        UsageError: The name has no ending of a picture, or the file cannot be written.
        MissingExtraError: matplotlib is not installed.
    """
    check_plot(path)
    tasks = list(result["tasks"])
    panels = len(tasks) + bool(result["curve"])
    figure = _figure_class()(figsize=(6.4, 2.6 * panels), layout="constrained")
    axes = figure.subplots(panels, squeeze=False)[:, 0]
    for axis, task in zip(axes, tasks, strict=False):
        _bars(axis, task, result)
    if result["curve"]:
        _curve(axes[-1], result["curve"])
    picture = BytesIO()
    figure.savefig(picture, format=path.suffix[1:].lower(), dpi=150)
    with atomic_file(path) as file:
        file.write(picture.getvalue())


def _figure_class() -> Any:
    """Import matplotlib's figure, which needs no window and no global state."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("--plot needs matplotlib: pip install 'rowspace[plot]'") from error
    return Figure


def _bars(axis: Any, task: str, result: Mapping[str, Any]) -> None:
    """A bar for each strategy, gray if it learned nothing, and a line for the baseline."""
    facts = result["tasks"][task]
    entries = [entry for entry in result["entries"] if entry["task"] == task and entry["seeds"]]
    axis.barh(
        [entry["strategy"] for entry in entries],
        [entry["quality"] for entry in entries],
        xerr=[entry["spread"] for entry in entries],
        color=[_LEARNED if entry["status"] == "learned" else _NOT_LEARNED for entry in entries],
        capsize=3,
    )
    axis.axvline(facts["baseline"], color="black", linestyle=":", linewidth=1)
    axis.invert_yaxis()
    better = "less" if facts["measure"] == "bits per byte" else "more"
    axis.set_xlabel(f"{facts['measure']} ({better} is better; dotted: without reading the input)")
    axis.set_title(task, loc="left")


def _curve(axis: Any, points: list[Mapping[str, Any]]) -> None:
    """Each quantity relative to its largest value, so that one axis shows what a larger table costs and buys."""
    done = [point for point in points if point["seeds"]]
    sizes = [point["num_embeddings"] for point in done]
    for name, label in (
        ("table_bytes", "table bytes"),
        ("tokens_per_word", "tokens per word"),
        ("attention_flops", "attention cost"),
        ("median_count", "median count of a row"),
        ("bits_per_byte", "bits per byte"),
    ):
        values = [point[name] for point in done]
        largest = max(values, default=1)
        axis.plot(sizes, [value / largest for value in values], marker="o", label=f"{label} (1 = {largest:,.4g})")
    axis.set_xscale("log", base=2)
    axis.set_ylim(0, 1.05)
    axis.set_xlabel("vocabulary size")
    axis.set_title("byte pairs on next-bytes", loc="left")
    axis.legend(fontsize="x-small")
