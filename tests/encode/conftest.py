"""An encoder of few words, whose vectors are easy to compute."""

from collections.abc import Callable

import numpy as np
import pytest

from rowspace.encode import Encoder
from rowspace.table import Table
from rowspace.text import whitespace_json

WORDS = ["the", "cat", "sat", "on", "mat", "dog", "é", "안녕"]


def make_encoder(seed: int = 0, dim: int = 6) -> Encoder:
    """Return an encoder with normal rows."""
    rows = np.random.default_rng(seed).normal(size=(len(WORDS), dim)).astype(np.float32)
    return Encoder(Table(WORDS, rows, tokenizer=whitespace_json(WORDS)))


@pytest.fixture
def encoder() -> Encoder:
    return make_encoder()


@pytest.fixture
def encoder_of() -> Callable[..., Encoder]:
    """`encoder_of(seed, dim)` makes another encoder."""
    return make_encoder
