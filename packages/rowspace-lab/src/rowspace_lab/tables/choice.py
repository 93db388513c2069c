"""`TableChoice`: an entry of the list of tables."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from rowspace_lab.lab import Lab

__all__ = ["Group", "OwnText", "TableChoice", "short_hash"]

Group = Literal["opened", "example", "own", "recent"]
DIGITS = 12


@dataclass(frozen=True)
class OwnText:
    """The text from which a table is made, and the dimension of rows that are learned from it (None for typed rows)."""

    text: str
    dim: int | None = None


@dataclass(frozen=True)
class TableChoice:
    """A table that can be opened.

    Attributes:
        id: The value of `?table=`: lower-case letters, digits and hyphens, never a path.
        title: Its name in the list.
        sentence: What it is, in one sentence.
        group: Where it is in the list.
        open: Make its `Lab`, which must have the same id.
        own: The text it is made from, if the page can edit it.
        also: The other id of the opened table, if it is a built-in one; else "".
        file: The name of the file or folder of the opened table, if it is not a built-in one; else "".
    """

    id: str
    title: str
    sentence: str
    group: Group
    open: Callable[[], Lab]
    own: OwnText | None = None
    also: str = ""
    file: str = ""


def short_hash(*parts: object) -> str:
    """Return 12 hexadecimal digits that depend on the text of all parts.

    >>> short_hash(16, "the cat sat") == short_hash("16", "the cat sat") != short_hash(8, "the cat sat")
    True
    """
    return hashlib.sha256("\0".join(map(str, parts)).encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
