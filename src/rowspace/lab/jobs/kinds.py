"""`Kind`: a kind of long work, done in a process of its own: what it is told, and what it tells meanwhile.

A kind is a plain generator function in its page's file. It runs in the worker's process, with arrays that are mapped
from files (read them, do not write) and parameters as keywords; it yields how far it is and, as a `Reply`, each frame:

    def tsne(rows, *, perplexity) -> Iterator[Progress | Reply]:
        from openTSNE import TSNE                             # heavy imports belong inside: only the worker needs them
        for step in range(1, 751):
            ...
            yield Progress(step / 750, f"step {step} of 750")
            yield Reply({"step": step}, positions=positions)  # the newest frame is what the page draws

    TSNE = Kind(
        run=tsne,
        read=lambda lab, query: {"perplexity": query.number("perplexity", 30, low=2, high=200)},
        arrays=lambda lab, *, perplexity: {"rows": lab.table.rows},
    )

It is registered in its page's `PAGE`, and asked for by `POST /api/jobs` with
`{"kind": "tsne", "perplexity": 30}`. Where it raises a `RowspaceError`, the page is told its sentence.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from numpy.typing import NDArray

from rowspace.lab.lab import Lab
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply

__all__ = ["Kind", "Parameters", "Progress"]

Parameters = Mapping[str, Any]
"""Names and what JSON holds."""


class Progress(NamedTuple):
    """How far the work is: the share that is done, 0 to 1, and a sentence with a number in it."""

    fraction: float
    sentence: str


@dataclass(frozen=True)
class Kind:
    """A kind of long work.

    `read` checks what was asked for, at once, and gives the parameters: work with the same ones is not done twice.
    `arrays` gives what it works on, in a thread, when its turn has come. `run` is a function of a module (the worker
    imports it by name); it is called with the arrays and the parameters. `needs` names a job that must be done first,
    by its kind and parameters: the arrays of its last frame are passed to `run` too. Several jobs can need the same
    one, which is done once.
    """

    run: Callable[..., Iterator[Progress | Reply]]
    read: Callable[[Lab, Query], Parameters]
    arrays: Callable[..., Mapping[str, NDArray[Any]]]
    needs: Callable[..., tuple[str, Parameters]] | None = None
