"""The passages of an index on the plane of their first two principal components, and where a question lies there."""

from collections import OrderedDict
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.search import Index, PassageVectors
from rowspace.space import Projection, pca

__all__ = ["MAX_ON_MAP", "PassageMap", "passage_map"]

MAX_ON_MAP = 20_000
_KEPT = 2  # maps, each of 8 MB where passages have 100 numbers

_maps: "OrderedDict[tuple[str, str, int, int], PassageMap]" = OrderedDict()  # the least recently used first
_lock = Lock()


class PassageMap(NamedTuple):
    """Passages on a map.

    Attributes:
        paths, chunks, first_lines: As in `PassageVectors`.
        projection: The projection of their vectors.
    """

    paths: list[str]
    chunks: NDArray[np.int32]
    first_lines: NDArray[np.int32]
    projection: Projection

    def place(self, vector: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return where a vector (d,) lies: (2,); empty for zeros, which have no direction."""
        if not np.any(vector):
            return np.zeros(0)
        wide = np.pad(vector, (0, len(self.projection.mean) - len(vector)))
        found: NDArray[np.float64] = (wide - self.projection.mean) @ self.projection.components.T
        return found


def passage_map(index: Index, limit: int = MAX_ON_MAP) -> PassageMap:
    """Return the map of an index with at most so many passages, computed once for each of its versions."""
    key = (index.path, index.settings.fingerprint, index.version, limit)
    with _lock:
        if key not in _maps:
            _maps[key] = _project(index.vectors(limit=limit))
            while len(_maps) > _KEPT:
                _maps.popitem(last=False)
        _maps.move_to_end(key)
        return _maps[key]


def _project(found: PassageVectors) -> PassageMap:
    vectors = np.where(found.vectors.any(axis=1, keepdims=True), found.vectors, np.nan)  # a passage without tokens
    if not np.isfinite(vectors).any():
        raise UsageError("no passage has a token with a row in this table; choose another table")
    if vectors.shape[1] == 1:
        vectors = np.pad(vectors, ((0, 0), (0, 1)))
    return PassageMap(found.paths, found.chunks, found.first_lines, pca(vectors))
