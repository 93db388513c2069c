"""The rows that make the vector of a text, each with its place in the text, and their shares of a cosine."""

from typing import Any, NamedTuple

import numpy as np
import tokenizers
from numpy.typing import NDArray

from rowspace.encode.unseen import word_spans
from rowspace.text.characters.utf8 import clean

__all__ = ["TokenRows", "cosine_shares", "token_spans"]


class TokenRows(NamedTuple):
    """The rows whose mean (or sum) is the vector of a text before it is normalized.

    Attributes:
        spans: (n, 2) where each token begins and ends in the text, in characters.
        rows: (n, d) its row, with its weight where the pooling has weights.
    """

    spans: NDArray[np.int64]
    rows: NDArray[np.floating[Any]]


def cosine_shares(query: NDArray[np.floating[Any]], rows: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return what each row adds to the cosine of a query and the sum, or mean, of the rows.

    cos(q, Σ r) = Σ (q · r) / (|q| |Σ r|), so that the shares add up to the cosine.

    Args:
        query: (d,).
        rows: (n, d).

    Returns:
        (n,); zeros if the query or the sum of the rows is zero or not finite.

    >>> cosine_shares(np.array([1.0, 0.0]), np.array([[3.0, 0.0], [0.0, 4.0]]))
    array([0.6, 0. ])
    """
    wide, direction = np.asarray(rows, np.float64), np.asarray(query, np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        lengths = np.linalg.norm(direction) * np.linalg.norm(wide.sum(axis=0))
        if not (np.isfinite(lengths) and lengths > 0):
            return np.zeros(len(wide))
        shares: NDArray[np.float64] = wide @ direction / lengths
    return shares


def token_spans(text: str, library: tokenizers.Tokenizer | None) -> NDArray[np.int64]:
    """Return where each token of a text begins and ends, in characters: (n, 2).

    Args:
        text: The text.
        library: The tokenizer; None: the text is split at white space.

    >>> token_spans("a  cat", None).tolist()
    [[0, 1], [3, 6]]
    """
    if library is None:
        found = word_spans(clean(text))
    else:
        found = library.encode(clean(text), add_special_tokens=False).offsets
    return np.array(found, np.int64).reshape(-1, 2)
