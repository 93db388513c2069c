"""A linear probe for a property of words, compared with a control task and with the majority class."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rowspace.table import Table
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler
from rowspace_lab.pages.words.probe_words import NEGATIVE, NOUNS, POSITIVE, VERBS
from rowspace_lab.pages.words.replies import Probed, ProbedReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown

__all__ = ["ROUTES"]

EACH = 1000
"""The largest number of words with the property, and without it, that are probed."""
MIN_EXAMPLES = 5
EXAMPLES = 8
MARKS = ("Ġ", "▁")
PROPERTIES = ("ends-in-s", "ends-in-ing", "capital", "long", "frequent", "noun", "pleasant", "own")
LISTED = {"noun": (NOUNS, VERBS), "pleasant": (POSITIVE, NEGATIVE)}
"""Words with the property and words without it, as texts; all others are left out."""


def probed(lab: Lab, query: Query) -> ProbedReply:
    """Probe the rows for a `property`; "own" is whether a word is one of the words of `own`."""
    figure = partial(
        probed_figure,
        property=query.choice("property", PROPERTIES),
        own=query.text("own", "", max_length=4000).split(),
        seed=query.integer("seed", 0, low=0, high=1_000_000),
    )
    key = ("words/probe", figure.keywords["property"], tuple(figure.keywords["own"]), figure.keywords["seed"])
    return {**lab.cached(key, lambda: figure(lab.table)), "properties": list(PROPERTIES), "code": shown(lab, figure)}


def probed_figure(table: Table, *, property: str, own: Sequence[str], seed: int) -> Probed:
    """Probe a balanced sample: as many words with the property as without it, at most 1000 each."""
    from rowspace.contextual import probe  # needs scikit-learn, which is slow to import

    has = labels_of(table, property, own)
    usable = np.isfinite(table.norms) & (table.norms > 0)
    generator = np.random.default_rng(seed)
    sides = [generator.permutation(np.flatnonzero(usable & (has == label))) for label in (True, False)]
    each = min(EACH, *map(len, sides))
    chosen = np.concatenate([side[:each] for side in sides])
    enough = each >= MIN_EXAMPLES
    score = probe(table.rows[chosen], has[chosen].tolist(), seed=seed) if enough else None
    return {
        "found": [len(side) for side in sides],
        "examples": [[table.vocabulary[int(id)] for id in np.sort(side)[:EXAMPLES]] for side in sides],
        "each": each,
        "fewest": MIN_EXAMPLES,
        "accuracy": None if score is None else score.accuracy,
        "control": None if score is None else score.control,
        "majority": None if score is None else score.majority,
        "train": 0 if score is None else score.train,
        "test": 0 if score is None else score.test,
    }


def labels_of(table: Table, property: str, own: Sequence[str]) -> NDArray[np.int8]:
    """Return 1 for each token with the property, 0 for one without it, and -1 for tokens that are left out, (V,)."""
    if property == "frequent":
        return frequent_or_rare(table)
    words = [token.removeprefix(MARKS[0]).removeprefix(MARKS[1]) for token in table.vocabulary]
    if property in LISTED:
        has, lacks = (set(text.split()) for text in LISTED[property])
        return np.array([1 if word in has else 0 if word in lacks else -1 for word in words], np.int8)
    if property == "own":
        group = set(own)
        return np.array([token in group or word in group for token, word in zip(table, words, strict=True)], np.int8)
    lengths = [len(word) for word in words if word.isalpha()]
    longer_than = float(np.median(lengths)) if lengths else 0.0
    tests: dict[str, Callable[[str], bool]] = {
        "ends-in-s": lambda word: word.endswith("s"),
        "ends-in-ing": lambda word: word.endswith("ing"),
        "capital": lambda word: word[0].isupper(),
        "long": lambda word: len(word) > longer_than,
    }
    return np.array([tests[property](word) if word.isalpha() else -1 for word in words], np.int8)


def frequent_or_rare(table: Table) -> NDArray[np.int8]:
    """Label the most frequent third of the tokens 1, the rarest third 0, and the others -1; all -1 without counts."""
    labels = np.full(len(table), -1, np.int8)
    if table.counts is not None:
        order = np.argsort(np.array(table.counts), kind="stable")
        labels[order[: len(order) // 3]] = 0
        labels[order[len(order) - len(order) // 3 :]] = 1
    return labels


ROUTES: Mapping[str, Handler] = {"words/probe": probed}
