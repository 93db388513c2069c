"""The arrays that the kernels work on, by name: rows, a plan, each worker's scratch."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "HALF_WAY",
    "SLOTS_PER_UNIT",
    "SYNC_EVERY",
    "TABLE_REACH",
    "TABLE_SIZE",
    "TARGETS_PER_TILE",
    "WINDOWS_PER_BATCH",
    "Copies",
    "Fixed",
    "Ids",
    "Mask",
    "Ngrams",
    "Plan",
    "Private",
    "Rows",
    "Scratch",
    "Uses",
    "Weights",
]

Rows = NDArray[np.float32]
Ids = NDArray[np.int64]
Mask = NDArray[np.bool_] | None
Uses = NDArray[np.int32]

TARGETS_PER_TILE = 6  # output rows held in registers at once: the word and five drawn ones
WINDOWS_PER_BATCH = 3  # windows of CBOW with the same negatives and reach; the kernels are written for three
SYNC_EVERY = 8  # times that a worker learns a word in its copy before it merges the copy

HALF_WAY = 10  # steps in which a row is taken to go half of the way to its optimum; see `add_to_row`

TABLE_SIZE, TABLE_REACH = 4096, 8  # functions of a score are read from a table, within 1e-3, flat beyond its ends
SLOTS_PER_UNIT = TABLE_SIZE / (2 * TABLE_REACH)


class Ngrams(NamedTuple):
    """Which n-grams each word is made of, and their rows; without n-grams all is empty."""

    rows: Rows  # (B, columns)
    buckets: Ids  # (B,): which bucket each row is of
    indptr: Ids  # (V + 1,): where each word's begin in `indices`
    indices: NDArray[np.int32]  # rows of n-grams, word by word


class Fixed(NamedTuple):
    """Which rows no step moves: masks of all rows, the copies too.

    A mask that is None, or empty, fixes no row. The kernels are compiled without a test where all three are None.
    """

    inputs: Mask
    outputs: Mask
    ngrams: Mask


class Weights(NamedTuple):
    """What is learned: V rows each, then for each worker a row for "no word", and its copies.

    Rows are padded with zeros to a multiple of sixteen columns.
    """

    inputs: Rows  # (V + workers * (1 + copied words), columns): the first V are the words' own rows
    outputs: Rows  # likewise: what inputs are scored against
    ngrams: Ngrams
    size: int  # V
    fixed: Fixed


class Plan(NamedTuple):
    """How one chunk is learned."""

    cbow: bool
    subwords: bool
    windows_per_batch: int  # windows that are learned at a time
    window: int
    shrink: bool
    negatives: int  # drawn at a time
    mean: bool
    exact: bool
    alpha: float  # at the start of the chunk
    alpha_end: float


class Copies(NamedTuple):
    """One worker's copies of the rows that all workers would write at once: those of the first words of the table."""

    words: int  # how many; 0 for a worker that is alone
    padding: int  # the row for "no word", which stays 0
    first_row: int  # the row of word 0's copy
    inputs: Rows  # (words, columns): the copied rows at their last merge
    outputs: Rows  # likewise
    updates_until_sync: (
        Ids  # (words + 1,): how often a word is learned until its copy is merged; the last one counts all other words
    )


class Private(NamedTuple):
    """The private rows of the parts of a chunk; see `private.py`. All parts have the same arrays.

    Rows of words are numbered as those of the weights; the arrays about them begin at the first row after the table's.
    """

    part: int  # whose rows these are
    word_rows: Uses  # (parts, V): each part's copy of a word's rows, -1 if it has none
    words: Uses  # (parts * (1 + part_words),): the word of each private row
    input_uses: Uses  # likewise: how often the word was a neighbor; 0 if only its output row is private
    output_uses: Uses  # likewise: how often the word was a target
    ngram_rows: Uses  # (parts, B): likewise for n-grams
    ngrams: Uses  # (parts * part_ngrams,)
    ngram_uses: Uses
    used: NDArray[np.int64]  # (parts, 8): how many rows of words, and of n-grams, each part has
    piece: int  # ids that a part learns in a round
    pool: Uses  # (parts, n): the words from which the negatives of a piece are drawn
    part_words: int  # how many rows of words a part can have, after its row for "no word"
    part_ngrams: int
    most_words: int  # different words that a sentence can have, with its negatives
    most_ngrams: int


class Scratch(NamedTuple):
    """One worker's memory, made once so that the loops allocate nothing."""

    random: NDArray[np.uint64]  # (1,) state of the generator, never 0
    sentence: Ids  # (most words of a sentence,) rows of the words that were kept
    composed_rows: Ids  # likewise: the rows of `composed` that the words take in turn
    composed: Rows  # (n + 1, columns): the words around, each the mean of its own row and its n-grams', updated; zeros
    composed_before: Rows  # likewise, before their updates
    context: Ids  # (2 * window,): rows of a window's neighbors
    edges: Ids  # (8,): rows of words that only some of CBOW's windows have; see `lay_out_windows`
    own_word_steps: NDArray[np.float32]  # (WINDOWS_PER_BATCH,): the step of each window's own word
    counts: Ids  # (WINDOWS_PER_BATCH,): how many neighbors each of CBOW's windows has
    targets: Ids  # (n,): the windows' words, then their negatives, then padding to a whole number of tiles
    gradients: Rows  # (neighbors or windows, TARGETS_PER_TILE): scores, and then the steps that they call for
    steps: NDArray[np.float32]  # the same memory, flat
    hidden: Rows  # (WINDOWS_PER_BATCH, columns): CBOW's averages, updated
    hidden_before: Rows  # likewise, before their updates
    windows: Ids  # 0, 1, ... WINDOWS_PER_BATCH - 1: the rows of `hidden`
    logistic: NDArray[np.float32]  # (TABLE_SIZE + 1,) of scores from -TABLE_REACH to TABLE_REACH
    softplus: NDArray[np.float32]  # likewise
    tally: NDArray[np.float64]  # (2,): pairs learned, and their summed loss
    copies: Copies
    private: Private | None  # None unless the fit is deterministic
