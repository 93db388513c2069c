"""From counts of words to a vocabulary, in which a rule may keep or drop any word, and to Huffman codes."""

import heapq
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.compat.gensim.errors import ArgumentTypeError
from rowspace.compat.gensim.utils import RULE_DEFAULT, RULE_KEEP

__all__ = [
    "HuffmanTree",
    "Selection",
    "TrimRule",
    "count_words",
    "final_min_count",
    "huffman_tree",
    "keeps",
    "prune",
    "select_words",
]

logger = logging.getLogger(__name__)

TrimRule = Callable[[Any, int, int], int]


def keeps(word: Any, count: int, min_count: int, trim_rule: TrimRule | None) -> bool:
    """Return whether a word stays: by the rule, if it decides, or by its count.

    >>> keeps("the", 3, 5, None), keeps("the", 3, 5, lambda word, count, least: RULE_KEEP)
    (False, True)
    """
    decision = RULE_DEFAULT if trim_rule is None else trim_rule(word, count, min_count)
    return count >= min_count if decision == RULE_DEFAULT else decision == RULE_KEEP


def prune(counts: Counter[Any], min_reduce: int, trim_rule: TrimRule | None = None) -> None:
    """Remove the words that were seen less than `min_reduce` times, unless the rule decides otherwise."""
    for word in [word for word, count in counts.items() if not keeps(word, count, min_reduce, trim_rule)]:
        del counts[word]


def count_words(
    sentences: Iterable[Iterable[Any]],
    *,
    max_vocab_size: int | None,
    trim_rule: TrimRule | None,
    on_string: Callable[[Any], None],
) -> tuple[Counter[Any], int, int]:
    """Count the words of sentences.

    Args:
        sentences: Lists of words.
        max_vocab_size: Whenever there are more words, the rarest are removed.
        trim_rule: Keeps or removes words then.
        on_string: Called with the first sentence if it is a string, whose characters are counted as words.

    Returns:
        Counts, the number of words, and the number of sentences.

    Raises:
        ArgumentTypeError: A sentence is no list of words.
    """
    counts: Counter[Any] = Counter()
    total, number, min_reduce = 0, 0, 1
    for sentence in sentences:
        if number == 0 and isinstance(sentence, str):
            on_string(sentence)
        words = sentence if isinstance(sentence, (list, tuple, str)) else _listed(sentence)
        try:
            counts.update(words)
        except TypeError as error:
            raise ArgumentTypeError(
                f"sentence {number} is not a list of words: {error}; give lists of strings"
            ) from error
        total += len(words)
        number += 1
        if max_vocab_size and len(counts) > max_vocab_size:
            prune(counts, min_reduce, trim_rule)
            min_reduce += 1
    return counts, total, number


def _listed(sentence: Any) -> list[Any]:
    try:
        return list(sentence)
    except TypeError as error:
        raise ArgumentTypeError(f"a sentence is of type {type(sentence).__name__}; give lists of strings") from error


def final_min_count(counts: Mapping[Any, int], max_final_vocab: int | None) -> int:
    """Return the least count with which at most `max_final_vocab` words are left.

    >>> final_min_count({"a": 5, "b": 3, "c": 3}, 2)
    4
    """
    if not max_final_vocab or max_final_vocab >= len(counts):
        return 1
    return sorted(counts.values(), reverse=True)[max_final_vocab] + 1


@dataclass(frozen=True)
class Selection:
    """The words that stay, in the order in which they were first seen, and what was dropped."""

    kept: dict[Any, int]
    dropped: int
    all_words: int

    @property
    def total(self) -> int:
        """Occurrences of the words that stay."""
        return sum(self.kept.values())


def select_words(counts: Mapping[Any, int], min_count: int, trim_rule: TrimRule | None) -> Selection:
    """Return the words of `counts` that stay."""
    kept = {word: count for word, count in counts.items() if keeps(word, count, min_count, trim_rule)}
    return Selection(kept, len(counts) - len(kept), sum(counts.values()))


class HuffmanTree(NamedTuple):
    """The path of each word from the root: those of word w are `starts[w]` to `starts[w + 1]`.

    `points` are the inner nodes, numbered from 0, and `codes` which child follows.
    """

    starts: NDArray[np.int64]  # (V + 1,)
    points: NDArray[np.int32]
    codes: NDArray[np.uint8]


def huffman_tree(counts: NDArray[np.integer]) -> HuffmanTree:
    """Return the tree of V words with these counts, with V - 1 inner nodes; the root is the last.

    Source: Huffman (1952); hierarchical softmax by Morin & Bengio (2005), as in word2vec (Mikolov et al. 2013).

    >>> tree = huffman_tree(np.array([5, 2, 1]))
    >>> [tree.codes[tree.starts[w] : tree.starts[w + 1]].tolist() for w in range(3)]
    [[1], [0, 1], [0, 0]]
    """
    size = len(counts)
    heap = [(int(count), node) for node, count in enumerate(counts)]
    heapq.heapify(heap)
    parent, code = np.zeros(2 * size, np.int64), np.zeros(2 * size, np.uint8)
    for node in range(size, 2 * size - 1):
        (low, left), (high, right) = heapq.heappop(heap), heapq.heappop(heap)
        parent[left], parent[right], code[right] = node, node, 1
        heapq.heappush(heap, (low + high, node))
    root, starts = 2 * size - 2, np.zeros(size + 1, np.int64)
    points, codes = list[int](), list[int]()
    for word in range(size):
        path, node = [], word
        while node != root:
            path.append((int(parent[node]) - size, int(code[node])))
            node = int(parent[node])
        points += [point for point, _ in reversed(path)]
        codes += [bit for _, bit in reversed(path)]
        starts[word + 1] = len(points)
    return HuffmanTree(starts, np.array(points, np.int32), np.array(codes, np.uint8))
