"""Random weights that are far from zero."""

from collections.abc import Callable

import numpy as np
import pytest

from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.allocation import empty_weights
from rowspace.learn.word2vec.kernels.arrays import Weights


@pytest.fixture
def random_weights() -> Callable[..., Weights]:
    """`random_weights(dim)` returns weights for 30 words."""

    def draw(dim: int) -> Weights:
        weights, size = empty_weights(30, FitOptions(dim=dim, workers=1)), (30, dim)
        rng = np.random.default_rng(3)
        weights.inputs[:30, :dim] = rng.normal(0, 0.4, size)
        weights.outputs[:30, :dim] = rng.normal(0, 0.4, size)
        return weights

    return draw
