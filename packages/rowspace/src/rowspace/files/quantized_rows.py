"""Rows in fewer bits: int8 with a scale for each row, one bit for each number, or codes of product quantization.

`rowspace.space` computes them from rows; `decode` gives the rows that they stand for, (V, d) float32.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["BinaryRows", "Int8Rows", "ProductRows", "QuantizedRows", "part_of_column"]


@dataclass(frozen=True, eq=False)
class Int8Rows:
    """A row is its codes times its scale.

    Attributes:
        codes: (V, d) int8, from -127 to 127.
        scales: (V,) float32.

    >>> Int8Rows(np.array([[127, -1]], np.int8), np.array([0.5], np.float32)).decode()
    array([[63.5, -0.5]], dtype=float32)
    """

    codes: NDArray[np.int8]
    scales: NDArray[np.float32]

    @property
    def nbytes(self) -> int:
        """The size in bytes."""
        return self.codes.nbytes + self.scales.nbytes

    def decode(self) -> NDArray[np.float32]:
        """Return the rows, (V, d)."""
        return self.codes.astype(np.float32) * self.scales[:, None]


@dataclass(frozen=True, eq=False)
class BinaryRows:
    """A number is plus or minus the scale of its row.

    Attributes:
        bits: (V, d / 8 rounded up) uint8, the most significant bit first; 1 stands for plus.
        scales: (V,) float32.
        dim: The length d of a row.

    >>> BinaryRows(np.array([[0b10100000]], np.uint8), np.array([0.5], np.float32), 3).decode()
    array([[ 0.5, -0.5,  0.5]], dtype=float32)
    """

    bits: NDArray[np.uint8]
    scales: NDArray[np.float32]
    dim: int

    @property
    def nbytes(self) -> int:
        """The size in bytes."""
        return self.bits.nbytes + self.scales.nbytes

    def decode(self) -> NDArray[np.float32]:
        """Return the rows, (V, d)."""
        signs = np.unpackbits(self.bits, axis=1, count=self.dim).astype(np.float32) * 2 - 1
        rows: NDArray[np.float32] = signs * self.scales[:, None]
        return rows


@dataclass(frozen=True, eq=False)
class ProductRows:
    """A row is cut into parts of equal width, the last may be narrower; a part is one of 256 centroids of that part.

    Source: Product Quantization for Nearest Neighbor Search (Jégou, Douze & Schmid, 2011).

    Attributes:
        codes: (V, parts) uint8.
        centroids: (256, d) float32; row k has the k-th centroid of each part.

    >>> centroids = np.zeros((256, 3), np.float32)
    >>> centroids[:2] = [[1, 2, 3], [4, 5, 6]]
    >>> ProductRows(np.array([[1, 0]], np.uint8), centroids).decode()
    array([[4., 5., 3.]], dtype=float32)
    """

    codes: NDArray[np.uint8]
    centroids: NDArray[np.float32]

    @property
    def nbytes(self) -> int:
        """The size in bytes."""
        return self.codes.nbytes + self.centroids.nbytes

    def decode(self) -> NDArray[np.float32]:
        """Return the rows, (V, d)."""
        dim = self.centroids.shape[1]
        part = part_of_column(dim, self.codes.shape[1])
        rows = np.empty((len(self.codes), dim), np.float32)
        for column in range(dim):
            rows[:, column] = self.centroids[self.codes[:, part[column]], column]
        return rows


QuantizedRows = Int8Rows | BinaryRows | ProductRows


def part_of_column(dim: int, parts: int) -> NDArray[np.int64]:
    """Return the part that each column is in, (d,).

    >>> part_of_column(5, 3)
    array([0, 0, 1, 1, 2])
    """
    return np.arange(dim) // -(-dim // parts)
