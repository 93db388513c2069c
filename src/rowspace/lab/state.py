"""`Lab`: what every page works on: the table, the name it was opened by, and what was made of it once.

A page's file has `ROUTES`: the path under `/api/` → a function of a `Lab` and a `Query` that returns a `Reply`, or an
`Upload` of one. Such a function runs in a thread beside others, so what it shares with them goes through `Lab.once`.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

from rowspace.errors import UsageError
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply
from rowspace.table import Table

__all__ = ["Answer", "Lab", "Upload"]

_Made = TypeVar("_Made")


@dataclass(eq=False)
class Lab:
    """A table and the path that `rowspace.load` opens it by, as the code on each page shows it.

    Raises `UsageError` for a table without rows, of which no page has anything to show.

    >>> import numpy as np
    >>> lab = Lab(Table(["a"], np.ones((1, 2))), "my-table")
    >>> lab.once("sum", lambda: float(lab.table.rows.sum())), lab.once("sum", lambda: 0.0)
    (2.0, 2.0)
    >>> print(lab.opening)
    import rowspace as rs
    <BLANKLINE>
    table = rs.load('my-table')
    """

    table: Table
    path: str
    _made: dict[Hashable, Any] = field(default_factory=dict)
    _locks: dict[Hashable, Lock] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        if not len(self.table):
            raise UsageError(f"{self.path}: a table without rows has nothing to show; open another")

    @property
    def opening(self) -> str:
        """The lines with which the code on a page begins."""
        return f"import rowspace as rs\n\ntable = rs.load({self.path!r})"

    def once(self, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """What `make` returned the first time that this key was asked for; others who ask meanwhile wait for it."""
        with self._lock:
            lock = self._locks.setdefault(key, Lock())
        with lock:
            if key not in self._made:
                self._made[key] = make()
            made: _Made = self._made[key]
            return made


Answer = Callable[[Lab, Query], Reply]
"""What answers a page's question."""


@dataclass(frozen=True)
class Upload:
    """An answer that may be asked with a body too: by POST, with `Query.body` of `limit` bytes at the most.

    By GET it is asked as any other, and `Query.body` is None.

    >>> import numpy as np
    >>> size = Upload(lambda lab, query: Reply({"bytes": len(query.body or b"")}), limit=12_000_000)
    >>> size(Lab(Table(["a"], np.ones((1, 2))), "my-table"), Query(body=b"GIF89a")).meta
    {'bytes': 6}
    """

    answer: Answer
    limit: int

    def __call__(self, lab: Lab, query: Query) -> Reply:
        """What the answer answers."""
        return self.answer(lab, query)
