"""The numbers of the lesson on search: notes about a house, found by their vectors and by their words."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from rowspace.encode import Encoder
from rowspace.encode.options import Pooling
from rowspace.table import Table
from rowspace.text import split_tokens
from rowspace_lab.lessons.computed.written import picked
from rowspace_lab.lessons.question import Question, choice, slider
from rowspace_lab.shared.notes import NAMED, NOTES, OTHER_WORDS, places, score_notes
from rowspace_lab.tables.english import english_table

__all__ = ["alike", "counts", "exercise", "first", "found", "joined", "landlord", "named", "notes", "prompt"]

PAIRS = ((0, 5), (7, 13), (2, 14), (1, 15))
"""Places of two notes on different things."""
ASKED = (
    (10, (8, 5, 9)),
    (13, (15, 5, 4)),
    (3, (2, 15, 12)),
    (11, (1, 0, 9)),
)
"""The place of a question and of its note, and other notes that the reader chooses from."""
PLACES = (3, 5, 2, 4)
"""How many of the first notes count."""


def notes() -> Mapping[str, int]:
    """Return the numbers of notes, and of questions in other words and with names."""
    return {"count": len(NOTES), "other": len(OTHER_WORDS), "named": len(NAMED), "all": len(OTHER_WORDS + NAMED)}


def counts() -> Mapping[str, float]:
    """Return the mean cosine of the vectors of two notes, as means and with small weights for frequent tokens."""
    pairs = np.triu_indices(len(NOTES), 1)
    poolings: dict[str, Pooling] = {"mean": "mean", "weighted": "sif"}
    return {name: float(_cosines(NOTES, NOTES, pooling)[pairs].mean()) for name, pooling in poolings.items()}


def joined() -> Mapping[str, float]:
    """Return the mean and the smallest cosine of a note's vector with that of all notes in one text."""
    cosines = _cosines(NOTES, [" ".join(NOTES)], "mean")
    return {"mean": float(cosines.mean()), "least": float(cosines.min())}


def landlord() -> Mapping[str, float]:
    """Return the cosine of the row of *landlord* with that of *rent*, and its mean with all others."""
    table = english_table()
    others = table.rows @ table["landlord"] / (table.norms * np.linalg.norm(table["landlord"]))
    return {"rent": table.similarity("landlord", "rent"), "others": float(others.mean())}


def named() -> Mapping[str, int]:
    """Return for how many questions with a name the right note is first, by vectors and by words."""
    counted = right_notes(NAMED, 1)
    return {"vectors": counted["answer"], "words": counted["words"]}


def prompt() -> Mapping[str, int]:
    """Return the tokens of three notes, of all of them, and of a handbook of a thousand times as many."""
    tokenizer = Tokenizer.from_str(str(english_table().tokenizer))
    tokens = [len(split_tokens(note, tokenizer)) for note in NOTES]
    return {"three": sum(sorted(tokens)[-3:]), "all": sum(tokens), "handbook": 1000 * sum(tokens)}


def exercise() -> Mapping[str, int]:
    """Return the multiplications and the bytes of a search among a million passages."""
    passages, dim = 1_000_000, 256
    return {"passages": passages, "dim": dim, "products": passages * dim, "bytes": passages * dim * 4}


def alike(table: Table, seed: int) -> Question:
    """Ask for the cosine of the vectors of two notes on different things."""
    places = picked(seed, PAIRS)
    one, other = (NOTES[place] for place in places)
    figure = partial(alike_figure, one=one, other=other)
    place, other_place = places
    return slider((0.0, 1.0, 0.01), figure, tolerance=0.1, one=one, other=other, place=place, other_place=other_place)


def first(table: Table, seed: int) -> Question:
    """Ask which of four notes has the vector nearest to that of a question."""
    place, others = picked(seed, ASKED)
    question, right = OTHER_WORDS[place]
    options = [NOTES[each] for each in sorted((right, *others))]
    return choice(options, partial(first_figure, question=question, notes=options), question=question)


def found(table: Table, seed: int) -> Question:
    """Ask for how many questions the right note is among the first by vectors."""
    k, count = picked(seed, PLACES), len(OTHER_WORDS + NAMED)
    words = {2: "two", 3: "three", 4: "four", 5: "five"}
    return slider((0.0, count, 1.0), partial(found_figure, k=k), tolerance=3, first=words[k], count=count, k=k)


def alike_figure(*, one: str, other: str) -> Mapping[str, float]:
    """Return the cosine of two texts' mean rows, and that with small weights for frequent tokens."""
    cosines = {}
    poolings: dict[str, Pooling] = {"answer": "mean", "weighted": "sif"}
    for name, pooling in poolings.items():
        vectors = Encoder(english_table(), pooling=pooling, normalize=True).encode([one, other])
        cosines[name] = float(vectors[0] @ vectors[1])
    return cosines


def first_figure(*, question: str, notes: Sequence[str]) -> Mapping[str, Any]:
    """Return the place of the note whose vector is nearest to that of a question, its cosine, and the second."""
    encoder = Encoder(english_table(), pooling="sif", normalize=True)
    cosines = encoder.encode(list(notes)) @ encoder.encode([question])[0]
    best, second = (-cosines).argsort()[:2]
    return {"answer": int(best), "cosine": float(cosines[best]), "second": float(cosines[second])}


def found_figure(*, k: int) -> Mapping[str, int]:
    """Return for how many questions the right note is among the first k, by vectors, by words and by both."""
    return right_notes(OTHER_WORDS + NAMED, k)


def right_notes(asked: Sequence[tuple[str, int]], k: int) -> Mapping[str, int]:
    """Return for how many of some questions the right note is among the first k, by vectors, by words and by both."""
    questions, right = zip(*asked, strict=True)
    ranked = score_notes(english_table(), questions)
    counted = {}
    for name, scores in (("answer", ranked.by_vectors), ("words", ranked.by_words), ("both", ranked.by_both)):
        found_at = places(scores)[np.arange(len(right)), right]
        counted[name] = int(((found_at > 0) & (found_at <= k)).sum())
    return counted


def _cosines(texts: Sequence[str], others: Sequence[str], pooling: Pooling) -> NDArray[np.float32]:
    encoder = Encoder(english_table(), pooling=pooling, normalize=True)
    return np.asarray(encoder.encode(list(texts)) @ encoder.encode(list(others)).T)
