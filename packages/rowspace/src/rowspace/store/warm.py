"""Compile every kernel of the readers and writers, so that the first load does not have to wait.

`python -m rowspace.store.warm` writes and reads a table of two words; Numba caches the compiled code.
"""

import tempfile
from pathlib import Path

import numpy as np

from rowspace.store.kernels import has_odd_number
from rowspace.store.model_formats import fasttext
from rowspace.store.text_formats import tsv, word2vec, word2vec_text
from rowspace.subwords.hashing import Subwords
from rowspace.table import Table

__all__ = ["warm"]


def warm() -> None:
    """Run each kernel once; returns at once if all are compiled."""
    rows = np.eye(2, dtype=np.float32)
    table = Table(["a", "é"], rows)
    has_odd_number(np.zeros(4, np.uint8))  # of a row before a word that may be shifted
    with_ngrams = Table(["a", "é"], rows, subwords=Subwords(rows, rows, np.zeros(1, np.int32)))
    with tempfile.TemporaryDirectory() as folder:
        for kind, name in ((word2vec, "v.bin"), (word2vec_text, "v.vec"), (tsv, "vectors.tsv")):
            kind.save(table, Path(folder, name))
            kind.load(Path(folder, name))
        fasttext.save(with_ngrams, Path(folder, "m.bin"))
        fasttext.load(Path(folder, "m.bin"))


if __name__ == "__main__":
    warm()
    print("kernels of files are compiled")
