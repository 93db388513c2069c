"""A small table with a tokenizer of words, and the vectors that it gives."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rowspace as rs
from rowspace.text import whitespace_json

WORDS = [f"word{number}" for number in range(50)]


@pytest.fixture(scope="session")
def words_table() -> rs.Table:
    rows = np.random.default_rng(0).normal(size=(len(WORDS), 24)).astype(np.float32)
    return rs.Table(WORDS, rows, tokenizer=whitespace_json(WORDS))


@pytest.fixture(scope="session")
def words_path(words_table: rs.Table, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("serve") / "words")
    words_table.save(path)
    return path


@pytest.fixture(scope="session")
def mean_vector(words_table: rs.Table) -> Callable[..., np.ndarray]:
    """`mean_vector(ids, dimensions=None)`: the mean of rows, cut and scaled to length 1, by NumPy alone."""

    def mean(ids: list[int], dimensions: int | None = None) -> np.ndarray:
        vector = words_table.rows[ids].mean(axis=0)[:dimensions]
        return vector / np.linalg.norm(vector)

    return mean


@pytest.fixture(scope="session")
def key_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("key") / "key.txt"
    path.write_text("a-key-of-20-letters-\n")
    return path
