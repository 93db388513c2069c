"""Pieces of text → blocks of a megabyte or more, each one task of a worker.

Small documents share a block, so that ten thousand files cost no more than one.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.text.corpus.reading import BLOCK, Piece

__all__ = ["Block", "blocks"]


class Block(NamedTuple):
    """Some text, the offsets at which documents end in it (int64), and whether the line before it is blank so far."""

    data: bytearray
    ends: NDArray[np.int64]
    blank: bool


def blocks(pieces: Iterable[Piece], *, size: int = BLOCK) -> Iterator[Block]:
    """Yield the text of all pieces in blocks of at least `size` bytes, except the last.

    >>> pieces = [(b"a ", False), (b"b", True), (b"c", True)]
    >>> [(bytes(data), ends.tolist()) for data, ends, _ in blocks(pieces)]
    [(b'a bc', [3, 4])]
    """
    data, ends, blank = bytearray(), list[int](), True
    for text, last in pieces:
        data += text
        if last:
            ends.append(len(data))
        if len(data) >= size:
            yield Block(data, np.array(ends, np.int64), blank)
            blank = _leaves_blank(data, ends, blank)
            data, ends = bytearray(), []
    if ends:
        yield Block(data, np.array(ends, np.int64), blank)


def _leaves_blank(data: bytearray, ends: list[int], blank: bool) -> bool:
    """Return whether the last line of a block is blank so far."""
    line = max(data.rfind(b"\n") + 1, ends[-1] if ends else 0)
    return (blank or line > 0) and not data[line:].strip()
