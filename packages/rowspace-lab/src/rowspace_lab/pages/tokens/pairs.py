"""The figures of merges learned from a text: the merges, and all pairs of adjacent tokens after any of them."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from rowspace_lab.experiments import Merge, trace_training
from rowspace_lab.pages.tokens.replies import AdjacentPairs

Pair = tuple[str, str]


def words_of(text: str) -> list[str]:
    """Split a text at white space, so that no merge crosses a space."""
    return text.split()


def whole_text(text: str) -> list[str]:
    """Return the text as one unit, so that merges cross spaces."""
    return [text]


def learned_merges(*, text: str, across: bool) -> list[Merge]:
    """Learn byte-pair merges from a text alone, within words or across spaces."""
    return list(trace_training(text, 1000, split=whole_text if across else words_of))


def count_pairs(words: Sequence[Sequence[str]]) -> list[tuple[Pair, int]]:
    """Count the pairs of adjacent tokens, the most frequent first, the first in the text for equal counts."""
    return Counter(pair for word in words for pair in pairwise(word)).most_common()


def join_pair(word: Sequence[str], pair: Pair) -> list[str]:
    """Join a pair wherever it occurs, from left to right."""
    tokens: list[str] = []
    position = 0
    while position < len(word):
        size = 2 if tuple(word[position : position + 2]) == pair else 1
        tokens.append("".join(word[position : position + size]))
        position += size
    return tokens


def pairs_figure(*, text: str, across: bool, step: int) -> AdjacentPairs:
    """Merge the most frequent pair `step` times, and count all pairs of adjacent tokens that are left."""
    words = [list(unit) for unit in (whole_text(text) if across else words_of(text))]
    done, pairs = 0, count_pairs(words)
    while done < step and pairs and pairs[0][1] >= 2:
        words = [join_pair(word, pairs[0][0]) for word in words]
        done, pairs = done + 1, count_pairs(words)
    return {
        "step": done,
        "pairs": [pair for pair, _ in pairs],
        "counts": np.array([count for _, count in pairs], np.int64),
        "num_tokens": sum(map(len, words)),
        "num_pairs": sum(count for _, count in pairs),
    }
