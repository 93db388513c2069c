"""From counts of words to a vocabulary: rare words are dropped, a rule may keep or drop any word."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rowspace.compat.gensim.errors import ArgumentTypeError

__all__ = [
    "RULE_DEFAULT",
    "RULE_DISCARD",
    "RULE_KEEP",
    "Selection",
    "TrimRule",
    "count_words",
    "final_min_count",
    "keeps",
    "prune",
    "select_words",
]

logger = logging.getLogger(__name__)

RULE_DEFAULT, RULE_DISCARD, RULE_KEEP = 0, 1, 2  # what a trim rule returns, in gensim's numbers

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
