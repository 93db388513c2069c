"""`Lab`: the state that all pages share for one table: the table, its path, and cached values."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

from rowspace.errors import UsageError
from rowspace.table import Table

__all__ = ["OPENED", "Lab"]

OPENED = "opened"
"""The id of the table that the workbench was started with."""

_Value = TypeVar("_Value")


@dataclass(eq=False)
class Lab:
    """A table and the path that the code on each page passes to `rowspace.load`.

    `id` names the table in URLs and jobs. `code` replaces the call of `rowspace.load` for tables that are not in a
    file: import lines, an empty line, and lines that create `table`.

    Raises `UsageError` for a table without rows, since no page could show anything.

    >>> import numpy as np
    >>> lab = Lab(Table(["a"], np.ones((1, 2))), "my-table")
    >>> lab.cached("sum", lambda: float(lab.table.rows.sum())), lab.cached("sum", lambda: 0.0)
    (2.0, 2.0)
    >>> print(lab.load_code)
    import rowspace as rs
    <BLANKLINE>
    table = rs.load('my-table')
    """

    table: Table
    path: str
    id: str = OPENED
    code: str | None = None
    _values: dict[Hashable, Any] = field(default_factory=dict)
    _locks: dict[Hashable, Lock] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        if not len(self.table):
            raise UsageError(f"{self.path}: the table has no rows to show; open another one")

    @property
    def load_code(self) -> str:
        """The lines that load the table, at the top of the code on each page."""
        return f"import rowspace as rs\n\ntable = rs.load({self.path!r})" if self.code is None else self.code

    def cached(self, key: Hashable, make: Callable[[], _Value]) -> _Value:
        """Return the cached value of `make()` for this key; concurrent calls wait for the first one."""
        with self._lock:
            lock = self._locks.setdefault(key, Lock())
        with lock:
            if key not in self._values:
                self._values[key] = make()
            value: _Value = self._values[key]
            return value

    def existing(self, key: Hashable) -> Any | None:
        """Return the cached value for this key, or None where none was made yet."""
        with self._lock:
            return self._values.get(key)
