"""Words with their counts → the pieces of a unigram model and their scores, as in SentencePiece.

Substrings of the words are the first pieces. Rounds of counting, and of leaving out the pieces that the text needs
least, follow until as many are left as are wanted. Source: Kudo 2018 ("Subword regularization"), with the best division
of each word in place of all.

The trainer of the `tokenizers` library is not used: where punctuation is apart from words, it never finds a piece that
always ends a word, such as "▁and".
"""

from collections import Counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.text.words.unspaced.kernels import alternative, count_words, divide

__all__ = ["learn_pieces"]

LONGEST = 16  # characters of a piece
MAX_PIECES = 1_000_000  # at first
MAX_CHARACTERS = 10_000_000  # of different words; rarer ones have no part, and memory is 100 bytes for each
KEPT = 0.75  # of the pieces in each round
MORE = 1.1  # times the wanted number are left for the last choice, which is by probability
UNSEEN = 0.5  # the count of a character that no best division has


class _Text(NamedTuple):
    """Words, each followed by a separator, and the pieces that are in them.

    Attributes:
        codes: Code points, -1 for a separator: int64 (n,).
        weights: How often the word of each character occurs: int64 (n,).
        at: The piece of k + 1 characters at each place, -1 if there is none: int32 (LONGEST, n).
        places, lengths: Of each piece, where it is first, and its characters: int64 (pieces,).
    """

    codes: NDArray[np.int64]
    weights: NDArray[np.int64]
    at: NDArray[np.int32]
    places: NDArray[np.int64]
    lengths: NDArray[np.int64]


def learn_pieces(words: Counter[str], size: int) -> list[tuple[str, float]]:
    """Return at most `size` pieces with the logarithms of their probabilities, falling.

    All characters of the words are among them; `size` must have room for these.

    >>> pieces = learn_pieces(Counter({"▁lower": 9, "▁low": 9, "▁new": 8, "▁newer": 9}), 10)
    >>> [piece for piece, _ in pieces if len(piece) > 1]
    ['▁low', '▁lower', '▁newer']
    """
    codes, weights = _characters(words)
    text, counts = _substrings(codes, weights)
    scores = _scores(text, counts)
    wanted = int(MORE * size)
    while True:
        for _ in range(2):
            scores = _scores(text, np.where(np.isfinite(scores), _count(text, scores), 0))
        left = int(np.isfinite(scores).sum())
        if left <= wanted:
            break
        scores[np.argsort(-_need(text, scores), kind="stable")[max(wanted, int(KEPT * left)) :]] = -np.inf
    first = np.where(text.lengths == 1, np.inf, scores)
    chosen = np.argsort(-first, kind="stable")[:size]
    chosen = chosen[np.isfinite(scores[chosen])]
    chosen = chosen[np.argsort(-scores[chosen], kind="stable")]
    return [(_piece(text, number), float(scores[number])) for number in chosen.tolist()]


def _characters(words: Counter[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the code points of the most frequent words and the counts of these, with a separator behind each word."""
    chosen, total = list[tuple[str, int]](), 0
    for word, count in words.most_common():
        total += len(word) + 1
        if total > MAX_CHARACTERS:
            break
        chosen.append((word, count))
    lengths = np.fromiter((len(word) for word, _ in chosen), np.int64)
    codes = np.full(int(lengths.sum()) + len(chosen), -1, np.int64)
    places = np.arange(lengths.sum()) + np.repeat(np.arange(len(chosen)), lengths)
    codes[places] = np.frombuffer("".join(word for word, _ in chosen).encode("utf-32-le"), "<u4")
    return codes, np.repeat(np.fromiter((count for _, count in chosen), np.int64), lengths + 1)


def _substrings(codes: NDArray[np.int64], weights: NDArray[np.int64]) -> tuple[_Text, NDArray[np.int64]]:
    """Return the text with all characters and the substrings that occur twice, and the counts of these."""
    at = np.full((LONGEST, codes.size), -1, np.int32)
    padded = np.concatenate([codes, np.full(LONGEST, -1)])
    where = np.flatnonzero(codes >= 0)
    names = np.zeros(where.size, np.int64)
    places, lengths, counts, total = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    for length in range(1, LONGEST + 1):
        last = padded[where + length - 1]
        inside = last >= 0
        where, names = where[inside], names[inside] << 32 | last[inside]
        _, names = np.unique(names, return_inverse=True)
        number = np.bincount(names, weights[where]).astype(np.int64)
        if length > 1:
            frequent = (number > 1)[names]
            where = where[frequent]
            kept, names = np.unique(names[frequent], return_inverse=True)
            number = number[kept]
        if not where.size:
            break
        first = np.zeros(number.size, np.int64)
        first[names[::-1]] = where[::-1]
        at[length - 1, where] = names + total
        total += number.size
        places.append(first)
        lengths.append(np.full(number.size, length))
        counts.append(number)
    text = _Text(codes, weights, at, np.concatenate(places), np.concatenate(lengths))
    found = np.concatenate(counts)
    if found.size > MAX_PIECES:
        worth = np.where(text.lengths == 1, np.inf, found * text.lengths)
        found[np.argsort(-worth, kind="stable")[MAX_PIECES:]] = 0
    return text, found


def _scores(text: _Text, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the logarithm of the probability of each piece: -inf without a count, unless it is a character."""
    with np.errstate(divide="ignore"):
        floored = np.maximum(counts, np.where(text.lengths == 1, UNSEEN, 0.0))
        scores: NDArray[np.float64] = np.log(floored / max(1.0, floored.sum()))
    return scores


def _count(text: _Text, scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how often each piece is in the best division of all words."""
    counts = np.zeros(scores.size, np.int64)
    sums, back = np.empty(text.codes.size + 1), np.zeros(text.codes.size + 1, np.int32)
    divide(text.at, scores, np.ones(text.codes.size, np.bool_), (0, text.codes.size, -1), sums, back)
    count_words(text.at, text.weights, back, counts)
    return counts


def _need(text: _Text, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return by how much the text would be less probable without each piece; infinity for characters."""
    apart = np.zeros(scores.size)
    sums, back = np.empty(text.codes.size + 1), np.zeros(text.codes.size + 1, np.int32)
    begins = np.ones(text.codes.size, np.bool_)
    alternative(text.at, scores, begins, (text.places, text.lengths), sums, back, apart)
    is_left = np.isfinite(scores)
    need = _count(text, scores) * (np.where(is_left, scores, 0) - apart)
    need = np.where(is_left, np.where(apart > scores, -1.0, need), -np.inf)
    return np.where(text.lengths == 1, np.inf, need)


def _piece(text: _Text, number: int) -> str:
    place = int(text.places[number])
    return "".join(map(chr, text.codes[place : place + int(text.lengths[number])].tolist()))
