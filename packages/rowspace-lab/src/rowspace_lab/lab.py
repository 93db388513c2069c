"""`Lab`: the state that all pages share for one table: the table, its path, and cached values."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.table import Table

__all__ = ["OPENED", "Lab", "Refit", "StoredMap"]

OPENED = "opened"
"""The id of the table that the workbench was started with."""

_KEPT = 8  # values of one name, since a request can have any parameters
_Value = TypeVar("_Value")


@dataclass(eq=False)
class _Entry:
    """A cached value, once it is made, and the lock under which it is made."""

    lock: Lock = field(default_factory=Lock)
    is_made: bool = False
    value: Any = None


@dataclass(frozen=True, eq=False)
class StoredMap:
    """A map by UMAP that was computed before: its `positions` (V, 2), and the code that reads them."""

    positions: NDArray[np.float32]
    code: str


@dataclass(frozen=True, eq=False)
class Refit:
    """How to learn a table again with another seed: a function of the seed, and its code, with the name `seed`."""

    learn: Callable[[int], Table]
    code: str


@dataclass(eq=False)
class Lab:
    """A table and the path that the code on each page passes to `rowspace.load`.

    `id` names the table in URLs and jobs. `code` replaces the call of `rowspace.load` for tables that are not in a
    file: import lines, an empty line, and lines that create `table`. `stored_map` is a map of the rows, if one exists.
    `sentences` are those that a reader of the workbench has written for the table, if there are some. `edges` are those
    of the graph whose nodes the table has, which `code` assigns to `edges`. `groups` are known groups of tokens by
    name. `refit` learns the table again, if that takes a moment only; its code follows `code`.

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
    stored_map: StoredMap | None = None
    sentences: tuple[str, ...] = ()
    edges: tuple[tuple[str, str], ...] = ()
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    refit: Refit | None = None
    _entries: dict[Hashable, _Entry] = field(default_factory=dict)  # the most recently used last
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        if not len(self.table):
            raise UsageError(f"{self.path}: the table has no rows to show; open another one")

    @property
    def load_code(self) -> str:
        """The lines that load the table, at the top of the code on each page."""
        return f"import rowspace as rs\n\ntable = rs.load({self.path!r})" if self.code is None else self.code

    def cached(self, key: Hashable, make: Callable[[], _Value]) -> _Value:
        """Return the cached value of `make()` for this key; concurrent calls wait for the first one.

        A value that depends on a request has a tuple as its key: a name and the parameters. Of each name, the most
        recently used values are kept; all other values are kept as long as the lab.
        """
        with self._lock:
            entry = self._entries[key] = self._entries.pop(key, _Entry())
            if isinstance(key, tuple):
                same = [other for other in self._entries if isinstance(other, tuple) and other[0] == key[0]]
                for other in same[:-_KEPT]:
                    del self._entries[other]
        with entry.lock:
            if not entry.is_made:
                entry.value, entry.is_made = make(), True
            value: _Value = entry.value
            return value

    def existing(self, key: Hashable) -> Any | None:
        """Return the cached value for this key, or None where none was made yet."""
        with self._lock:
            entry = self._entries.get(key)
        return None if entry is None else entry.value
