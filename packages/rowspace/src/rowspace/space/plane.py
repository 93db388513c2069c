"""`Plane`: the plane through three points, and how much of any other point's offset lies in it.

The fourth corner b - a + c of an analogy's parallelogram lies in the plane through a, b and c, so a drawing in it shows
the complete parallelogram; `shares` is how much of every other point it shows.
"""

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rowspace.errors import UsageError

__all__ = ["Plane"]

Vectors = NDArray[np.float64]

FLAT = 1e-12
"""A smaller relative remainder of an offset counts as rounding: the three points lie on one line."""


@dataclass(frozen=True, eq=False)
class Plane:
    """The plane through `origin` (d,) along two orthonormal `axes` (2, d); a row of zeros is a missing axis.

    >>> plane = Plane.through([0, 0, 0], [2, 0, 0], [1, 1, 0])
    >>> plane.coordinates([[2, 0, 0], [1, 1, 0], [3, 4, 12]])
    array([[2., 0.],
           [1., 1.],
           [3., 4.]])
    >>> plane.shares([[1, 1, 0], [3, 4, 12]]).round(3)
    array([1.   , 0.385])
    """

    origin: Vectors
    axes: Vectors

    @classmethod
    def through(cls, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> "Plane":
        """Return the plane through three points (d,): `a` is the origin, `b` on the first axis, `c` to its left.

        For points on one line, or in one dimension, an axis is zeros.

        Raises:
            UsageError: the points have different widths, or have NaN or infinity.
        """
        points = [np.asarray(point, np.float64) for point in (a, b, c)]
        if points[0].ndim != 1 or any(point.shape != points[0].shape for point in points):
            raise UsageError(f"a, b and c must be (d,) with the same width d, got {[point.shape for point in points]}")
        if not np.isfinite(points).all():
            raise UsageError("a, b and c must be finite, but one of them has NaN or infinity")
        origin, ahead, aside = points
        along = _direction(ahead - origin, np.zeros_like(origin))
        return cls(origin, np.stack([along, _direction(aside - origin, along)]))

    def coordinates(self, points: ArrayLike) -> Vectors:
        """Return the orthogonal projection of `points` (n, d) onto the plane, (n, 2)."""
        with np.errstate(invalid="ignore"):  # a point with infinity becomes NaN
            return self._offsets(points) @ self.axes.T

    def shares(self, points: ArrayLike) -> Vectors:
        """Return the share of each point's distance from the origin that lies in the plane, (n,) for `points` (n, d).

        It is 1 for a point in the plane, and 0 for a point orthogonal to it.
        """
        within = np.linalg.norm(self.coordinates(points), axis=1)
        lengths = np.linalg.norm(self._offsets(points), axis=1)
        shares = np.divide(within, lengths, out=np.ones_like(within), where=lengths != 0)
        return cast(Vectors, np.minimum(1, shares))

    def _offsets(self, points: ArrayLike) -> Vectors:
        array = np.asarray(points, np.float64)
        if array.ndim != 2 or array.shape[1] != len(self.origin):
            raise UsageError(f"points must be (n, {len(self.origin)}), got {array.shape}")
        return array - self.origin


def _direction(vector: Vectors, along: Vectors) -> Vectors:
    """Return the unit vector of the part of `vector` orthogonal to `along`; zeros if it is only rounding."""
    rest = vector
    for _ in range(2):  # again, to remove the rounding error
        rest = rest - float(rest @ along) * along
    length = float(np.linalg.norm(rest))
    return np.zeros_like(rest) if length <= FLAT * np.linalg.norm(vector) else rest / length
