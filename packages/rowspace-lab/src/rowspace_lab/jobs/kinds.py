"""`JobKind`: a kind of background job: its function and how its input is computed.

The function is a generator function. It runs in the worker process, takes memory-mapped read-only arrays and parameters
as keywords, and yields `Progress`, and each frame as a `Reply`:

    def tsne(rows, *, perplexity) -> Iterator[Progress | Reply]:
        from openTSNE import TSNE                             # slow import, which only the worker needs
        for step in range(1, 751):
            ...
            yield Progress(step / 750, f"step {step} of 750")
            yield Reply({"step": step}, positions=positions)  # the page draws the newest frame

    TSNE = JobKind(
        run=tsne,
        read=lambda lab, query: {"perplexity": query.number("perplexity", 30, low=2, high=200)},
        arrays=lambda lab, *, perplexity: {"rows": lab.table.rows},
    )

A page registers it in its `PAGE`, and starts a job with `POST /api/jobs` and `{"kind": "tsne", "perplexity": 30}`. If
the function raises a `RowspaceError`, the page shows the message.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from numpy.typing import NDArray

from rowspace_lab.lab import Lab
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import Reply

__all__ = ["JobKind", "Parameters", "Progress"]

Parameters = Mapping[str, Any]
"""Names and JSON values."""


class Progress(NamedTuple):
    """The progress of a job: the share that is done, 0 to 1, and a sentence with a number."""

    fraction: float
    sentence: str


@dataclass(frozen=True)
class JobKind:
    """A kind of background job.

    `read` validates the request and returns the parameters; a job with equal parameters is not run twice. `arrays` is
    called in a thread when the job starts, and returns its input arrays. `run` takes these arrays and the parameters;
    it must be at module level, since the worker imports it by name. `needs` returns the kind and parameters of a job
    that must be done first, and the arrays of its last frame are also passed to `run`. Several jobs can need the same
    one, which runs once. `prepare`, also at module level, does what takes long before each job, such as imports: after
    a job of this kind, a spare process calls it and waits for the next job.
    """

    run: Callable[..., Iterator[Progress | Reply]]
    read: Callable[[Lab, Query], Parameters]
    arrays: Callable[..., Mapping[str, NDArray[Any]]]
    needs: Callable[..., tuple[str, Parameters]] | None = None
    prepare: Callable[[], object] | None = None
