"""Feed one reader of binary files with bytes that atheris makes up, led by which lines they reach.

    NUMBA_DISABLE_JIT=1 python tests/fuzz/reader.py fasttext -runs=100000

Begins with small files that the writer of the format makes. The only outcome that is right is a table or a
RowspaceError; anything else ends the run with the bytes that did it. Kernels run as Python, so that a step outside of
an array is an error and not a wrong read. Other arguments are libFuzzer's.
"""

import os
import sys
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path

import atheris
import numpy as np

from rowspace.errors import RowspaceError
from rowspace.subwords.hashing import Subwords
from rowspace.table import Table

SUFFIXES = {"npz": ".npz", "npy": ".npy", "parquet": ".arrow", "safetensors": ".safetensors"}


def tables(kind):
    """Small tables, one with n-grams where the format has them."""
    rows = np.arange(6, dtype=np.float32).reshape(3, 2)
    ngrams = Subwords(rows, rows[:1], np.zeros(3, np.int32)) if kind == "fasttext" else None
    yield Table(["a", "é", "the"], rows, np.array([3, 2, 1]))
    yield Table(["b"], rows[:1], subwords=ngrams)


def fuzz(kind, folder, arguments):
    """Fuzz in this process, which libFuzzer ends."""
    with atheris.instrument_imports(include=["rowspace.files", "rowspace.store"], enable_loader_override=False):
        from rowspace.store import FORMATS

        format = next(known for known in FORMATS if known.name == kind)
        _ = format.reader
    warnings.simplefilter("ignore")
    path, corpus = folder / f"table{SUFFIXES.get(kind, '.bin')}", folder / "corpus"
    corpus.mkdir()
    for number, table in enumerate(tables(kind)):
        format.writer.save(table, path)
        (corpus / str(number)).write_bytes(path.read_bytes())

    def read(data):
        path.write_bytes(data)  # what belongs to it, a vocabulary or a tokenizer, lies beside it
        with suppress(RowspaceError):
            format.reader.load(path)

    atheris.Setup([sys.argv[0], *arguments, f"-artifact_prefix={folder}/", str(corpus)], read)
    atheris.Fuzz()


def main():
    with tempfile.TemporaryDirectory(prefix="rowspace-fuzz-") as folder:
        child = os.fork()
        if child == 0:
            fuzz(sys.argv[1], Path(folder), sys.argv[2:])
        _, status = os.waitpid(child, 0)
    sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
