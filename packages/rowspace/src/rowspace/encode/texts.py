"""Texts as one UTF-8 buffer, and the ids of many texts as two flat arrays."""

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.text.characters.utf8 import as_array, clean

__all__ = ["FlatIds", "TextBuffer"]


class TextBuffer(NamedTuple):
    """Texts next to each other: text i is data[indptr[i]:indptr[i + 1]].

    Attributes:
        data: uint8 (bytes,), valid UTF-8, read only.
        indptr: int64 (texts + 1,).
    """

    data: NDArray[np.uint8]
    indptr: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[str]) -> "TextBuffer":
        r"""Join texts; a lone surrogate becomes U+FFFD, as it does for the `tokenizers` library here.

        >>> buffer = TextBuffer.of(["é", "", "ab"])
        >>> buffer.data.tobytes(), buffer.indptr.tolist()
        (b'\xc3\xa9ab', [0, 2, 2, 4])
        """
        if len(texts) == 1 and str.isascii(texts[0]):  # the same as below, in half the time
            data = texts[0].encode()
            return cls(as_array(data), np.array((0, len(data)), np.int64))
        if all(map(str.isascii, texts)):
            lengths = map(len, texts)
            data = "".join(texts).encode()
        else:
            encoded = _encoded(texts)
            lengths = map(len, encoded)
            data = b"".join(encoded)
        indptr = np.fromiter(accumulate(lengths, initial=0), np.int64, len(texts) + 1)
        return cls(as_array(data), indptr)

    def text(self, index: int) -> str:
        """Return text `index`."""
        return self.data[self.indptr[index] : self.indptr[index + 1]].tobytes().decode()


def _encoded(texts: Sequence[str]) -> list[bytes]:
    try:
        return list(map(str.encode, texts))
    except UnicodeEncodeError:  # a lone surrogate, which is rare
        return [clean(text).encode() for text in texts]


class FlatIds(NamedTuple):
    """The ids of many texts: those of text i are ids[indptr[i]:indptr[i + 1]].

    Attributes:
        ids: int32 (n,).
        indptr: int64 (texts + 1,).
    """

    ids: NDArray[np.int32]
    indptr: NDArray[np.int64]

    @classmethod
    def of(cls, lists: Sequence[Sequence[int]]) -> "FlatIds":
        """Join lists of ids.

        >>> FlatIds.of([[3], [], [5, 3]])
        FlatIds(ids=array([3, 5, 3], dtype=int32), indptr=array([0, 1, 1, 3]))
        """
        indptr = np.fromiter(accumulate(map(len, lists), initial=0), np.int64, len(lists) + 1)
        ids = np.fromiter((number for each in lists for number in each), np.int32, int(indptr[-1]))
        return cls(ids, indptr)

    @classmethod
    def join(cls, parts: "Sequence[FlatIds]") -> "FlatIds":
        """Append the texts of several parts."""
        if len(parts) == 1:
            return parts[0]
        sizes = [part.ids.size for part in parts]
        starts = accumulate(sizes, initial=0)
        pieces = [part.indptr[:-1] + start for part, start in zip(parts, starts, strict=False)]
        indptr = np.concatenate([*pieces, np.array([sum(sizes)])])
        return cls(np.concatenate([part.ids for part in parts]), indptr)

    def cut(self, limit: int, *, keep_end: bool = False) -> "FlatIds":
        """Return at most `limit` ids of each text: its first, or its last.

        >>> FlatIds.of([[1, 2, 3], [4]]).cut(2, keep_end=True)
        FlatIds(ids=array([2, 3, 4], dtype=int32), indptr=array([0, 2, 3]))
        """
        if self.ids.size <= limit:
            return self
        lengths = np.diff(self.indptr)
        if lengths.max() <= limit:
            return self
        kept = np.minimum(lengths, limit)
        starts = self.indptr[:-1] + (lengths - kept if keep_end else 0)
        indptr = np.concatenate([[0], np.cumsum(kept)])
        places = np.arange(indptr[-1]) + np.repeat(starts - indptr[:-1], kept)
        return FlatIds(self.ids[places], indptr)
