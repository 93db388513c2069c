"""Files of texts, what is in a folder of vectors, and functions that workers can import."""

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tests.scale.conftest import WORDS


def write_texts(folder: Path, files: int = 3, rows: int = 50) -> Path:
    """Write Parquet files with an id, a text and a nested column, a file in a folder, and one of lines."""
    folder.mkdir(parents=True, exist_ok=True)
    chance = np.random.default_rng(1)
    for number in range(files):
        texts = [" ".join(chance.choice(WORDS, size=1 + row % 7)) for row in range(rows)]
        table = pa.table({"id": range(rows), "text": texts, "more": [{"tags": [str(row)]} for row in range(rows)]})
        pq.write_table(table, folder / f"part-{number}.parquet", row_group_size=10)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of each file of vectors."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.parquet"))}


class DieOnce:
    """Kills the worker of a part, if it is the first that works on it; returns the process id."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, part):
        try:
            (self.folder / part.name).open("x")
        except FileExistsError:
            return os.getpid()
        os.kill(os.getpid(), 9)
        return None


def always_die(part):
    os.kill(os.getpid(), 9)
