"""Distances between three rows: words of similar meaning have similar rows.

The distance between cat and dog is 0.086, that between cat and the 1.204: fourteen times as large.
"""

import numpy as np

from rowspace import Table
from rowspace.space import cosine, dot, euclidean

rows = np.array([[0.72, -0.41, 0.15], [0.68, -0.38, 0.22], [-0.12, 0.05, 0.88]])
table = Table(["cat", "dog", "the"], rows)

near, far = euclidean(table["cat"], table["dog"]), euclidean(table["cat"], table["the"])
print(f"cat-dog {near:.3f}, cat-the {far:.3f}, ratio {far / near:.1f}")
assert round(float(near), 3) == 0.086
assert round(float(far), 3) == 1.204
assert round(float(far / near)) == 14

# For unit rows distance and cosine are equivalent: |u - v|² = 2 - 2 u·v.
u, v = np.array([1.0, 0.0]), np.array([0.8, 0.6])
assert np.isclose(euclidean(u, v) ** 2, 0.4)

# The dot product depends on the norms; the cosine does not.
a, b = np.array([3.0, 0.0]), np.array([1.0, 0.0])
assert dot(a, b) == 3
assert cosine(a, b) == 1
print("u·v = 0.8 means |u - v|² = 0.4; a = (3, 0) and b = (1, 0): dot 3, cosine 1")
