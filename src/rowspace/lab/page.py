"""`Page`: what a page registers: answers under `/api/`, with or without an upload, and kinds of jobs.

An answer is a function of a `Lab` and a `Query` that returns the fields of a reply, or an `Upload` of one. Answers run
in threads concurrently, so what they share goes through `Lab.cached`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import TypeVar

from rowspace.lab.jobs.kinds import JobKind
from rowspace.lab.lab import Lab
from rowspace.lab.server.query import Query

__all__ = ["Answer", "Page", "Upload", "needs_torch"]

_Fields = TypeVar("_Fields")
Answer = Callable[[Lab, Query], Mapping[str, object]]
"""What answers a request of a page: it returns the fields of a reply."""


@dataclass(frozen=True)
class Upload:
    """An answer to POST requests too, with `Query.body` of at most `limit` bytes; for GET, `Query.body` is None.

    >>> import numpy as np
    >>> from rowspace.table import Table
    >>> size = Upload(lambda lab, query: {"bytes": len(query.body or b"")}, limit=12_000_000)
    >>> size(Lab(Table(["a"], np.ones((1, 2))), "my-table"), Query(body=b"GIF89a"))
    {'bytes': 6}
    """

    answer: Answer
    limit: int

    def __call__(self, lab: Lab, query: Query) -> Mapping[str, object]:
        """What the answer answers."""
        return self.answer(lab, query)


@dataclass(frozen=True)
class Page:
    """A page of the workbench, shown at `/name`.

    `routes`: path under `/api/` → what answers it. `job_kinds`: name → a kind of job that the page starts.
    """

    name: str
    routes: Mapping[str, Answer]
    job_kinds: Mapping[str, JobKind] = field(default_factory=dict)


def needs_torch(answer: Callable[[Lab, Query], _Fields]) -> Callable[[Lab, Query], _Fields]:
    """`answer`, which may import torch; without torch, it raises `MissingExtraError`, which says what to install."""

    @wraps(answer)
    def checked(lab: Lab, query: Query) -> _Fields:
        import rowspace.layers  # noqa: F401  # raises the error

        return answer(lab, query)

    return checked
