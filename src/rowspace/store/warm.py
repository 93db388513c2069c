"""Compile every kernel of the readers and writers, so that a first load does not have to wait.

`python -m rowspace.store.warm` writes and reads a table of two words; compiled code is kept (`rowspace.jit`).
"""

import tempfile
from pathlib import Path

import numpy as np

from rowspace.store import tsv, word2vec, word2vec_text
from rowspace.table import Table

__all__ = ["warm"]


def warm() -> None:
    """Run each kernel once; takes no time where all are compiled already."""
    table = Table(["a", "é"], np.eye(2))
    with tempfile.TemporaryDirectory() as folder:
        for kind, name in ((word2vec, "v.bin"), (word2vec_text, "v.vec"), (tsv, "vectors.tsv")):
            kind.save(table, Path(folder, name))
            kind.load(Path(folder, name))


if __name__ == "__main__":
    warm()
    print("kernels of files are compiled")
