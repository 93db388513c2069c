"""`SubstringIndex`: case-insensitive substring search over all tokens."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["SubstringIndex"]

END = b"\xff"
"""The separator between tokens, a byte that never occurs in UTF-8."""


class SubstringIndex:
    """The casefolded tokens as one byte string; a million tokens take a second to join and milliseconds to search.

    >>> SubstringIndex(["Basin", "sin", "Sinus", "cos"]).find("sin", 3)
    (array([1, 2, 0]), 3)
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        folded = [token.casefold().encode(errors="surrogatepass") for token in vocabulary]
        self._run = END + END.join(folded) + END
        lengths = np.fromiter(map(len, folded), np.int64, len(folded))
        self._ends = np.cumsum(lengths + 1)  # the index of the separator after each token

    def find(self, part: str, k: int) -> tuple[NDArray[np.int64], int]:
        """Return the ids of the first k tokens that contain the casefolded `part`, and the number of such tokens.

        Tokens that equal it come first, then those that begin with it, then the others, each ordered by id.
        """
        encoded = part.encode(errors="surrogatepass")
        if not encoded:  # every token begins with an empty string
            return np.argsort(np.diff(self._ends, prepend=0) > 1, kind="stable")[:k], len(self._ends)
        # One match per token: it extends to the end of the token.
        pattern = re.compile(re.escape(encoded) + b"[^" + END + b"]*")
        places = np.fromiter((match.start() for match in pattern.finditer(self._run)), np.int64)
        ids = np.searchsorted(self._ends, places)
        run = np.frombuffer(self._run, np.uint8)
        begins = run[places - 1] == END[0]
        equals = begins & (self._ends[ids] == places + len(encoded))
        return ids[np.argsort(-(begins + 1 * equals), kind="stable")[:k]], len(ids)
