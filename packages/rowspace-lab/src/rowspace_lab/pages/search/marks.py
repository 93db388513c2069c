"""The words of passages that carried their scores, as flat arrays of places in UTF-16 units."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rowspace.search import Evidence
from rowspace_lab.shared.figure import Array

__all__ = ["marks", "utf16_places"]


def marks(found: Sequence[Evidence], terms: int) -> Mapping[str, Array]:
    """Return the marks of passages.

    Args:
        found: Why each passage was found.
        terms: The number of terms of the question.
    """
    spans, matches = [], []
    for why in found:
        places = utf16_places(why.text)
        spans.append(places[why.spans])
        matches.append(np.concatenate([places[why.matches[:, :2]], why.matches[:, 2:]], axis=1))
    return {
        "spans": np.concatenate([np.zeros((0, 2), np.int64), *spans]),
        "shares": np.concatenate([np.zeros(0), *(why.shares for why in found)]).astype(np.float32),
        "span_ends": np.cumsum([len(each) for each in spans], dtype=np.int64),
        "matches": np.concatenate([np.zeros((0, 3), np.int64), *matches]),
        "match_ends": np.cumsum([len(each) for each in matches], dtype=np.int64),
        "scores": np.array([why.scores for why in found], np.float32).reshape(len(found), terms),
    }


def utf16_places(text: str) -> NDArray[np.int64]:
    """Return the number of UTF-16 units before each character, and that of the whole text: (characters + 1,).

    >>> utf16_places("a😀b").tolist()
    [0, 1, 3, 4]
    """
    if text.isascii():
        return np.arange(len(text) + 1)
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.concatenate([[0], np.cumsum(1 + (points > 0xFFFF))])
