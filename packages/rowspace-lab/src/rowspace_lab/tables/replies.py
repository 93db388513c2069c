"""The replies of the routes of tables."""

from typing import Literal, TypedDict


class TableEntry(TypedDict):
    """A table of the list."""

    id: str
    also: str
    """Another id of the same table; "" if there is none."""
    title: str
    file: str
    """The name of its file or folder, if the title does not say it."""
    sentence: str
    group: Literal["opened", "example", "own", "recent"]
    editable: bool
    """Whether it is made from a text that the page can edit."""


class TablesReply(TypedDict):
    """The tables that can be shown, in the order of the list."""

    tables: list[TableEntry]


class TableTextReply(TypedDict):
    """The text that a table is made from."""

    id: str
    kind: Literal["typed", "world"] | None
    """Whether the rows are typed, or learned from sentences; null if the table is not made from a text."""
    text: str
    dim: int | None
    """The dimension of rows learned from sentences."""
    dims: list[int]
    """The dimensions to choose from."""


class OwnTableReply(TypedDict):
    """A table that was typed, or learned from sentences."""

    id: str
    words: int
    dim: int
    seconds: float
    """How long it took to make; 0 if it was open already."""
