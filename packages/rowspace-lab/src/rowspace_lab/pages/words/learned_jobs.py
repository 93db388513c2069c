"""A job that learns one text four ways, by CBOW and skip-gram with windows of 1 and 10, to compare neighbors."""

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pydoc_data.topics import topics
from typing import Any

import numpy as np

from rowspace import space
from rowspace.table import Table
from rowspace_lab.jobs.kinds import JobKind, Progress
from rowspace_lab.lab import Lab
from rowspace_lab.pages.words.replies import Learned
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import Reply
from rowspace_lab.shared.figure import shown

__all__ = ["JOB_KINDS"]

SETTINGS = (("cbow", 1), ("cbow", 10), ("skipgram", 1), ("skipgram", 10))
NEIGHBORS = 8


def learn_four_ways(*, text: str, dim: int, epochs: int, min_count: int, code: str) -> Iterator[Progress | Reply]:
    """Yield the neighbors of all words after each of the tables is learned."""
    options = {"dim": dim, "epochs": epochs, "min_count": min_count}
    began = time.monotonic()
    tables: list[Table] = []
    for model, window in SETTINGS:
        yield Progress(len(tables) / len(SETTINGS), f"table {len(tables) + 1} of {len(SETTINGS)}: {model}, {window}")
        tables.append(learn(text, model=model, window=window, **options))
        frame = {"settings": SETTINGS, "learned": len(tables), "seconds": time.monotonic() - began}
        code_of_all = {"code": code} if len(tables) == len(SETTINGS) else {}
        yield Reply({**frame, **code_of_all, **neighbors_of(tables)})


def learned_figure(*, text: str, settings: Sequence[tuple[str, int]], options: Mapping[str, int]) -> Learned:
    """Learn a table for each method and window, and find the nearest neighbors of all words in each."""
    return neighbors_of([learn(text, model=model, window=window, **options) for model, window in settings])


def learn(text: str, **options: Any) -> Table:
    """Learn a table from a text, or from Python's help if it is empty, with one thread, so that it repeats."""
    from rowspace.learn.fit import fit  # imports Numba, which only the worker needs

    return fit(text.split("\n") if text else list(topics.values()), sample=0, workers=1, seed=1, **options)


def neighbors_of(tables: Sequence[Table]) -> Learned:
    """Find the nearest neighbors of all words by cosine; the tables have the same words."""
    words, k = len(tables[0]), min(NEIGHBORS, len(tables[0]) - 1)
    own = np.arange(words)[:, np.newaxis]
    found = [space.nearest(table.rows, table.rows, k, exclude=own) for table in tables]
    return {
        "tokens": list(tables[0]),
        "counts": [] if tables[0].counts is None else tables[0].counts.tolist(),
        "neighbors": np.stack([ids for ids, _ in found]).astype(np.int32),
        "scores": np.stack([scores for _, scores in found]),
    }


def _read(lab: Lab, query: Query) -> Mapping[str, Any]:
    text = query.text("text", "", max_length=60_000)
    options = {
        "dim": query.integer("dim", 32, low=2, high=100),
        "epochs": query.integer("epochs", 20, low=1, high=200),
        "min_count": query.integer("min_count", 5, low=1, high=100),
    }
    figure = partial(learned_figure, text=text, settings=SETTINGS, options=options)
    return {"text": text, **options, "code": shown(lab, figure)}


def _no_arrays(_: Lab, **__: Any) -> Mapping[str, np.ndarray[Any, Any]]:
    return {}


JOB_KINDS = {"learned": JobKind(run=learn_four_ways, read=_read, arrays=_no_arrays)}
