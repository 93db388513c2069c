"""The numbers of lesson 6: analogies on Small world and on everyday words, and where they fail."""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from rowspace import space
from rowspace.table import Table
from rowspace_lab.lessons.computed.requirements import require_words
from rowspace_lab.lessons.computed.tables import everyday_words, small_world
from rowspace_lab.lessons.computed.written import picked
from rowspace_lab.lessons.question import Question, choice, slider
from rowspace_lab.pages.analogies.relations import relations_figure
from rowspace_lab.tables.small_world import small_world_sentences, swap_words
from rowspace_lab.tables.world import world_choice

__all__ = ["antonyms", "arrows", "first_answer", "inputs_left_in", "nearer", "parallel", "riddle", "swapped", "world"]

RIDDLES = (
    ("man", "king", "woman", "queen"),
    ("france", "paris", "italy", "rome"),
    ("japan", "tokyo", "germany", "berlin"),
    ("good", "better", "bad", "worse"),
)
"""Analogies a : b as c : d."""
ARROWS = (
    ("king queen", "man woman"),
    ("boy girl", "man woman"),
    ("father mother", "king queen"),
    ("man king", "man woman"),
    ("woman queen", "king queen"),
    ("prince princess", "boy girl"),
)
"""Pairs of arrows of Small world: three that are nearly parallel, two that are not, and one that is."""
ANTONYMS = (
    ("good", "bad", "great"),
    ("high", "low", "tall"),
    ("buy", "sell", "purchase"),
    ("early", "late", "soon"),
    ("rich", "poor", "wealthy"),
    ("strong", "weak", "powerful"),
)
"""A word, its antonym and a word of similar meaning."""


def world() -> Mapping[str, Any]:
    """Return the size of Small world, and the mean cosine of its words with their nearest neighbors."""
    table = small_world()
    nearest = space.nearest(table.rows, table.rows, 1, exclude=np.arange(len(table))[:, None])[1]
    return {"sentences": len(small_world_sentences()), "words": len(table), "nearest": float(nearest.mean())}


def arrows() -> Mapping[str, float | None]:
    """Return the cosines of arrows from men to women, of mismatched ones, and the angle to the arrows to royalty."""
    gender = [("man", "woman"), ("king", "queen"), ("boy", "girl"), ("father", "mother")]
    royalty = [("man", "king"), ("woman", "queen")]
    found = relations_figure(small_world(), pairs=gender, other=royalty)
    shared = relations_figure(small_world(), pairs=[("man", "woman"), ("man", "king")], other=[])
    degrees = None if shared["mean"] is None else float(np.degrees(np.arccos(shared["mean"])))
    return {
        "cosine": found["mean"],
        "control": found["control"],
        "degrees": found["degrees"],
        "shared_degrees": degrees,
    }


def riddle() -> Mapping[str, Any]:
    """Return the first two answers to king − man + woman on Small world, and how far the first is ahead."""
    (first, score), (second, other) = small_world().analogy("man", "king", "woman", keep_inputs=True, k=2)
    return {"first": first, "score": score, "second": second, "lead": score - other}


@cache
def swapped() -> Mapping[str, Any]:
    """Return the first answer after the words queen and cat have exchanged their sentences."""
    sentences = swap_words(small_world_sentences(), "queen", "cat")
    table = world_choice("\n".join(sentences)).open().table
    ((first, score),) = table.analogy("man", "king", "woman", keep_inputs=True, k=1)
    return {"first": first, "score": score}


def inputs_left_in() -> Mapping[str, Any]:
    """Return the first answers on everyday words with a, b and c in the list."""
    royal = everyday_words().analogy("man", "king", "woman", keep_inputs=True, k=2)
    rome = everyday_words().analogy("france", "paris", "italy", keep_inputs=True, k=4)
    return {
        "first": royal[0][0],
        "first_score": royal[0][1],
        "second": royal[1][0],
        "second_score": royal[1][1],
        "capitals": ", ".join(token for token, _ in rome[:-1]),
        "last": rome[-1][0],
    }


def antonyms() -> Mapping[str, float]:
    """Return the cosine of good with its antonym and with a word of similar meaning, on everyday words."""
    good, bad, great = everyday_words()[list(ANTONYMS[0])].astype(float)
    return {"bad": float(space.cosine(good, bad)), "great": float(space.cosine(good, great))}


def parallel(table: Table, seed: int) -> Question:
    """Ask for the cosine between two arrows."""
    first, second = (tuple(pair.split()) for pair in picked(seed, ARROWS))
    require_words(table, *first, *second)
    answer = partial(arrows_figure, first=first, second=second)
    return slider((-1, 1, 0.05), answer, a=first[0], b=first[1], c=second[0], d=second[1], tolerance=0.15)


def arrows_figure(table: Table, *, first: Sequence[str], second: Sequence[str]) -> Mapping[str, float]:
    """Compute the cosine between two arrows, from the first word of a pair to the second, and the angle."""
    (a, b), (c, d) = table[list(first)].astype(float), table[list(second)].astype(float)
    cosine = float(space.cosine(b - a, d - c))
    return {"answer": cosine, "degrees": float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))}


def first_answer(table: Table, seed: int) -> Question:
    """Ask which word is nearest to b − a + c if a, b and c are in the list."""
    words = picked(seed, RIDDLES)
    require_words(table, *words)
    options = list(words)
    named = dict(zip("abcd", words, strict=True))
    return choice(options, partial(answer_figure, options=options), rows=f"{len(table):,}", **named)


def answer_figure(table: Table, *, options: Sequence[str]) -> Mapping[str, object]:
    """Rank all rows by cosine with b − a + c of the first three words, and find the first of the four."""
    a, b, c, expected = options
    ranked = table.analogy(a, b, c, keep_inputs=True, k=len(table))
    ranks = {token: rank for rank, (token, _) in enumerate(ranked, 1) if token in options}
    best = min(ranks, key=ranks.__getitem__)
    return {
        "answer": options.index(best),
        "rank": ranks[expected],
        "ranks": ", ".join(f"{token} {rank}" for token, rank in ranks.items()),
    }


def nearer(table: Table, seed: int) -> Question:
    """Ask whether a word is nearer to its antonym or to a word of similar meaning."""
    word, opposite, similar = picked(seed, ANTONYMS)
    require_words(table, word, opposite, similar)
    options = [opposite, similar]
    answer = partial(nearer_figure, word=word, options=options)
    return choice(options, answer, word=word, opposite=opposite, similar=similar)


def nearer_figure(table: Table, *, word: str, options: Sequence[str]) -> Mapping[str, float]:
    """Compute the cosines of a word with two others, and which is larger."""
    rows = table[[word, *options]].astype(float)
    cosines = space.cosine(rows[0], rows[1:])
    return {"answer": int(cosines.argmax()), "to_opposite": float(cosines[0]), "to_similar": float(cosines[1])}
