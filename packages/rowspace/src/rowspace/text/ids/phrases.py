"""Phrases: neighboring words that occur together more often than their counts let expect (Mikolov et al. 2013).

As in word2phrase, a pair is a phrase if its score reaches a threshold: (count(ab) - min_count) / (count(a) count(b)),
times the number of words of the text. Longer phrases are pairs of phrases and words of the pass before.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.text.ids.id_corpus import IdCorpus
from rowspace.text.ids.kernels import count_pairs, join_pairs, put_pair

__all__ = ["PairCounts", "find_phrases"]

MAX_PAIRS = 1 << 24  # that are counted at once: 270 MB
FULL = 0.7  # of the places of the table


class PairCounts:
    """Counts of pairs of ids in bounded memory.

    When the table is full, the rarest pairs are left out, first those with a count of 1, then those with 2, and so on;
    a pair that returns later starts at 0.

    Args:
        max_pairs: The number of places, a power of two.
    """

    def __init__(self, max_pairs: int = MAX_PAIRS) -> None:
        self.keys = np.full(max_pairs, -1, np.int64)
        self.counts = np.zeros(max_pairs, np.int64)
        self.dropped_up_to = 0

    def add(self, ids: NDArray[np.int32], kept: NDArray[np.bool_]) -> None:
        """Count each pair of neighboring ids `a`, `b` that are not negative, and where `kept[a]` and `kept[b]`."""
        position, used = 1, int((self.keys >= 0).sum())
        limit = int(FULL * len(self.keys))
        while position < len(ids):
            position, used = count_pairs(ids, position, kept, self.keys, self.counts, used, limit)
            if used >= limit:
                used = self._drop()

    def frequent(self, least: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the pairs with at least this count, (n, 2), in order, and their counts, (n,)."""
        found = np.flatnonzero((self.keys >= 0) & (self.counts >= least))
        found = found[np.argsort(self.keys[found])]
        return np.stack([self.keys[found] >> 32, self.keys[found] & 0xFFFFFFFF], axis=1), self.counts[found]

    def _drop(self) -> int:
        """Leave out the rarest pairs until a quarter of the places is free; return how many pairs are left."""
        keys, counts = self.keys[self.keys >= 0], self.counts[self.keys >= 0]
        while len(keys) > FULL / 2 * len(self.keys):
            self.dropped_up_to += 1
            keys, counts = keys[counts > self.dropped_up_to], counts[counts > self.dropped_up_to]
        self.keys[:], self.counts[:] = -1, 0
        for key, count in zip(keys, counts, strict=True):
            put_pair(key, count, self.keys, self.counts)
        return len(keys)


class _Units(NamedTuple):
    """Words and phrases so far: text, number of words and count of each."""

    texts: list[str]
    words: NDArray[np.int64]
    counts: NDArray[np.int64]


def find_phrases(
    corpus: IdCorpus, folder: Path, *, max_words: int, min_count: int, threshold: float, max_pairs: int = MAX_PAIRS
) -> dict[str, float]:
    """Return the phrases of a corpus with their scores, best first.

    Args:
        corpus: All words of the text, rare ones too.
        folder: A folder for a copy of the ids, where phrases have more than two words.
        max_words: The most words of a phrase.
        min_count: The least count of a phrase and of its words.
        threshold: The least score.
        max_pairs: Pairs that are counted at once, a power of two.
    """
    ids, found = np.asarray(corpus.ids()), dict[str, float]()
    units = _Units(list(corpus.vocabulary), np.ones(len(corpus.counts), np.int64), corpus.counts)
    for _ in range(max_words - 1):
        pairs = PairCounts(max_pairs)
        pairs.add(ids, units.counts >= min_count)
        chosen, scores = _choose(pairs, units, max_words, min_count, threshold)
        texts = [f"{units.texts[a]} {units.texts[b]}" for a, b in chosen.tolist()]
        found |= {text: score for text, score in zip(texts, scores.tolist(), strict=True) if text not in found}
        if max_words == 2 or not texts:
            break
        ids, units = _join(ids, units, chosen, texts, folder)
    return dict(sorted(found.items(), key=lambda phrase: (-phrase[1], phrase[0])))


def _choose(
    pairs: PairCounts, units: _Units, max_words: int, min_count: int, threshold: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the pairs that are phrases, (n, 2), and their scores, (n,)."""
    both, counts = pairs.frequent(min_count)
    first, second = both.T
    scores = (counts - min_count) / (units.counts[first] * units.counts[second].astype(np.float64)) * units.counts.sum()
    is_phrase = (scores >= threshold) & (units.words[first] + units.words[second] <= max_words)
    return both[is_phrase], scores[is_phrase]


def _join(
    ids: NDArray[np.int32], units: _Units, chosen: NDArray[np.int64], texts: list[str], folder: Path
) -> tuple[NDArray[np.int32], _Units]:
    """Return the ids with the chosen pairs as units of their own."""
    size = 1 << (2 * len(chosen)).bit_length()
    keys, values = np.full(size, -1, np.int64), np.zeros(size, np.int64)
    for place, (a, b) in enumerate(chosen.tolist()):
        put_pair(np.int64((a << 32) | b), np.int64(len(units.texts) + place), keys, values)
    joined = np.memmap(folder / "ids.phrases", np.int32, "w+", shape=(max(1, len(ids)),))
    written = join_pairs(ids, keys, values, joined)
    words = np.concatenate([units.words, units.words[chosen].sum(axis=1)])
    all_texts = [*units.texts, *texts]
    new = np.array(joined[:written])
    return new, _Units(all_texts, words, np.bincount(new[new >= 0], minlength=len(all_texts)))
