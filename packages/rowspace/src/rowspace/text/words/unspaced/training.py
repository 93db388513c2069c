"""Phrases → runs of characters → the words that they are made of: a unigram model, pruned by its description length.

A word is kept while it shortens the description of the text by more than it costs to spell it. The model is that of
Kudo 2018 ("Subword regularization"), with the best division in place of all; the criterion is that of de Marcken 1996
("Unsupervised language acquisition"). Words that are kept this way are so seldom ambiguous that the longest match finds
nearly the division with the largest probability.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.text.words.unspaced.kernels import alternative, count_words, divide
from rowspace.text.words.unspaced.scripts import (
    HAN,
    HIRAGANA,
    KATAKANA,
    SYLLABIC,
    continues_table,
    opens_table,
    script_table,
)

__all__ = ["Runs", "learn_words", "runs_of"]


class Runs(NamedTuple):
    """Runs of characters, each preceded and followed by a separator.

    Attributes:
        codes: Code points, 0 for a separator: int64 (n,).
        weights: How often the word of each character occurs: int64 (n,).
        begins: Whether a word may begin at each character, or end before it: bool (n,).
        scripts: The kind of script of each character: uint8 (n,).
    """

    codes: NDArray[np.int64]
    weights: NDArray[np.int64]
    begins: NDArray[np.bool_]
    scripts: NDArray[np.uint8]


def runs_of(words: Sequence[bytes], counts: NDArray[np.int64]) -> Runs:
    """Return the runs of words in which no word crosses from one script to another, but from Han to Hiragana.

    Args:
        words: UTF-8.
        counts: How often each occurs: int64 (words,).

    >>> runs = runs_of(["テストを見る".encode(), b"cat"], np.array([2, 1]))
    >>> "".join(chr(code) if code else "|" for code in runs.codes)
    '|テスト|を|見る|'
    """
    text = b"\n".join([*words, b""]).decode()
    codes = np.frombuffer(text.encode("utf-32-le"), "<u4").astype(np.int64)
    ends = np.flatnonzero(codes == ord("\n"))
    weights = np.repeat(counts, np.diff(ends, prepend=-1))
    scripts = script_table()[codes]
    before = np.concatenate([[0], scripts[:-1]])
    changes = (scripts != before) & (scripts > 0) & (before > 0) & ~((before == HAN) & (scripts == HIRAGANA))
    changes &= ~continues_table()[codes]
    kept = (scripts > 0) | np.concatenate([[False], scripts[:-1] > 0])  # a separator behind each run
    place = np.cumsum(kept.astype(np.int64) + changes)  # after the first separator
    total = int(place[-1]) + 1 if place.size else 1
    runs = Runs(
        np.zeros(total, np.int64), np.zeros(total, np.int64), np.ones(total, np.bool_), np.zeros(total, np.uint8)
    )
    is_member = scripts > 0
    places = place[is_member]
    runs.codes[places], runs.weights[places], runs.scripts[places] = (
        codes[is_member],
        weights[is_member],
        scripts[is_member],
    )
    runs.begins[places] = ~continues_table()[codes[is_member]]
    follows = np.concatenate([[False], opens_table()[runs.codes[:-1]]])
    runs.begins[follows & (runs.codes > 0)] = False
    return runs


LONGEST = {HAN: 6, HIRAGANA: 6, KATAKANA: 16, SYLLABIC: 16}  # characters of a word that begins with one of a script
SPELLING = 4.0  # what a character of a word costs, in logarithms of the number of characters
NEIGHBORS = 3  # different characters before and behind a word, unless it is a run by itself
GROWTH = (1, 2, 3, 4, 6, 8, 11, 16, 16, 16)  # characters of the longest words after each round


class _Candidates(NamedTuple):
    """What may be a word: the word of k + 1 characters at each place, and of each word a place and the length."""

    at: NDArray[np.int32]
    places: NDArray[np.int64]
    lengths: NDArray[np.int64]
    counts: NDArray[np.int64]


def learn_words(runs: Runs, *, min_count: int) -> list[str]:
    """Return the words of runs, in no particular order.

    Args:
        runs: The text.
        min_count: How often a word must occur, at least.

    >>> from rowspace.text.words.unspaced.training import runs_of
    >>> pairs = [first + second for first in "我们 他们 老师 学生".split() for second in "学习 喜欢 知道 中文".split()]
    >>> runs = runs_of([pair.encode() for pair in pairs], np.ones(len(pairs), np.int64))
    >>> sorted(word for word in learn_words(runs, min_count=2) if len(word) > 1)
    ['中文', '他们', '喜欢', '学习', '学生', '我们', '知道', '老师']
    """
    found = _candidates(runs, min_count)
    counts = np.where(found.lengths == 1, found.counts, 0)
    for shortest, longest in pairwise(GROWTH):
        is_new = (found.lengths > shortest) & (found.lengths <= longest)
        counts = _count(runs, found, np.where(is_new, found.counts, counts))
        counts[_is_bad(runs, found, counts, min_count)] = 0
    words = [_text(runs, found, word) for word in np.flatnonzero(counts >= min_count).tolist()]
    return [word for word in words if not _is_letter(word)]


def _count(runs: Runs, found: _Candidates, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how often each word is in the division that is best by these counts."""
    sums, back = np.empty(runs.codes.size + 1, np.float64), np.zeros(runs.codes.size + 1, np.int32)
    divide(found.at, _scores(counts, found), runs.begins, (0, runs.codes.size, -1), sums, back)
    counted = np.zeros_like(counts)
    count_words(found.at, runs.weights, back, counted)
    return counted


def _is_bad(runs: Runs, found: _Candidates, counts: NDArray[np.int64], min_count: int) -> NDArray[np.bool_]:
    """Return which words of several characters are too rare, or not worth their spelling beside the others."""
    sums, back = np.empty(runs.codes.size + 1, np.float64), np.zeros(runs.codes.size + 1, np.int32)
    scores, apart = _scores(counts, found), np.zeros(counts.size)
    alternative(found.at, scores, runs.begins, (found.places, found.lengths), sums, back, apart)
    gain = counts * (np.where(counts > 0, scores, 0.0) - apart)
    cost = SPELLING * np.log(max(2, np.unique(runs.codes).size)) * found.lengths
    is_bad: NDArray[np.bool_] = ((counts < min_count) | (gain < cost)) & (found.lengths > 1)
    return is_bad


def _scores(counts: NDArray[np.int64], found: _Candidates) -> NDArray[np.float64]:
    """Return the logarithm of the probability of each word, -inf for those without counts unless of one character."""
    with np.errstate(divide="ignore"):
        floor = np.where(found.lengths == 1, 0.5, 0.0)
        scores: NDArray[np.float64] = np.log(np.maximum(counts, floor) / max(1, counts.sum()))
    return scores


def _candidates(runs: Runs, min_count: int) -> _Candidates:
    """Return all strings that occur at least `min_count` times, next to different characters, and all characters."""
    levels = list(_levels(runs, min_count))
    if not levels:
        levels = [(np.empty(0, np.int64),) * 2]
    at = np.full((len(levels), runs.codes.size), -1, np.int32)
    total, places, lengths, counts = 0, [], [], []
    for index, (where, names) in enumerate(levels):
        at[index, where] = names + total
        first = np.zeros(int(names.max(initial=-1)) + 1, np.int64)
        first[names[::-1]] = where[::-1]
        places.append(first)
        lengths.append(np.full(first.size, index + 1))
        counts.append(np.bincount(names, runs.weights[where], first.size).astype(np.int64))
        total += first.size
    return _Candidates(at, np.concatenate(places), np.concatenate(lengths), np.concatenate(counts))


def _levels(runs: Runs, min_count: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield, for each length, the places of candidates and their numbers, from 0."""
    limits = np.zeros(max(LONGEST) + 1, np.int64)
    limits[[*LONGEST]] = [*LONGEST.values()]
    limits = limits[runs.scripts]
    where = np.flatnonzero((runs.codes > 0) & runs.begins)
    names = np.zeros(where.size, np.int64)
    codes = np.append(runs.codes, 0)
    begins = np.append(runs.begins, True)
    for length in range(1, max(LONGEST.values()) + 1):
        last = codes[where + length - 1]
        inside = (last > 0) & (limits[where] >= length)
        where, names, last = where[inside], names[inside], last[inside]
        if not where.size:
            return
        _, names = np.unique(names << 32 | last, return_inverse=True)
        counts = np.bincount(names, runs.weights[where])
        frequent = (counts >= min_count)[names] if length > 1 else np.ones(where.size, np.bool_)
        where, names = where[frequent], names[frequent]
        chosen = begins[where + length]
        if length > 1:
            chosen &= _has_neighbors(codes, where, length, names)
        _, numbers = np.unique(names[chosen], return_inverse=True)
        yield where[chosen], numbers


def _has_neighbors(
    codes: NDArray[np.int64], where: NDArray[np.int64], length: int, names: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return for each place whether its string has enough different neighbors on each side, as the ends of runs are."""
    alone = (codes[where - 1] == 0) & (codes[where + length] == 0)
    stands_alone = np.bincount(names, alone, int(names.max(initial=0)) + 1) > 0
    enough = np.ones(where.size, np.bool_)
    for beside, other in ((where - 1, where + length), (where + length, where - 1)):
        neighbor = np.where(codes[beside] > 0, codes[beside], -1 - codes[other])
        pairs = np.unique(names << 32 | (neighbor + (1 << 24)))
        enough &= (np.bincount(pairs >> 32, minlength=stands_alone.size) >= NEIGHBORS)[names]
    return enough | stands_alone[names]


def _is_letter(word: str) -> bool:
    """Return whether a word is one letter of a script of syllables, with its marks: the rest of an unknown word."""
    is_syllabic = script_table()[ord(word[0])] == SYLLABIC
    return bool(is_syllabic) and not any(not continues_table()[ord(character)] for character in word[1:])


def _text(runs: Runs, found: _Candidates, word: int) -> str:
    place = int(found.places[word])
    return "".join(map(chr, runs.codes[place : place + int(found.lengths[word])].tolist()))
