"""`Page`: the routes under `/api/` and the job kinds that a page registers.

The handler of a route is a function of a `Lab` and a `Query` that returns the fields of a reply, or an `Upload` around
one. Handlers run concurrently in threads, so they share values through `Lab.cached`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import ParamSpec, TypeVar

from rowspace_lab.jobs.kinds import JobKind
from rowspace_lab.lab import Lab
from rowspace_lab.server.query import Query

__all__ = ["Handler", "Page", "Upload", "needs_torch"]

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")
Handler = Callable[[Lab, Query], Mapping[str, object]]
"""A function that handles a request and returns the fields of the reply."""


@dataclass(frozen=True)
class Upload:
    """A handler that also accepts POST requests, with a `Query.body` of at most `limit` bytes (None for GET).

    >>> import numpy as np
    >>> from rowspace.table import Table
    >>> size = Upload(lambda lab, query: {"bytes": len(query.body or b"")}, limit=12_000_000)
    >>> size(Lab(Table(["a"], np.ones((1, 2))), "my-table"), Query(body=b"GIF89a"))
    {'bytes': 6}
    """

    handler: Handler
    limit: int

    def __call__(self, lab: Lab, query: Query) -> Mapping[str, object]:
        """Call the handler."""
        return self.handler(lab, query)


@dataclass(frozen=True)
class Page:
    """A page of the workbench, shown at `/name`.

    `routes` maps paths under `/api/` to handlers, `job_kinds` maps names to the kinds of jobs that the page starts.
    """

    name: str
    routes: Mapping[str, Handler]
    job_kinds: Mapping[str, JobKind] = field(default_factory=dict)


def needs_torch(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Wrap a function that imports PyTorch: without it, `MissingExtraError` names the extra to install."""

    @wraps(function)
    def checked(*arguments: _Parameters.args, **options: _Parameters.kwargs) -> _Result:
        import rowspace.layers  # noqa: F401  # raises MissingExtraError

        return function(*arguments, **options)

    return checked
