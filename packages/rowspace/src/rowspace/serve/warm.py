"""Compile the kernels of the server, so that its first start does not have to wait.

`scripts/setup` runs `python -m rowspace.serve.warm`; compiled code is cached on disk (`rowspace._base.jit`).
"""

import numpy as np

from rowspace.serve.embeddings.reply import json_arrays

__all__ = ["warm"]


def warm() -> None:
    """Run each kernel once; this is fast if all kernels are compiled."""
    list(json_arrays(np.ones((1, 1), np.float32)))


if __name__ == "__main__":
    warm()
    print("kernels of the server are compiled")
