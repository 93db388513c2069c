"""The numbers of lesson 12: what tables cost, and what V and d change. `figures` needs PyTorch, `measured` does not."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from rowspace.table import Table
from rowspace_lab.lessons.computed.lesson_12.measured import (
    DIMS,
    NEIGHBORS,
    SIZES,
    fewer_tokens_figure,
    held_out_errors,
    neighbors_kept,
)
from rowspace_lab.lessons.computed.written import picked
from rowspace_lab.lessons.question import Question, number, slider
from rowspace_lab.page import needs_torch

__all__ = [
    "bert",
    "dims",
    "exercise",
    "fewer",
    "kept",
    "llama",
    "mebibytes",
    "models",
    "share",
    "sizes",
    "widths",
]

MODELS = {
    "gpt2": ("GPT-2", "gpt2"),
    "llama2": ("Llama 2 7B", "Llama-2-7b-hf"),
    "llama2_70b": ("Llama 2 70B", "Llama-2-70b-hf"),
    "llama3": ("Llama 3 8B", "Meta-Llama-3-8B"),
    "albert": ("ALBERT base", "albert-base-v2"),
}
"""The names of models in the text and in the catalogue."""
STRATEGIES = {
    "small": "small-tied",
    "large": "large-untied",
    "bpe": "bpe",
    "bytes": "bytes",
    "patches": "patches-16",
    "patches32": "patches-32",
}
"""The keys of the text, and the strategies of the Arena."""


def llama() -> Mapping[str, str]:
    """Return the names of the models that the lesson opens with."""
    return {"old": "Llama 2", "new": "Llama 3"}


@needs_torch
def models() -> Mapping[str, Mapping[str, Any]]:
    """Return the sizes of the tables of published models, and the operations of their heads for one token."""
    from rowspace_lab.lessons.computed.lesson_12.figures import model_size

    found: dict[str, Mapping[str, Any]] = {
        key: {"name": name, **model_size(model=model)} for key, (name, model) in MODELS.items()
    }
    return found


@needs_torch
def bert() -> Mapping[str, Any]:
    """Return the sizes of BERT's three tables, at two dimensions, and the share of the tokens."""
    from rowspace_lab.pages.cost.figures import model_tables_figure

    found = model_tables_figure(model="bert-base-uncased", dimension=768)
    tokens, positions, segments = found["parameters"].tolist()
    return {
        "tokens": tokens,
        "positions": positions,
        "segments": segments,
        "together": tokens + positions + segments,
        "share": found["share"],
        "rows": int(found["rows"][0]),
        "all_rows": int(found["rows"].sum()),
    }


@needs_torch
def widths() -> Mapping[str, Any]:
    """Return the power of N that d follows over the models of the catalogue, without and with ALBERT."""
    from rowspace_lab.pages.cost.figures import widths_figure

    found = widths_figure(without="albert")
    return {"slope": found["slope"], "models": int(found["used"].sum()), "all": found["slope_of_all"], "root": 0.5}


@needs_torch
def sizes() -> Mapping[str, Mapping[str, float]]:
    """Return V or the side of a patch, d, and the millions of parameters of the Arena's six strategies at full size."""
    from rowspace_lab.lessons.computed.lesson_12.figures import strategy_size

    return {key: strategy_size(name=name) for key, name in STRATEGIES.items()}


def dims() -> Mapping[str, Any]:
    """Return held-out errors of rows of a few, some, and as many numbers as there are words."""
    few, some, many = DIMS
    errors = dict(zip(("few", "some", "many"), held_out_errors(dims=DIMS), strict=True))
    return {**errors, "few_dim": few, "some_dim": some, "many_dim": many}


def kept(table: Table) -> Mapping[str, float]:
    """Return k, and which share of k neighbors half and a quarter of the open table's principal components keep."""
    return {"k": NEIGHBORS, "half": neighbors_kept(table, part=2), "quarter": neighbors_kept(table, part=4)}


@needs_torch
def exercise() -> Mapping[str, Any]:
    """Return the size of a table of 10,000 rows of 512 numbers in float32."""
    from rowspace_lab.lessons.computed.lesson_12.figures import mebibytes_figure

    return {"rows": 10_000, "dim": 512, **mebibytes_figure(rows=10_000, dim=512, dtype="float32")}


@needs_torch
def mebibytes(table: Table, seed: int) -> Question:
    """Ask for the memory of a table."""
    from rowspace_lab.lessons.computed.lesson_12.figures import mebibytes_figure

    cases = ((50_257, 768, "bfloat16"), (32_000, 4096, "bfloat16"), (50_000, 1024, "float32"), (30_522, 384, "float32"))
    rows, dim, dtype = picked(seed, cases)
    figure = partial(mebibytes_figure, rows=rows, dim=dim, dtype=dtype)
    size = 4 if dtype == "float32" else 2
    written = {"rows": f"{rows:,}", "dim": f"{dim:,}", "size": size}
    return number(figure, relative=True, tolerance=0.01, unit="MiB", **written)


def fewer(table: Table, seed: int) -> Question:
    """Ask by how many percent the tokens of a text become fewer when the vocabulary is four times as large."""
    before, after = picked(seed, (SIZES, (400, 1600), (600, 2400), (450, 1800)))
    figure = partial(fewer_tokens_figure, before=before, after=after)
    written = {"before": f"{before:,}", "after": f"{after:,}"}
    return slider((0.0, 100.0, 1.0), figure, tolerance=6, unit="%", **written)


@needs_torch
def share(table: Table, seed: int) -> Question:
    """Ask for the share of the table in all parameters of a model."""
    from rowspace_lab.lessons.computed.lesson_12.figures import share_figure

    cases = (("gpt2", "GPT-2"), ("Meta-Llama-3-8B", "Llama 3 8B"), ("gemma-3-270m", "Gemma 3 270M"))
    model, name = picked(seed, cases)
    figure = partial(share_figure, model=model)
    return slider((0.0, 100.0, 1.0), figure, tolerance=5, unit="%", name=name, **figure.func(model=model)["sizes"])
