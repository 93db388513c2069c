"""The arrays that learning works on, by name: rows, a plan, each worker's scratch.

Read `allocation.py` for how they are made, `kernels.py` for what happens to them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "GROUP",
    "PATIENCE",
    "SLOTS_PER_UNIT",
    "TABLE_REACH",
    "TABLE_SIZE",
    "TOGETHER",
    "Copies",
    "Ids",
    "Ngrams",
    "Plan",
    "Rows",
    "Scratch",
    "Weights",
]

Rows = NDArray[np.float32]
Ids = NDArray[np.int64]

GROUP = 6  # output rows held in registers at once: the word and five drawn ones
TOGETHER = 3  # windows of CBOW that share their negatives and how far they reach: the kernels are written for three
PATIENCE = 8  # times that a worker learns a word in its copy before it tells the others

TABLE_SIZE, TABLE_REACH = 4096, 8  # functions of a score are read from a table, within 1e-3, flat beyond its ends
SLOTS_PER_UNIT = TABLE_SIZE / (2 * TABLE_REACH)


class Ngrams(NamedTuple):
    """Which n-grams each word is made of, and their rows; without n-grams all is empty."""

    rows: Rows  # (B, columns)
    buckets: Ids  # (B,): which bucket each row is of
    starts: Ids  # (V + 1,): where each word's begin in `places`
    places: NDArray[np.int32]  # rows of n-grams, word by word


class Weights(NamedTuple):
    """What is learned: V rows each, then for each worker a row that stands for "no word", and its copies.

    Rows are padded with zeros to a multiple of sixteen columns.
    """

    inputs: Rows  # (V + workers * (1 + copied words), columns): the first V are the words' own rows
    outputs: Rows  # likewise: what inputs are scored against
    ngrams: Ngrams
    size: int  # V


class Plan(NamedTuple):
    """How one stretch is learned."""

    cbow: bool
    subwords: bool
    together: int  # windows that are learned at a time
    window: int
    shrink: bool
    negatives: int  # drawn at a time
    mean: bool
    exact: bool
    alpha: float  # at the start of the stretch
    alpha_end: float


class Copies(NamedTuple):
    """One worker's copies of the rows that all workers would write at once: those of the first words of the table."""

    words: int  # how many; 0 for a worker that is alone
    padding: int  # the row that stands for "no word", which stays 0
    first: int  # the row of word 0's copy
    inputs: Rows  # (words, columns): the copied rows as they were when worker and table last agreed
    outputs: Rows  # likewise
    left: Ids  # (words + 1,): how often a word is learned until they agree again; the last counts all other words


class Scratch(NamedTuple):
    """One worker's memory, made once so that the loops allocate nothing."""

    random: NDArray[np.uint64]  # (1,) state of the generator, never 0
    sentence: Ids  # (most words of a sentence,) rows of the words that were kept
    slots: Ids  # likewise: the rows of `composed` that the words take in turn
    composed: Rows  # (n + 1, columns): the words around, each the mean of its own row and its n-grams', moved; zeros
    formed: Rows  # likewise, as they were
    context: Ids  # (2 * window,): rows of a window's neighbors
    edges: Ids  # (8,): rows of words that only some of CBOW's windows have; see `lay_windows`
    pulls: NDArray[np.float32]  # (TOGETHER,): how far each of CBOW's windows and its word are pulled together
    counts: Ids  # (TOGETHER,): how many neighbors each of CBOW's windows has
    targets: Ids  # (n,): the windows' words, then their negatives, then padding to a whole number of groups
    gradients: Rows  # (neighbors or windows, GROUP): scores, and then the steps that they call for
    steps: NDArray[np.float32]  # the same memory, flat
    hidden: Rows  # (TOGETHER, columns): CBOW's averages, moved
    before: Rows  # likewise, as they were
    windows: Ids  # 0, 1, ... TOGETHER - 1: the rows of `hidden`
    logistic: NDArray[np.float32]  # (TABLE_SIZE + 1,) of scores from -TABLE_REACH to TABLE_REACH
    softplus: NDArray[np.float32]  # likewise
    tally: NDArray[np.float64]  # (2,): pairs learned, and their summed loss
    copies: Copies
