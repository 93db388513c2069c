"""`Tables`: the tables that the workbench can show, each opened when it is first requested."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock

from rowspace.errors import UsageError
from rowspace_lab.lab import OPENED, Lab
from rowspace_lab.tables.choice import TableChoice
from rowspace_lab.tables.english import ENGLISH
from rowspace_lab.tables.everyday import EVERYDAY
from rowspace_lab.tables.examples import EXAMPLES
from rowspace_lab.tables.imports import IMPORTS
from rowspace_lab.tables.python_words import PYTHON
from rowspace_lab.tables.small_graph import SMALL_GRAPH
from rowspace_lab.tables.small_shop import SMALL_SHOP
from rowspace_lab.tables.world import SMALL_WORLD

__all__ = ["BUILT_IN", "Tables", "UnknownTableError", "first_lab", "is_opened", "validate_table_id"]

BUILT_IN = (*EXAMPLES, SMALL_WORLD, SMALL_SHOP, SMALL_GRAPH, ENGLISH, EVERYDAY, PYTHON, IMPORTS)
"""The tables that are always in the list, besides the opened one."""


class UnknownTableError(UsageError):
    """No table has this id; the page that has the text of its own table sends it again."""


class Tables:
    """The opened table, the built-in ones, those typed or edited on a page, and those found on this machine.

    All methods can be called from several threads.

    Args:
        opened: The table that the workbench was started with.
        find_recent: Finds tables on this machine; called when the list is requested.
        max_open: The number of other tables that stay open.
        max_own: The number of typed and learned tables that are kept.

    >>> import numpy as np
    >>> from rowspace.table import Table
    >>> tables = Tables(Lab(Table(["a", "b"], np.eye(2)), "my-table"))
    >>> tables.lab("six-words").table["cat"].tolist()
    [0.72, -0.41, 0.15]
    """

    def __init__(
        self,
        opened: Lab,
        *,
        find_recent: Callable[[], Sequence[TableChoice]] = tuple,
        max_open: int = 6,
        max_own: int = 50,
    ) -> None:
        self.opened = opened
        self._find_recent = find_recent
        self._max_open = max_open
        self._max_own = max_own
        self._recent: Sequence[TableChoice] | None = None
        self._own: OrderedDict[str, TableChoice] = OrderedDict()  # the oldest first
        self._labs: OrderedDict[str, Lab] = OrderedDict()  # least recently used first
        self._opening: dict[str, Lock] = {}
        self._lock = Lock()

    def choices(self) -> list[TableChoice]:
        """Return the list that the page shows, with the tables found on this machine now."""
        self._recent = self._find_recent()
        built_in = [choice for choice in BUILT_IN if not is_opened(choice, self.opened)]
        return [_opened_choice(self.opened), *built_in, *self._recent]

    def choice(self, id: str) -> TableChoice:
        """Return the choice with this id.

        Raises:
            UnknownTableError: There is none; the message has the ids of the list.
        """
        if id == OPENED:
            return _opened_choice(self.opened)
        with self._lock:
            own = list(self._own.values())
        if id.startswith("recent-") and self._recent is None:
            self._recent = self._find_recent()
        for choice in (*BUILT_IN, *own, *(self._recent or ())):
            if choice.id == id:
                return choice
        ids = ", ".join([OPENED, *(choice.id for choice in BUILT_IN)])
        raise UnknownTableError(f"there is no table {id[:40]!r}; choose another one: {ids}")

    def lab(self, id: str) -> Lab:
        """Return the table with this id, opened now if it is not open; concurrent calls wait for the first one."""
        if id == OPENED:
            return self.opened
        if (lab := self._open_lab(id)) is not None:
            return lab
        choice = self.choice(id)
        with self._lock:
            opening = self._opening.setdefault(id, Lock())
        with opening:
            return self._open_lab(id) or self._keep(choice.open())

    def _open_lab(self, id: str) -> Lab | None:
        """Return the table with this id if it is open."""
        with self._lock:
            if id in self._labs:
                self._labs.move_to_end(id)
            return self._labs.get(id)

    def add(self, choice: TableChoice) -> Lab:
        """Add a table that was typed or edited on a page, and open it.

        If it cannot be opened, its error is raised and the list stays unchanged.
        """
        with self._lock:
            lab = self._labs.get(choice.id)
        lab = self._keep(choice.open()) if lab is None else lab
        with self._lock:
            self._own[choice.id] = choice
            self._own.move_to_end(choice.id)
            while len(self._own) > self._max_own:
                self._own.popitem(last=False)
        return lab

    def _keep(self, lab: Lab) -> Lab:
        """Keep an open table, and close the least recently used ones above the limit."""
        with self._lock:
            self._labs[lab.id] = lab
            self._labs.move_to_end(lab.id)
            while len(self._labs) > self._max_open:
                self._opening.pop(self._labs.popitem(last=False)[0], None)
        return lab


def first_lab() -> Lab:
    """Return the table that the workbench shows if it is started without one.

    >>> first_lab().id, "king" in first_lab().table
    ('opened', True)
    """
    lab = ENGLISH.open()
    return Lab(lab.table, lab.path, code=lab.code, stored_map=lab.stored_map)


def validate_table_id(id: str) -> str:
    """Return an id of the list; raise `UsageError` for any other text.

    >>> validate_table_id("six-words")
    'six-words'
    """
    ids = [OPENED, *(choice.id for choice in BUILT_IN)]
    if id not in ids:
        raise UsageError(f"there is no table {id[:40]!r}; choose one of {', '.join(ids)}")
    return id


def is_opened(choice: TableChoice, opened: Lab) -> bool:
    """Return whether the table that the workbench was started with is this one."""
    return choice.title == opened.path and opened.code is not None


def _opened_choice(lab: Lab) -> TableChoice:
    for choice in BUILT_IN:
        if is_opened(choice, lab):
            return TableChoice(OPENED, choice.title, choice.sentence, "opened", lambda: lab, also=choice.id)
    sentence = f"The table that rowspace lab was started with: {lab.table!r}."
    return TableChoice(OPENED, "This table", sentence, "opened", lambda: lab, file=Path(lab.path).name)
