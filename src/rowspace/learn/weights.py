"""The arrays that learning works on: aligned rows with their first values, and each worker's scratch.

Read `kernels.py` for what happens to them.
"""

import numpy as np
from numpy.typing import NDArray

from rowspace.learn.kernels import GROUP, RING, TABLE_REACH, TABLE_SIZE, Plan, Scratch, Weights
from rowspace.learn.lanes import WIDTH
from rowspace.learn.options import FitOptions

__all__ = ["make_plan", "make_scratch", "make_weights", "seed_random"]

CACHE_LINE = 64  # bytes
LONGEST_SENTENCE = 4096  # kept words; a longer sentence is cut


def make_weights(vocabulary_size: int, options: FitOptions) -> Weights:
    """Input rows uniform in ±0.5/dim (word2vec.c), output rows zero."""
    weights = empty_weights(vocabulary_size, options.dim)
    values = np.random.default_rng(options.seed).random((vocabulary_size, options.dim), dtype=np.float32)
    weights.inputs[:, : options.dim] = (values - np.float32(0.5)) / np.float32(options.dim)
    return weights


def empty_weights(vocabulary_size: int, dim: int) -> Weights:
    """Rows of zeros, each padded to whole blocks of lanes; the outputs have one row more, for padding."""
    columns = -(-dim // WIDTH) * WIDTH
    return Weights(_aligned_zeros(vocabulary_size, columns), _aligned_zeros(vocabulary_size + 1, columns))


def _aligned_zeros(rows: int, columns: int) -> NDArray[np.float32]:
    """Zeros that start on a cache line, so that no block of lanes crosses one."""
    memory = np.zeros(rows * columns * 4 + CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    return memory[start : start + rows * columns * 4].view(np.float32).reshape(rows, columns)


def make_plan(options: FitOptions, alpha: float, alpha_end: float) -> Plan:
    """The options as one stretch's kernel reads them."""
    return Plan(
        cbow=options.model == "cbow",
        window=options.window,
        shrink=options.shrink_windows,
        negatives=options.negatives,
        mean=options.cbow_mean,
        exact=options.cbow_gradient == "exact",
        alpha=alpha,
        alpha_end=alpha_end,
    )


def make_scratch(vocabulary_size: int, options: FitOptions) -> Scratch:
    """One worker's memory."""
    columns = -(-options.dim // WIDTH) * WIDTH
    targets = -(-(1 + options.negatives) // GROUP) * GROUP
    gradients = np.zeros((2 * options.window, GROUP), np.float32)
    scores = np.linspace(-TABLE_REACH, TABLE_REACH, TABLE_SIZE + 1)
    return Scratch(
        random=np.ones(1, np.uint64),
        sentence=np.zeros(LONGEST_SENTENCE, np.int64),
        context=np.zeros(2 * options.window, np.int64),
        targets=np.full((RING, targets), vocabulary_size, np.int64),
        gradients=gradients,
        steps=gradients.reshape(-1),
        hidden=_aligned_zeros(2, columns),
        alone=np.zeros(1, np.int64),
        logistic=(1 / (1 + np.exp(-scores))).astype(np.float32),
        softplus=np.log1p(np.exp(scores)).astype(np.float32),
        tally=np.zeros(2),
    )


def seed_random(scratch: Scratch, *parts: int) -> None:
    """Start the generator from what names a stretch (seed, epoch, place), so that any stretch can be learned alone."""
    state = np.random.SeedSequence(parts).generate_state(1, np.uint64)
    scratch.random[0] = state[0] | np.uint64(1)
