"""The default learning rate, lowered where it would make the fit diverge.

A window updates each of its rows once, with gradients computed before any update. Such a step overshoots when the rate,
times the number of gradients that a row gets in one step, times their curvature, is too large. The curvature depends on
the rows' norms, which converge to similar values on all texts. What remains is the *strength* of a window:

| model | strength |
|---|---|
| skip-gram, and CBOW with sums | `c * m`: an output row gets a gradient from each of `c` neighbors, an input row `m` |
| CBOW with word2vec.c's gradient | `m`: the neighbors' average moves as if each neighbor had moved alone, `m` times |
| CBOW with the exact gradient, n-grams | `m`: n-grams are updated after the last window that contains the word |
| CBOW with the exact gradient, words | 0: the gradient is divided by the number of neighbors |

Here `c` is the number of neighbors of a word after downsampling (`sample`), and `m = 1 + c * k` is how many of them
move the same row, where `k` is the probability that two words of the text are the same, or, with n-grams, the mean
number of n-grams that they share. Wide windows, small vocabularies and few buckets are therefore strong.

The limits of `rate * strength` were measured on English books (150 kB to 1 MB, words and bytes, 1 and 2 workers, dim 4
to 300, 1 to 50 negatives) at the default rates. Skip-gram converged up to 3.5 and diverged from 4.8; CBOW with sums up
to 1.1 and from 1.4; word2vec.c's gradient up to 0.6 and from 1.0; the exact gradient with n-grams up to 2.0 and from
3.4. A default rate above the limit is replaced by the rate at half of the limit. A given rate is never changed.
"""

import dataclasses

import numpy as np
from numpy.typing import NDArray

from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.allocation import MAX_SENTENCE
from rowspace.learn.word2vec.kernels.arrays import Ngrams
from rowspace.learn.word2vec.sampling import ChunkedCorpus, keep_probabilities

__all__ = ["LIMITS", "stable_options", "strength"]

LIMITS = {"skipgram": 4.0, "cbow sum": 1.25, "cbow word2vec": 0.8, "cbow exact": 2.5}
SCALED_TO = 0.5  # of the limit


def stable_options(options: FitOptions, corpus: ChunkedCorpus, ngrams: Ngrams, *, times: float = 1.0) -> FitOptions:
    """Return the options, with a lower `alpha` if the fit would diverge at the default.

    A given `min_alpha` is kept, and `alpha` is not lowered below it.

    Args:
        options: A given `alpha` is kept.
        corpus: The text.
        ngrams: The n-grams of its words.
        times: What the default is multiplied by.
    """
    if options.alpha is not None:
        return options
    default, limit = times * options.learning_rates[0], LIMITS[_family(options)]
    kept = options if times == 1 else dataclasses.replace(options, alpha=default)
    keep = keep_probabilities(corpus.counts, sample=options.sample)
    shared = _shared(corpus.counts * keep, ngrams if options.subwords else None)
    if default * strength(options, _widest(options), shared) <= limit:  # without reading the text
        return kept
    product = default * strength(options, _neighbors(options, _sentence_lengths(corpus, keep)), shared)
    if product <= limit:
        return kept
    alpha = float(f"{default * SCALED_TO * limit / product:.2g}")
    return dataclasses.replace(options, alpha=max(alpha, options.min_alpha or 0.0))


def strength(options: FitOptions, neighbors: float, shared: float) -> float:
    """Return the strength of a window, by the table above.

    >>> strength(FitOptions(), neighbors=10.0, shared=0.1)
    20.0
    >>> strength(FitOptions(model="cbow"), neighbors=10.0, shared=0.1)
    0.0
    """
    repeated = 1 + neighbors * shared
    if options.model == "skipgram" or not options.cbow_mean:
        return neighbors * repeated
    return repeated if options.cbow_gradient == "word2vec" or options.subwords else 0.0


def _family(options: FitOptions) -> str:
    """Return the key of `LIMITS`."""
    if options.model == "skipgram":
        return "skipgram"
    return f"cbow {options.cbow_gradient}" if options.cbow_mean else "cbow sum"


def _shared(used: NDArray[np.float64], ngrams: Ngrams | None) -> float:
    """Return how much of a word's update also moves another word, both drawn in proportion to their use."""
    share = used / used.sum()
    if ngrams is None:
        return float(share @ share)
    counts = np.diff(ngrams.indptr)
    weight = share / (1 + counts)  # a composed row is a mean: the weight of each part
    size = len(ngrams.buckets)
    whole, part = (np.bincount(ngrams.indices, np.repeat(each, counts), size) for each in (share, weight))
    return float(share @ weight + whole @ part)


def _widest(options: FitOptions) -> float:
    """Return the number of neighbors in a text of one infinite sentence."""
    reaches = _reaches(options)
    return float(2 * (reaches**2).sum() / reaches.sum())


def _reaches(options: FitOptions) -> NDArray[np.float64]:
    """Return the sizes of windows, which are equally likely."""
    return np.arange(1.0 if options.shrink_windows else options.window, options.window + 1)


def _neighbors(options: FitOptions, lengths: NDArray[np.float64]) -> float:
    """Return the mean number of neighbors over pairs, so that strong windows have more weight."""
    lengths, times = np.unique(np.round(lengths[lengths >= 1.5]), return_counts=True)
    pairs, squares = 0.0, 0.0
    for reach in _reaches(options):
        cut = np.minimum(reach, lengths - 1)
        in_sentence = cut * (2 * lengths - cut - 1)  # pairs of a word and a neighbor
        pairs += float(in_sentence @ times)
        squares += float((in_sentence**2 / lengths) @ times)
    return squares / pairs if pairs else 0.0


def _sentence_lengths(corpus: ChunkedCorpus, keep: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the expected number of kept words of each sentence, in some parts of the text."""
    found = []
    for block in corpus.blocks():
        kept = np.concatenate([[0.0], np.cumsum(np.where(block >= 0, keep[block], 0.0))])
        ends = np.concatenate([[0], np.flatnonzero(block < 0) + 1, [len(block)]])
        found.append(np.minimum(np.diff(kept[ends]), MAX_SENTENCE))
    return np.concatenate(found)
