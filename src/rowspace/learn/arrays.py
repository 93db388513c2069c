"""The arrays that learning works on, by name, and how they are made: aligned rows, a plan, each worker's scratch.

Read `kernels.py` for what happens to them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.learn.lanes import WIDTH
from rowspace.learn.options import FitOptions

__all__ = [
    "GROUP",
    "PATIENCE",
    "RING",
    "SLOTS_PER_UNIT",
    "TABLE_REACH",
    "TABLE_SIZE",
    "TOGETHER",
    "Copies",
    "Ids",
    "Plan",
    "Rows",
    "Scratch",
    "Weights",
    "empty_weights",
    "make_plan",
    "make_scratch",
    "make_weights",
    "seed_random",
]

Rows = NDArray[np.float32]
Ids = NDArray[np.int64]

GROUP = 6  # output rows held in registers at once: the word and five drawn ones
TOGETHER = 2  # windows of CBOW that share their negatives
RING = 4  # times that many windows' targets are kept: a power of two above the kernels' AHEAD
COPIED_WORDS = 512  # the most frequent ones: six in ten of the words that are kept, with sample=1e-3
PATIENCE = 8  # times that a worker learns a word in its copy before it tells the others

TABLE_SIZE, TABLE_REACH = 4096, 8  # functions of a score are read from a table, within 1e-3, flat beyond its ends
SLOTS_PER_UNIT = TABLE_SIZE / (2 * TABLE_REACH)

CACHE_LINE = 64  # bytes
ROWS_AT_ONCE = 4096  # that first values are drawn for
LONGEST_SENTENCE = 4096  # kept words; a longer sentence is cut


class Weights(NamedTuple):
    """What is learned: V rows each, then for each worker a row that stands for "no word", and its copies.

    Rows are padded with zeros to a multiple of sixteen columns.
    """

    inputs: Rows  # (V + workers * (1 + copied words), columns): the first V are the rows of the table
    outputs: Rows  # likewise: what inputs are scored against
    size: int  # V


class Plan(NamedTuple):
    """How one stretch is learned."""

    cbow: bool
    together: int  # windows that share their negatives
    window: int
    shrink: bool
    negatives: int
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
    context: Ids  # (TOGETHER, 2 * window): neighbours' rows, window by window
    counts: Ids  # (TOGETHER,): how many neighbours each window has
    targets: Ids  # (RING, n): the windows' words, then their negatives, then padding to a whole number of groups
    gradients: Rows  # (neighbours or windows, GROUP): scores, and then the steps that they call for
    steps: NDArray[np.float32]  # the same memory, flat
    hidden: Rows  # (TOGETHER, columns): CBOW's averages, moved
    before: Rows  # likewise, as they were
    windows: Ids  # 0, 1, ... TOGETHER - 1: the rows of `hidden`
    logistic: NDArray[np.float32]  # (TABLE_SIZE + 1,) of scores from -TABLE_REACH to TABLE_REACH
    softplus: NDArray[np.float32]  # likewise
    tally: NDArray[np.float64]  # (2,): pairs learned, and their summed loss
    copies: Copies


def make_weights(vocabulary_size: int, options: FitOptions) -> Weights:
    """Input rows uniform in ±0.5/dim (word2vec.c), output rows zero."""
    weights = empty_weights(vocabulary_size, options)
    generator = np.random.default_rng(options.seed)
    for start in range(0, vocabulary_size, ROWS_AT_ONCE):
        rows = weights.inputs[start : min(start + ROWS_AT_ONCE, vocabulary_size), : options.dim]
        rows[:] = (generator.random(rows.shape, dtype=np.float32) - np.float32(0.5)) / np.float32(options.dim)
    return weights


def empty_weights(vocabulary_size: int, options: FitOptions) -> Weights:
    """Rows of zeros, with room for each worker's copies."""
    rows = vocabulary_size + options.threads * (1 + _copied_words(vocabulary_size, options))
    columns = _columns(options)
    return Weights(_aligned_zeros(rows, columns), _aligned_zeros(rows, columns), vocabulary_size)


def _copied_words(vocabulary_size: int, options: FitOptions) -> int:
    """How many words each worker has copies of."""
    return min(COPIED_WORDS, vocabulary_size) if options.threads > 1 else 0


def _columns(options: FitOptions) -> int:
    """The length of a row in whole blocks of lanes."""
    return -(-options.dim // WIDTH) * WIDTH


def _aligned_zeros(rows: int, columns: int) -> Rows:
    """Zeros that start on a cache line, so that no block of lanes crosses one."""
    memory = np.zeros(rows * columns * 4 + CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    return memory[start : start + rows * columns * 4].view(np.float32).reshape(rows, columns)


def make_plan(options: FitOptions, alpha: float, alpha_end: float) -> Plan:
    """The options as one stretch's kernel reads them."""
    return Plan(
        cbow=options.model == "cbow",
        together=_together(options),
        window=options.window,
        shrink=options.shrink_windows,
        negatives=options.negatives,
        mean=options.cbow_mean,
        exact=options.cbow_gradient == "exact",
        alpha=alpha,
        alpha_end=alpha_end,
    )


def _together(options: FitOptions) -> int:
    return TOGETHER if options.model == "cbow" else 1


def make_scratch(vocabulary_size: int, options: FitOptions, *, worker: int = 0) -> Scratch:
    """The memory of one worker, 0 to options.threads - 1."""
    grouped = options.negatives if options.model == "cbow" else 1 + options.negatives
    targets = -(-grouped // GROUP) * GROUP + (TOGETHER if options.model == "cbow" else 0)
    gradients = np.zeros((max(TOGETHER, 2 * options.window), GROUP), np.float32)
    copies = _make_copies(vocabulary_size, options, worker)
    scores = np.linspace(-TABLE_REACH, TABLE_REACH, TABLE_SIZE + 1)
    return Scratch(
        random=np.ones(1, np.uint64),
        sentence=np.zeros(LONGEST_SENTENCE, np.int64),
        context=np.zeros((TOGETHER, 2 * options.window), np.int64),
        counts=np.zeros(TOGETHER, np.int64),
        targets=np.full((RING, targets), copies.padding, np.int64),
        gradients=gradients,
        steps=gradients.reshape(-1),
        hidden=_aligned_zeros(TOGETHER, _columns(options)),
        before=_aligned_zeros(TOGETHER, _columns(options)),
        windows=np.arange(TOGETHER),
        logistic=(1 / (1 + np.exp(-scores))).astype(np.float32),
        softplus=np.log1p(np.exp(scores)).astype(np.float32),
        tally=np.zeros(2),
        copies=copies,
    )


def _make_copies(vocabulary_size: int, options: FitOptions, worker: int) -> Copies:
    words, columns = _copied_words(vocabulary_size, options), _columns(options)
    padding = vocabulary_size + worker * (1 + words)
    return Copies(
        words=words,
        padding=padding,
        first=padding + 1,
        inputs=_aligned_zeros(words, columns),
        outputs=_aligned_zeros(words, columns),
        left=np.full(words + 1, PATIENCE, np.int64),
    )


def seed_random(scratch: Scratch, *parts: int) -> None:
    """Start the generator from what names a stretch (seed, epoch, place), so that any stretch can be learned alone."""
    state = np.random.SeedSequence(parts).generate_state(1, np.uint64)
    scratch.random[0] = state[0] | np.uint64(1)
