"""`JobKind`: a kind of long work that runs in its own process: its input, its function, its progress.

Its function is a plain generator function of the page. It runs in the worker process, with read-only arrays mapped from
files and parameters as keywords; it yields its progress and, as a `Reply`, each frame:

    def tsne(rows, *, perplexity) -> Iterator[Progress | Reply]:
        from openTSNE import TSNE                             # heavy imports belong inside: only the worker needs them
        for step in range(1, 751):
            ...
            yield Progress(step / 750, f"step {step} of 750")
            yield Reply({"step": step}, positions=positions)  # the newest frame is what the page draws

    TSNE = JobKind(
        run=tsne,
        read=lambda lab, query: {"perplexity": query.number("perplexity", 30, low=2, high=200)},
        arrays=lambda lab, *, perplexity: {"rows": lab.table.rows},
    )

The page registers it in its `PAGE`, and starts it by `POST /api/jobs` with `{"kind": "tsne", "perplexity": 30}`. The
message of a `RowspaceError` that it raises is shown on the page.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from numpy.typing import NDArray

from rowspace.lab.lab import Lab
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply

__all__ = ["JobKind", "Parameters", "Progress"]

Parameters = Mapping[str, Any]
"""Names and what JSON holds."""


class Progress(NamedTuple):
    """How far the work is: the share that is done, 0 to 1, and a sentence with a number in it."""

    fraction: float
    sentence: str


@dataclass(frozen=True)
class JobKind:
    """A kind of long work.

    `read` checks the request at once and gives the parameters: work with the same ones is not done twice.
    `arrays` gives what it works on, in a thread, when its turn has come. `run` is a function of a module (the worker
    imports it by name); it is called with the arrays and the parameters. `needs` names a job that must be done first,
    by its kind and parameters: the arrays of its last frame are passed to `run` too. Several jobs can need the same
    one, which is done once.
    """

    run: Callable[..., Iterator[Progress | Reply]]
    read: Callable[[Lab, Query], Parameters]
    arrays: Callable[..., Mapping[str, NDArray[Any]]]
    needs: Callable[..., tuple[str, Parameters]] | None = None
