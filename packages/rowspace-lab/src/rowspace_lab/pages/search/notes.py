"""The routes of the notes of the lesson on search: the notes for a question, all questions, and two notes."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from rowspace.encode import Encoder, cosine_shares
from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace_lab.lab import Lab
from rowspace_lab.pages.search.replies import (
    NotePair,
    NotePairReply,
    NoteQuestions,
    NoteQuestionsReply,
    RankedNotes,
    RankedNotesReply,
)
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown
from rowspace_lab.shared.notes import NAMED, NOTES, OTHER_WORDS, places, score_notes, words_of

__all__ = ["ROUTES"]

FIRST = OTHER_WORDS[13][0]


def notes(lab: Lab, query: Query) -> RankedNotesReply:
    """`text` → the places of all notes by vectors, by words and by both."""
    _check(lab.table)
    figure = partial(notes_figure, text=query.text("text", FIRST))
    return {**figure(lab.table), "code": shown(lab, figure)}


def questions(lab: Lab, _: Query) -> NoteQuestionsReply:
    """Return the place of the right note for each question."""
    _check(lab.table)
    figure = partial(questions_figure)
    return {**lab.cached("search/questions", lambda: figure(lab.table)), "code": shown(lab, figure)}


def pair(lab: Lab, query: Query) -> NotePairReply:
    """`one`, `other` → what each word of a note adds to the cosine with another note, for two poolings."""
    _check(lab.table)
    last = len(NOTES) - 1
    one, other = query.integer("one", 0, low=0, high=last), query.integer("other", 5, low=0, high=last)
    if one == other:
        raise UsageError("these are one and the same note; choose two notes")
    if lab.table.counts is None:
        raise UsageError("this table has no counts, so frequent words get no smaller weights; choose English words")
    figure = partial(pair_figure, one=one, other=other)
    return {**figure(lab.table), "code": shown(lab, figure)}


def notes_figure(table: Table, *, text: str) -> RankedNotes:
    """Rank the notes for a question; a place of 0 is that of a note whose score is not above 0."""
    found = score_notes(table, [text])
    asked = set(words_of(text))
    right = dict(OTHER_WORDS + NAMED).get(text)
    return {
        "query": text,
        "notes": list(NOTES),
        "right": right,
        "shared": [[word for word in dict.fromkeys(words_of(note)) if word in asked] for note in NOTES],
        "cosines": found.cosines[0],
        "bm25": found.bm25[0],
        "by_words": places(found.by_words)[0],
        "by_vectors": places(found.by_vectors)[0],
        "by_both": places(found.by_both)[0],
    }


def questions_figure(table: Table) -> NoteQuestions:
    """Find the place of the note that answers each question."""
    asked, right = zip(*OTHER_WORDS, *NAMED, strict=True)
    found, each = score_notes(table, asked), np.arange(len(asked))
    return {
        "asked": list(asked),
        "named": [question in dict(NAMED) for question in asked],
        "by_words": places(found.by_words)[each, right],
        "by_vectors": places(found.by_vectors)[each, right],
        "by_both": places(found.by_both)[each, right],
    }


def pair_figure(table: Table, *, one: int, other: int) -> NotePair:
    """Divide the cosine of two notes among the words of the first one, without and with weights for frequent words."""
    mean, weighted = (Encoder(table, pooling=pooling, normalize=True) for pooling in ("mean", "sif"))
    rows, light = (encoder.token_rows(NOTES[one]) for encoder in (mean, weighted))
    shares, small = (
        cosine_shares(encoder.encode([NOTES[other]])[0], found.rows)
        for encoder, found in ((mean, rows), (weighted, light))
    )
    return {
        "notes": list(NOTES),
        "words": [NOTES[one][begin:end].strip() for begin, end in rows.spans.tolist()],
        "mean_shares": shares,
        "weighted_shares": small,
        "mean": float(shares.sum()),
        "weighted": float(small.sum()),
    }


def _check(table: Table) -> None:
    if table.tokenizer is None and table.subwords is None:
        raise UsageError("this table has no tokenizer, so it cannot turn notes into vectors; choose English words")


ROUTES: Mapping[str, Any] = {"search/notes": notes, "search/questions": questions, "search/pair": pair}
