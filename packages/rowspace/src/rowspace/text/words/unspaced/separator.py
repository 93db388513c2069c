"""Blanks around words of scripts without spaces, so that the scanner of words finds them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rowspace.text.characters import as_array
from rowspace.text.characters.table import CODE_POINTS
from rowspace.text.words.lexicon import Lexicon
from rowspace.text.words.unspaced.kernels import separate

__all__ = ["Separator"]

_NO_ENDS = np.empty(0, np.int64)


class Separator:
    """Puts blanks around the longest known word at each place, from left to right, as added tokens are found.

    Only one thread at a time may use it.

    Args:
        words: Words of scripts without spaces.

    >>> Separator(["中国", "中", "国人"]).separate("T中国人!".encode())[0].decode().split()
    ['T', '中国', '人!']
    """

    def __init__(self, words: Sequence[str]) -> None:
        data = [word.encode() for word in words]
        self._longest = np.zeros(CODE_POINTS, np.int32)
        for word, encoded in zip(words, data, strict=True):
            self._longest[ord(word[0])] = max(self._longest[ord(word[0])], len(encoded))
        self._lexicon = Lexicon(np.empty(0, np.int32))
        self._lexicon.add(data)
        self._lexicon.reserve(bytes_=int(self._longest.max(initial=0)))

    def separate(self, data: bytes | bytearray, ends: NDArray[np.int64] = _NO_ENDS) -> tuple[bytes, NDArray[np.int64]]:
        """Return UTF-8 with blanks around words, and where its documents end.

        Args:
            data: UTF-8.
            ends: The offsets at which documents end; no word crosses them.
        """
        out, new_ends = np.empty(3 * len(data), np.uint8), np.empty_like(ends)
        lexicon = self._lexicon
        written = separate(as_array(data), ends, self._longest, lexicon.words, lexicon.size, out, new_ends)
        return out[:written].tobytes(), new_ends
