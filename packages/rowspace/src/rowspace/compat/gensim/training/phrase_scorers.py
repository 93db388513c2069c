"""How the phrases of `Phrases` are scored, and by which names scorers are saved."""

import inspect
import math
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

from rowspace.errors import FileFormatError, UsageError

__all__ = ["Scorer", "checked_scorer", "npmi_scorer", "original_scorer", "scorer_name", "scorer_of"]

NEGATIVE_INFINITY = float("-inf")
SCORER_ARGUMENTS = {"worda_count", "wordb_count", "bigram_count", "len_vocab", "min_count", "corpus_word_count"}
Scorer = Callable[..., float]


def original_scorer(
    worda_count: int, wordb_count: int, bigram_count: int, len_vocab: int, min_count: int, corpus_word_count: int
) -> float:
    """Return (bigram_count - min_count) * len_vocab / (worda_count * wordb_count).

    Source: Mikolov et al. (2013), "Distributed Representations of Words and Phrases and their Compositionality".

    >>> original_scorer(2, 3, 4, len_vocab=30, min_count=1, corpus_word_count=100)
    15.0
    """
    try:
        return (bigram_count - min_count) / worda_count / wordb_count * len_vocab
    except ZeroDivisionError:
        return NEGATIVE_INFINITY


def npmi_scorer(
    worda_count: int, wordb_count: int, bigram_count: int, len_vocab: int, min_count: int, corpus_word_count: int
) -> float:
    """Return the normalized pointwise mutual information of two words, from -1 to 1; -infinity for a rare pair.

    Source: Bouma (2009), "Normalized (Pointwise) Mutual Information in Collocation Extraction".

    >>> round(npmi_scorer(2, 2, 2, len_vocab=30, min_count=1, corpus_word_count=100), 3)
    1.0
    """
    if bigram_count < min_count or 0 in (worda_count, wordb_count, bigram_count, corpus_word_count):
        return NEGATIVE_INFINITY
    together = bigram_count / corpus_word_count
    apart = worda_count / corpus_word_count * wordb_count / corpus_word_count
    return math.log(together / apart) / -math.log(together) if together < 1 else 1.0


SCORERS: dict[str, Scorer] = {"default": original_scorer, "npmi": npmi_scorer}


def checked_scorer(scoring: str | Scorer) -> Scorer:
    """Return the function of a name, or a function that takes the arguments of a scorer.

    Raises:
        UsageError: It is neither.
    """
    if isinstance(scoring, str):
        if scoring not in SCORERS:
            raise UsageError(f"scoring must be 'default', 'npmi' or a function, got {scoring!r}")
        return SCORERS[scoring]
    if not callable(scoring) or not _takes_counts(scoring):
        raise UsageError(f"scoring must be a function of {', '.join(sorted(SCORER_ARGUMENTS))}, got {scoring!r}")
    return scoring


def scorer_name(scorer: Scorer) -> str:
    """Return the name by which a scorer is saved: that of gensim, or "module:function".

    >>> scorer_name(npmi_scorer)
    'npmi'
    """
    known = [name for name, function in SCORERS.items() if function is scorer]
    return known[0] if known else f"{scorer.__module__}:{scorer.__qualname__}"


def scorer_of(name: str) -> Scorer:
    """Return a scorer by its name; nothing is imported for it, and it must have the arguments of one.

    Raises:
        FileFormatError: Its module is not imported, or has no such function.
    """
    if name in SCORERS:
        return SCORERS[name]
    module, _, attribute = name.partition(":")
    function = getattr(sys.modules.get(module), attribute, None)
    if not isinstance(function, FunctionType) or not _takes_counts(function):
        raise FileFormatError(f"the scorer {name!r} of the file is not defined here; give the function as scoring=")
    return function


def _takes_counts(function: Callable[..., Any]) -> bool:
    return set(inspect.signature(function).parameters) >= SCORER_ARGUMENTS
