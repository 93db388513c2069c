"""The vectors of an index: unit vectors of passages, each encoded with its name."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.validate import check_whole_number
from rowspace.search.store import ChunkStore
from rowspace.space import unit_rows

__all__ = ["PassageVectors", "passage_text", "read_vectors", "unit_vectors"]


class PassageVectors(NamedTuple):
    """The vectors of passages, and which passages they are.

    Attributes:
        paths: The file of each.
        chunks: (n,) its number in the file, from 0.
        first_lines: (n,) its first line.
        vectors: (n, d) float32 of length 1.
    """

    paths: list[str]
    chunks: NDArray[np.int32]
    first_lines: NDArray[np.int32]
    vectors: NDArray[np.float32]


def passage_text(name: str, text: str) -> str:
    r"""Return what is encoded of a passage: its name and its text.

    >>> passage_text("Install", "Use pip."), passage_text("", "Use pip.")
    ('Install\nUse pip.', 'Use pip.')
    """
    return f"{name}\n{text}" if name else text


def unit_vectors(vectors: NDArray[Any]) -> NDArray[np.float32]:
    """Return rows of length 1; a row of zeros, or one that is not finite, becomes zeros.

    Args:
        vectors: (n, d) floating.

    Returns:
        (n, d) float32.

    >>> unit_vectors(np.array([[3.0, 4.0], [0.0, 0.0]])).round(2).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    return np.nan_to_num(unit_rows(np.asarray(vectors, np.float32))).astype(np.float32)


def read_vectors(store: ChunkStore, limit: int | None = None) -> PassageVectors:
    """Return the vectors of an index.

    Args:
        store: The index.
        limit: Return at most this many, at equal distances.

    Raises:
        UsageError: If the limit is not a whole number.
    """
    if limit is not None:
        check_whole_number("limit", limit, 0, 2**63 - 1)
    columns, count = ["path", "chunk", "first_line", "vector"], store.count()
    if limit is None or count <= limit:
        table = store.read(columns=columns)
    else:
        table = store.take([number * count // limit for number in range(limit)], columns=columns)
    vectors = table["vector"].combine_chunks().flatten().to_numpy()
    return PassageVectors(
        table["path"].to_pylist(),
        table["chunk"].to_numpy(),
        table["first_line"].to_numpy(),
        vectors.reshape(-1, store.settings.dim),
    )
