"""The options of a fit, and whether there is something to learn: what fits on one machine and on several share."""

import dataclasses
import warnings
from collections.abc import Mapping
from typing import Any

from rowspace._base.options import check_option_names
from rowspace.errors import CorpusError, CorpusWarning, UsageError
from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.sampling import keep_probabilities
from rowspace.learn.word2vec.state import FitState
from rowspace.text import WORDS_ONLY, IdCorpus, TextOptions, TokenizerOptions

__all__ = [
    "refuse_if_nothing_to_learn",
    "refuse_if_nothing_was_learned",
    "refuse_other_options",
    "split_options",
    "text_settings",
]

# Expected numbers of kept words: below the first, none are neighbors; above the second, some are.
SURELY_NONE, SURELY_SOME = 1e-3, 100.0


def text_settings(text: TextOptions, tokens: TokenizerOptions) -> dict[str, Any]:
    """Return how the text is read and tokenized, without options that do not apply to these tokens."""
    read = dataclasses.asdict(text)
    used = {name: read[name] for name in read if tokens.is_words or name not in WORDS_ONLY}
    return used | tokens.settings() | {"same_tokens_again": tokens.repeats}


def split_options(keywords: dict[str, Any]) -> tuple[TextOptions, TokenizerOptions, FitOptions]:
    """Distribute options over the three dataclasses; `workers` belongs to the first and the last."""
    kinds = (TextOptions, TokenizerOptions, FitOptions)
    names = [{field.name for field in dataclasses.fields(kind)} for kind in kinds]
    check_option_names("fit", keywords, *kinds)
    keywords = {name: value for name, value in keywords.items() if (name, value) != ("workers", None)}
    text, tokens, options = (
        kind(**{name: keywords[name] for name in keywords.keys() & own}) for kind, own in zip(kinds, names, strict=True)
    )
    tokens.refuse_word_options(keywords)
    return text, tokens, options


def refuse_other_options(before: Mapping[str, Any], now: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Raise `UsageError` if a given option is not that of the interrupted fit; `workers` may differ.

    Args:
        before: The settings of the interrupted fit.
        now: Those of the options that are given.
        given: These options.
    """
    for name, value in given.items():
        if value is not None and name != "workers" and before.get(name) != now[name]:
            earlier = f"{name}={before[name]!r}" if name in before else f"no {name}"
            raise UsageError(f"the interrupted fit has {earlier}, not {now[name]!r}; omit the option to resume")


def refuse_if_nothing_to_learn(ids: IdCorpus, options: FitOptions, min_count: int) -> None:
    """Raise `CorpusError` if there is only one distinct token, or `sample` drops all words."""
    if len(ids.vocabulary) < 2:
        raise CorpusError(
            f"the text has only one distinct token, {ids.vocabulary[0]!r:.60}, but learning needs at least two; give "
            f"more text{', or a lower min_count' * (min_count > 1)}"
        )
    if _kept_words(ids, options) < SURELY_NONE:
        raise CorpusError(
            f"sample={options.sample:g} drops all words of the text, so there is nothing to learn; give a larger "
            "value, or 0 to keep all words"
        )


def refuse_if_nothing_was_learned(ids: IdCorpus, state: FitState) -> None:
    """Raise `CorpusError` if many words were kept but none had a neighbor; with few words, which is chance, warn."""
    if any(state.losses):
        return
    if _kept_words(ids, state.options) > SURELY_SOME:
        raise CorpusError(
            "no sentence of the text has two words, so there was nothing to learn; give longer sentences, or a lower "
            "min_count"
        )
    warnings.warn(
        "nothing was learned, and the rows are random: no two words of a sentence were left by "
        f"sample={state.options.sample:g}, which drops frequent words; give more text, or sample=0 to keep all words",
        CorpusWarning,
        stacklevel=2,
    )


def _kept_words(ids: IdCorpus, options: FitOptions) -> float:
    """Return the expected number of words that `sample` keeps, over all epochs."""
    return options.epochs * float(keep_probabilities(ids.counts, sample=options.sample) @ ids.counts)
