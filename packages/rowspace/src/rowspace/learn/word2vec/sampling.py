"""What a trainer reads, and how it samples: downsampling of frequent words, and negatives, as two distributions.

A kernel compares 32 random bits with a threshold, so each probability is stored as `round(p * (2**32 - 1))`.
"""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["ChunkedCorpus", "Sampler", "alias_table", "keep_probabilities", "make_sampler"]


class ChunkedCorpus(Protocol):
    """Sentences of ids, in chunks that workers read in any order and from several threads.

    `rowspace.text.IdCorpus` is one; others make their ids as they are read.

    Attributes:
        vocabulary: V tokens by falling count.
        counts: (V,) int64, how often each id is read in an epoch; at least 1 each. Negatives are drawn by it.
        words: The number of ids that are read in an epoch, for the progress.
    """

    vocabulary: list[str]
    counts: NDArray[np.int64]
    words: int

    @property
    def num_chunks(self) -> int:
        """The number of chunks of an epoch."""

    def chunk(self, number: int, *, epoch: int) -> NDArray[np.int32]:
        """Return the ids of one chunk, (n,) int32, with a negative id at the end of each sentence.

        The same number and epoch must give the same ids, so that the rows of one worker are reproducible.
        """

    def blocks(self) -> Iterator[NDArray[np.int32]]:
        """Yield some parts of the ids, from which the lengths of sentences are estimated."""


class Sampler(NamedTuple):
    """The distributions in the form that kernels read.

    `keep: (V,)` has the probability that a word is kept. `slots: (n, 3)` is an alias table: draw a slot, then take the
    word in its second column if 32 random bits are at most its first column, else the word in its third.
    """

    keep: NDArray[np.uint32]
    slots: NDArray[np.uint32]


def make_sampler(counts: NDArray[np.int64], *, sample: float, ns_exponent: float) -> Sampler:
    """Return the sampler of a vocabulary whose word i occurred `counts[i]` times."""
    threshold, alias = alias_table(counts.astype(np.float64) ** ns_exponent)
    slots = np.stack([_as_bits(threshold), np.arange(len(counts)), alias], axis=1)
    keep = _as_bits(keep_probabilities(counts, sample=sample))
    return Sampler(keep, np.ascontiguousarray(slots.astype(np.uint32)))


def keep_probabilities(counts: NDArray[np.int64], *, sample: float) -> NDArray[np.float64]:
    """Return the probability that an occurrence of each word is kept, (V,).

    With f the word's relative frequency and t = sample: min(1, sqrt(t / f) + t / f), as in word2vec.c and gensim.

    >>> keep_probabilities(np.array([999_000, 1_000]), sample=0.001).round(3)
    array([0.033, 1.   ])
    """
    if sample == 0:
        return np.ones(len(counts))
    ratio: NDArray[np.float64] = sample * counts.sum() / counts
    return np.minimum(np.sqrt(ratio) + ratio, np.float64(1))


def alias_table(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return thresholds and aliases, each (V,), that draw word i in proportion to `weights[i]` (Vose 1991).

    To draw: take a slot at random, keep it with probability `threshold[slot]`, else take `alias[slot]`.

    >>> alias_table(np.array([3.0, 1.0]))
    (array([1. , 0.5]), array([0, 0], dtype=int32))
    """
    scaled = weights * (len(weights) / weights.sum())
    threshold, alias = np.ones(len(weights)), np.arange(len(weights), dtype=np.int32)
    small, large = np.flatnonzero(scaled < 1).tolist(), np.flatnonzero(scaled >= 1).tolist()
    while small and large:
        slot, donor = small.pop(), large[-1]
        threshold[slot], alias[slot] = scaled[slot], donor
        scaled[donor] -= 1 - scaled[slot]
        if scaled[donor] < 1:
            small.append(large.pop())
    return threshold, alias


def _as_bits(probabilities: NDArray[np.float64]) -> NDArray[np.uint32]:
    return np.round(probabilities * (2**32 - 1)).astype(np.uint32)
