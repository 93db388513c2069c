"""The arrays that learning works on, by name, and how they are made: aligned rows, a plan, each worker's scratch.

Read `kernels.py` for what happens to them.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.learn.lanes import WIDTH
from rowspace.learn.options import FitOptions
from rowspace.ngrams import list_ngrams

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
    "empty_weights",
    "list_used",
    "make_plan",
    "make_scratch",
    "make_weights",
    "seed_random",
]

Rows = NDArray[np.float32]
Ids = NDArray[np.int64]

GROUP = 6  # output rows held in registers at once: the word and five drawn ones
TOGETHER = 3  # windows of CBOW that share their negatives and how far they reach: the kernels are written for three
COPIED_WORDS = 512  # the most frequent ones: six in ten of the words that are kept, with sample=1e-3
PATIENCE = 8  # times that a worker learns a word in its copy before it tells the others

TABLE_SIZE, TABLE_REACH = 4096, 8  # functions of a score are read from a table, within 1e-3, flat beyond its ends
SLOTS_PER_UNIT = TABLE_SIZE / (2 * TABLE_REACH)

NO_ROWS: Rows = np.zeros((0, WIDTH), np.float32)

CACHE_LINE = 64  # bytes
ROWS_AT_ONCE = 4096  # that first values are drawn for
LONGEST_SENTENCE = 4096  # kept words; a longer sentence is cut


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
    context: Ids  # (2 * window,): rows of a window's neighbours
    edges: Ids  # (8,): rows of words that only some of CBOW's windows have; see `lay_windows`
    pulls: NDArray[np.float32]  # (TOGETHER,): how far each of CBOW's windows and its word are pulled together
    counts: Ids  # (TOGETHER,): how many neighbours each of CBOW's windows has
    targets: Ids  # (n,): the windows' words, then their negatives, then padding to a whole number of groups
    gradients: Rows  # (neighbours or windows, GROUP): scores, and then the steps that they call for
    steps: NDArray[np.float32]  # the same memory, flat
    hidden: Rows  # (TOGETHER, columns): CBOW's averages, moved
    before: Rows  # likewise, as they were
    windows: Ids  # 0, 1, ... TOGETHER - 1: the rows of `hidden`
    logistic: NDArray[np.float32]  # (TABLE_SIZE + 1,) of scores from -TABLE_REACH to TABLE_REACH
    softplus: NDArray[np.float32]  # likewise
    tally: NDArray[np.float64]  # (2,): pairs learned, and their summed loss
    copies: Copies


def list_used(vocabulary: Sequence[str], counts: Ids, options: FitOptions) -> Ngrams:
    """The n-grams of a vocabulary, without rows yet: only buckets that it uses get one, the most used ones first."""
    if not options.subwords:
        return no_ngrams()
    listed = list_ngrams(vocabulary, min_n=options.min_n, max_n=options.max_n, buckets=options.buckets)
    buckets, places = np.unique(listed.values, return_inverse=True)
    used = np.bincount(places, np.repeat(counts, np.diff(listed.starts)), len(buckets))
    order = np.argsort(-used, kind="stable")
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return Ngrams(NO_ROWS, buckets[order].astype(np.int64), listed.starts, ranks[places])


def no_ngrams() -> Ngrams:
    """What stands for n-grams where there are none."""
    return Ngrams(NO_ROWS, np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0, np.int32))


def make_weights(vocabulary_size: int, options: FitOptions, ngrams: Ngrams | None = None) -> Weights:
    """Input rows and n-grams' uniform in ±0.5/dim (word2vec.c), output rows zero."""
    weights = empty_weights(vocabulary_size, options, ngrams)
    generator = np.random.default_rng(options.seed)
    for rows in (weights.inputs[:vocabulary_size], weights.ngrams.rows):
        for start in range(0, len(rows), ROWS_AT_ONCE):
            some = rows[start : start + ROWS_AT_ONCE, : options.dim]
            some[:] = (generator.random(some.shape, dtype=np.float32) - np.float32(0.5)) / np.float32(options.dim)
    return weights


def empty_weights(vocabulary_size: int, options: FitOptions, ngrams: Ngrams | None = None) -> Weights:
    """Rows of zeros, with room for each worker's copies."""
    rows = vocabulary_size + options.threads * (1 + _copied_words(vocabulary_size, options))
    columns = _columns(options)
    listed = ngrams or no_ngrams()
    listed = listed._replace(rows=_aligned_zeros(len(listed.buckets), columns))
    return Weights(_aligned_zeros(rows, columns), _aligned_zeros(rows, columns), listed, vocabulary_size)


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
        subwords=options.subwords,
        together=_together(options),
        window=options.window,
        shrink=options.shrink_windows,
        negatives=_drawn(options),
        mean=options.cbow_mean,
        exact=options.cbow_gradient == "exact",
        alpha=alpha,
        alpha_end=alpha_end,
    )


def _drawn(options: FitOptions) -> int:
    """How many negatives are drawn at a time: CBOW's are to do for several windows, and so fill whole groups."""
    return -(-options.negatives // GROUP) * GROUP if options.model == "cbow" else options.negatives


def _together(options: FitOptions) -> int:
    return TOGETHER if options.model == "cbow" else 1


def make_scratch(vocabulary_size: int, options: FitOptions, *, worker: int = 0) -> Scratch:
    """The memory of one worker, 0 to options.threads - 1."""
    is_cbow = options.model == "cbow"
    targets = TOGETHER + _drawn(options) if is_cbow else -(-(1 + options.negatives) // GROUP) * GROUP
    gradients = np.zeros((max(TOGETHER, 2 * options.window), GROUP), np.float32)
    copies = _make_copies(vocabulary_size, options, worker)
    columns = _columns(options)
    composed = _composed(options)
    scores = np.linspace(-TABLE_REACH, TABLE_REACH, TABLE_SIZE + 1)
    return Scratch(
        random=np.ones(1, np.uint64),
        sentence=np.zeros(LONGEST_SENTENCE, np.int64),
        slots=np.arange(LONGEST_SENTENCE) & (composed - 1),
        composed=_aligned_zeros(composed + 1, columns),
        formed=_aligned_zeros(composed, columns),
        context=np.zeros(2 * options.window, np.int64),
        edges=np.zeros(8, np.int64),
        pulls=np.zeros(TOGETHER, np.float32),
        counts=np.zeros(TOGETHER, np.int64),
        targets=np.full(targets, copies.padding, np.int64),
        gradients=gradients,
        steps=gradients.reshape(-1),
        hidden=_aligned_zeros(TOGETHER, columns),
        before=_aligned_zeros(TOGETHER, columns),
        windows=np.arange(TOGETHER),
        logistic=(1 / (1 + np.exp(-scores))).astype(np.float32),
        softplus=np.log1p(np.exp(scores)).astype(np.float32),
        tally=np.zeros(2),
        copies=copies,
    )


def _composed(options: FitOptions) -> int:
    """How many words are held composed: a power of two that the widest window fits into."""
    return 1 << (2 * options.window + TOGETHER).bit_length() if options.subwords else 1


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
