"""The routes of the Head page: logits and probabilities for a hidden state with a tied or untied head.

The hidden state is not computed by a model: it is a row of the table, or the one of an example with four words, changed
by sliders.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.lab.lab import Lab
from rowspace.lab.page import Answer, needs_torch
from rowspace.lab.pages.head.replies import LogitsReply, TyingReply
from rowspace.lab.server.query import Query
from rowspace.lab.shared.default_words import default_words
from rowspace.lab.shared.figure import shown
from rowspace.lab.tables.examples import four_words

__all__ = ["ROUTES"]

SOURCES: tuple[Literal["table", "example"], ...] = ("table", "example")
EXAMPLE = "four-words"
DTYPES = ("float32", "bfloat16", "float16")
# The default word is the first of these in the table.
WORDS = ("typeerror", "king", "read", "list", "the")
SLIDERS = 6
SHORT = 8  # the largest dimension of vectors that are shown completely


@needs_torch
def logits(lab: Lab, query: Query) -> LogitsReply:
    """Return the `k` most probable rows, by `head`, `softcap` and `temperature`.

    The hidden state is the row of `word` in `source`, with `values` at `dims`.
    """
    from rowspace.lab.pages.head import figures

    source = _source(lab, query)
    example = source == "example"
    table = four_words() if example else lab.table
    word = "" if example else query.text("word", default_words(table, 1, WORDS)[0])
    start: partial[Any] = partial(figures.example_hidden) if example else partial(figures.word_row, table, word=word)
    row = start()
    if not np.isfinite(row).all():
        raise UsageError(f"the row of {word[:40]!r} has a value that is not a finite float32; use another word")
    dims, values = _sliders(query, row)
    state = partial(figures.moved_state, dims=dims, values=values)
    kind = query.choice("head", ("tied", "untied"))
    head: partial[Any] = partial(figures.tied_head if kind == "tied" else figures.untied_head)
    figure = partial(
        figures.logits_figure,
        softcap=query.number("softcap", 0, low=0, high=1000) or None,
        temperature=query.number("temperature", 1, low=0.01, high=100),
        k=query.integer("k", 10, low=1, high=100),
    )
    found = figure(lab.cached(("head", source, kind), lambda: head(table)), state(row))
    if not len(found["ids"]):
        raise UsageError("no row has a finite logit; use smaller values")
    if table.dim > SHORT:
        del found["vectors"]
    return {
        **found,
        "source": source,
        "word": word,
        "dims": dims,
        "dim": table.dim,
        "tokens": [table.vocabulary[id] for id in found["ids"]],
        "code": shown(lab, figure, **_opened(source), head=head, start=start, state=state),
    }


@needs_torch
def tying(lab: Lab, query: Query) -> TyingReply:
    """Return the parameters and bytes in `dtype` that tying saves, for the table of `source` and published models."""
    from rowspace.lab.pages.head import figures

    source = _source(lab, query)
    figure = partial(figures.tying_figure, dtype=query.choice("dtype", DTYPES))
    table = four_words() if source == "example" else lab.table
    return {**figure(table), "code": shown(lab, figure, **_opened(source))}


def _source(lab: Lab, query: Query) -> Literal["table", "example"]:
    """Return whether to show the table or the example, by default the example if the table is that of the example."""
    return query.choice("source", SOURCES, "example" if lab.id == EXAMPLE else "table")


def _opened(source: str) -> "dict[str, partial[Any]]":
    """Return the call that creates the table, if it is not the lab's."""
    return {"table": partial(four_words)} if source == "example" else {}


def _sliders(query: Query, hidden: NDArray[np.float32]) -> tuple[list[int], list[float]]:
    """Return the dimensions that have sliders, by default the largest in magnitude, and their values."""
    usual = sorted(np.argsort(-np.abs(hidden), kind="stable")[:SLIDERS].tolist())
    dims = query.integers("dims", usual, low=0, high=len(hidden) - 1, most=16)
    if len(set(dims)) < len(dims):
        raise UsageError(f"dims must be whole numbers from 0 to {len(hidden) - 1}, each once, not {dims}")
    values = query.numbers("values", hidden[dims].tolist(), most=16)
    if len(values) != len(dims):
        raise UsageError(f"values must have the length of dims, {len(dims)}, not {len(values)}")
    return dims, values


ROUTES: Mapping[str, Answer] = {"head/logits": logits, "head/tying": tying}
