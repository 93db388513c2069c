"""`HeadQuestion`: the validated parameters of a hidden state and a head. Needs PyTorch."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import RowspaceError, UsageError
from rowspace.layers import TiedHead, UntiedHead
from rowspace.table import Table
from rowspace_lab.lab import Lab
from rowspace_lab.pages.head import checkpoints, figures
from rowspace_lab.pages.head.replies import HiddenState
from rowspace_lab.pages.head.terms import clear_temperature
from rowspace_lab.server.query import MAX_NUMBER, Query
from rowspace_lab.shared.checkpoint_folder import checkpoint_folder
from rowspace_lab.shared.default_words import default_words
from rowspace_lab.tables.examples import four_words

__all__ = ["HeadQuestion", "head_call", "opened_table", "read_source"]

Kind = Literal["tied", "untied"]
KINDS: tuple[Kind, ...] = ("tied", "untied")
Source = Literal["table", "example"]
SOURCES: tuple[Source, ...] = ("table", "example")
EXAMPLE = "four-words"
# The default word is the first of these in the table.
WORDS = ("typeerror", "king", "read", "list", "the")
SLIDERS = 6


@dataclass(frozen=True)
class HeadQuestion:
    """A table, a hidden state and a head; `calls` compute them in the shown code."""

    source: Source
    table: Table
    word: str
    dims: list[int]
    kind: Kind
    trained: bool
    head: TiedHead | UntiedHead
    state: HiddenState
    softcap: float | None
    temperature: float
    calls: "dict[str, partial[Any]]"

    @classmethod
    def read(cls, lab: Lab, query: Query) -> "HeadQuestion":
        """Read and validate the parameters; raise `UsageError` for invalid ones."""
        source = read_source(lab, query)
        table = four_words() if source == "example" else lab.table
        word = "" if source == "example" else query.text("word", default_words(table, 1, WORDS)[0])
        start: partial[Any] = partial(figures.word_row, table, word=word) if word else partial(figures.example_hidden)
        row = start()
        if not np.isfinite(row).all():
            raise UsageError(f"the row of {word[:40]!r} has a value that is not a finite float32; use another word")
        if np.abs(row).max() >= MAX_NUMBER:
            raise UsageError(f"the row of {word[:40]!r} has a value of {MAX_NUMBER:.0e} or more; use another word")
        dims, values = _sliders(query, row)
        state = partial(figures.moved_state, dims=dims, values=values)
        kind = query.choice("head", KINDS)
        call, trained = head_call(lab, source, kind)
        head = lab.cached(("head", source, kind), lambda: call(table))
        hidden, softcap = state(row), query.number("softcap", 0, low=0, high=1000) or None
        usual = clear_temperature(head, hidden, softcap=softcap)
        calls = {**opened_table(source), "head": call, "start": start, "state": state}
        return cls(
            source=source,
            table=table,
            word=word,
            dims=dims,
            kind=kind,
            trained=trained,
            head=head,
            state=hidden,
            softcap=softcap,
            temperature=query.number("temperature", usual, low=0.01, high=100),
            calls=calls,
        )


def read_source(lab: Lab, query: Query) -> Source:
    """Return whether to show the table or the example, by default the example if the table is that of the example."""
    return query.choice("source", SOURCES, "example" if lab.id == EXAMPLE else "table")


def opened_table(source: Source) -> "dict[str, partial[Any]]":
    """Return the call that creates the table, if it is not the lab's."""
    return {"table": partial(four_words)} if source == "example" else {}


def head_call(lab: Lab, source: Source, kind: Kind) -> "tuple[partial[Any], bool]":
    """Return the call that makes a head, and whether it is trained: of an open checkpoint, else the table or drawn."""
    path = checkpoint_folder(lab) if source == "table" else None
    found = lab.cached("head/tensors", lambda: _find(lab.table, path)) if path else None
    if path and found and found.matrix and kind == "untied":
        return partial(checkpoints.checkpoint_head, path=path, matrix=found.matrix, bias=found.bias), True
    if kind == "untied":
        return partial(figures.untied_head), False
    if path and found and found.bias and not found.matrix:
        return partial(checkpoints.tied_head_with_bias, path=path, bias=found.bias), True
    return partial(figures.tied_head), True


def _find(table: Table, path: str) -> checkpoints.HeadTensors | None:
    """Find the head of a checkpoint, or None where its folder is damaged."""
    try:
        return checkpoints.find_head(table, path=path)
    except RowspaceError:
        return None


def _sliders(query: Query, hidden: NDArray[np.float32]) -> tuple[list[int], list[float]]:
    """Return the dimensions that have sliders, by default the largest in magnitude, and their values."""
    usual = sorted(np.argsort(-np.abs(hidden), kind="stable")[:SLIDERS].tolist())
    dims = query.integers("dims", usual, low=0, high=len(hidden) - 1, limit=16)
    if len(set(dims)) < len(dims):
        raise UsageError(f"dims must be whole numbers from 0 to {len(hidden) - 1}, each once, not {dims}")
    values = query.numbers("values", hidden[dims].tolist(), limit=16)
    if len(values) != len(dims):
        raise UsageError(f"values must have the length of dims, {len(dims)}, not {len(values)}")
    return dims, values
