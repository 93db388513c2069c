"""Compile the kernels of the encoder, so that a first large call does not have to wait.

`scripts/setup` runs `python -m rowspace.encode.warm`; compiled code is cached on disk (`rowspace._base.jit`).
"""

import numpy as np

from rowspace.encode.pooling import PoolRule, RowPooler, no_rows
from rowspace.encode.texts import FlatIds

__all__ = ["warm_pooling"]


def warm_pooling() -> None:
    """Pool rows of each dtype once; this is fast if the kernels are compiled."""
    rule = PoolRule("mean", keep_unknown=False, count_missing=False, normalize=False)
    for dtype in (np.float16, np.float32, np.float64):
        pooler, out = RowPooler(np.ones((1, 1), dtype)), np.empty((1, 1), np.float32)
        pooler.pool(FlatIds.of([[0]]), no_rows(1), 1, rule.code, out, compiled=True)


if __name__ == "__main__":
    warm_pooling()
    print("kernels of the encoder are compiled")
