"""Fuzz one reader of a binary format with atheris, guided by coverage.

    NUMBA_DISABLE_JIT=1 python tests/fuzz/reader.py fasttext -runs=100000

The initial corpus is small files saved by rowspace. The only correct outcomes are a table and a RowspaceError; anything
else ends the run and saves the input. Kernels run as Python, so that an index out of bounds raises an error instead of
reading wrong memory. Further arguments are passed to libFuzzer.
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
    """Yield small tables, one of them with n-grams for fastText."""
    rows = np.arange(6, dtype=np.float32).reshape(3, 2)
    ngrams = Subwords(rows, rows[:1], np.zeros(3, np.int32)) if kind == "fasttext" else None
    yield Table(["a", "é", "the"], rows, np.array([3, 2, 1]))
    yield Table(["b"], rows[:1], subwords=ngrams)


def fuzz(kind, folder, arguments):
    """Fuzz in this process; libFuzzer exits it at the end."""
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
        path.write_bytes(data)  # a vocabulary or tokenizer file is next to it
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
