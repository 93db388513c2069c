"""Compile the kernels of the neighbor search, so that a first search does not have to wait.

`scripts/setup` runs `python -m rowspace.space.warm`; compiled code is cached on disk (`rowspace._base.jit`).
"""

import numpy as np

from rowspace.space.neighbors import FEW_QUERIES, nearest

__all__ = ["warm"]


def warm() -> None:
    """Run each kernel once; this is fast if all kernels are compiled."""
    single = np.eye(FEW_QUERIES + 1, 2, dtype=np.float32)
    for rows in (single, single.astype(np.float64)):
        mapped = rows.copy()
        mapped.setflags(write=False)  # rows of a saved table are read-only, which is another type for Numba
        for some in (rows, mapped):
            nearest(rows, some, 1)


if __name__ == "__main__":
    warm()
    print("kernels of searches are compiled")
