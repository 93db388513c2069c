"""Two tables with words in common: the second one is the first one rotated, with other words and counts."""

import numpy as np
import pytest
from scipy.stats import ortho_group

from rowspace.table import Table
from rowspace.text import WordTokenizer

WORDS = [f"word{number}" for number in range(60)]


@pytest.fixture
def first():
    rows = np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32)
    return Table(WORDS[:50], rows, np.arange(100, 50, -1), tokenizer=WordTokenizer(WORDS[:50]).to_json())


@pytest.fixture
def rotation():
    return ortho_group.rvs(8, random_state=0)


@pytest.fixture
def second(first, rotation):
    """The words 10 to 59 in reverse order: 40 are shared, with the rows of the first table in other axes."""
    words = WORDS[:9:-1]
    own = np.random.default_rng(1).normal(size=(10, 8))
    rows = np.concatenate([own, np.asarray(first[words[10:]] @ rotation)]).astype(np.float32)
    return Table(words, rows, np.arange(50, 0, -1), tokenizer=WordTokenizer(words).to_json())
