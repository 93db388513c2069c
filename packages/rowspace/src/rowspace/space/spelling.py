"""Tokens of a vocabulary with a spelling similar to a given one.

A first pass over the vocabulary, in NumPy, finds the tokens that share the most letters; only those are compared by the
exact, slow `difflib`.
"""

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import chain

import numpy as np
from numpy.typing import NDArray

__all__ = ["nearest_spellings"]

CUTOFF = 0.6
"""The minimum ratio of `difflib`; difflib's default."""

SHORTLIST = 200
"""The number of tokens that are compared exactly."""

CHUNK = 50_000
"""Tokens processed together, which bounds the memory."""


def nearest_spellings(token: str, vocabulary: Sequence[str], limit: int = 4) -> list[str]:
    """Return at most `limit` tokens with a spelling similar to `token`, best first; ties go to the lower id.

    Case is ignored, so that "paris" finds "Paris" first. Similarity is the ratio of difflib's `SequenceMatcher`, 0.6 or
    more, of the 200 tokens that share the most letters.

    >>> nearest_spellings("kat", ["the", "cat", "Kate", "dog"])
    ['Kate', 'cat']
    """
    target = token.casefold()
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(target)
    found = []
    for row in _shortlist(target, vocabulary):
        matcher.set_seq1(vocabulary[row].casefold())
        if (ratio := matcher.ratio()) >= CUTOFF:
            found.append((-ratio, row))
    return [vocabulary[row] for _, row in sorted(found)[:limit]]


def _shortlist(target: str, vocabulary: Sequence[str]) -> list[int]:
    """Return the ids of the tokens that share the most letters with `target`."""
    chunks = [_sharing(target, vocabulary, start) for start in range(0, len(vocabulary), CHUNK)]
    ids = np.fromiter(chain.from_iterable(ids for ids, _ in chunks), np.int64)
    shares = np.fromiter(chain.from_iterable(shares for _, shares in chunks), np.float64)
    return [int(row) for row in ids[np.argsort(-shares, kind="stable")[:SHORTLIST]]]


def _sharing(target: str, vocabulary: Sequence[str], start: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return ids of one chunk and their share of common letters, which is never below difflib's ratio."""
    # 2 * shared / (sum of the lengths) >= CUTOFF needs the other length within these bounds.
    least, most = len(target) * CUTOFF / (2 - CUTOFF), len(target) * (2 - CUTOFF) / CUTOFF
    folded = [token.casefold() for token in vocabulary[start : start + CHUNK]]
    kept = [row for row, token in enumerate(folded) if least <= len(token) <= most]
    if not kept or not target:
        return np.empty(0, np.int64), np.empty(0)
    tokens = np.array([folded[row] for row in kept])
    letters = tokens.view(np.uint32).reshape(len(kept), -1).T.astype(np.uint32, order="C")  # (length, n)
    shared = sum(
        np.minimum((letters == ord(letter)).sum(0, dtype=np.int16), times) for letter, times in Counter(target).items()
    )
    share = 2 * shared / (len(target) + np.fromiter(map(len, tokens.tolist()), np.int64))
    near = share >= CUTOFF
    return (np.asarray(kept, np.int64) + start)[near], share[near]
