"""The numbers of the lesson on search, compared with scikit-learn and with sums written out."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import cosine_similarity
from tests.lessons.asking import ask, run_card

from rowspace_lab.lessons.computed.topics import search as computed
from rowspace_lab.lessons.lesson import LESSONS, lesson
from rowspace_lab.shared.notes import NAMED, NOTES, OTHER_WORDS, bm25
from rowspace_lab.tables.english import english_table

LESSON = next(number for number in LESSONS if lesson(number).module is computed)
FREQUENT = 1e-3
"""A token with this share of all text counts half."""


def vectors(texts: list[str] | tuple[str, ...], *, weighted: bool) -> np.ndarray:
    """The mean rows of texts in float64, token by token."""
    table = english_table()
    assert table.counts is not None
    shares = table.counts / table.counts.sum()
    found = []
    for text in texts:
        ids = [table.id(word) for word in re.findall(r"\w+|'", text.lower()) if word in table]
        weights = FREQUENT / (FREQUENT + shares[ids]) if weighted else np.ones(len(ids))
        found.append((weights[:, None] * table.rows[ids].astype(float)).sum(0) if ids else np.zeros(table.dim))
    return np.array(found)


def test_cosines_are_those_of_mean_and_weighted_rows() -> None:
    pairs = np.triu_indices(len(NOTES), 1)
    for name, weighted in (("mean", False), ("weighted", True)):
        expected = cosine_similarity(vectors(NOTES, weighted=weighted))[pairs].mean()
        assert_allclose(computed.counts()[name], expected, atol=0.01)
    whole = cosine_similarity(vectors(NOTES, weighted=False), vectors([" ".join(NOTES)], weighted=False))
    assert_allclose(computed.joined()["mean"], whole.mean(), atol=0.01)
    table = english_table()
    found = cosine_similarity(table.rows, table.rows[[table.id("landlord")]])[:, 0]
    assert_allclose(computed.landlord()["rent"], found[table.id("rent")], rtol=1e-5)
    assert_allclose(computed.landlord()["others"], found.mean(), atol=1e-3)


def test_bm25_is_the_sum_over_the_words_of_the_question() -> None:
    # Three texts of 2, 2 and 4 words. "tea" is in two of them, "milk" in one.
    scores = bm25(["tea milk rum", "ale"], ["tea milk", "cold ale", "tea tea with rice"])
    tea, milk = np.log(1 + 1.5 / 2.5), np.log(1 + 2.5 / 1.5)
    short, long = 1.2 * (0.25 + 0.75 * 2 / (8 / 3)), 1.2 * (0.25 + 0.75 * 4 / (8 / 3))
    assert_allclose(scores[0], [(tea + milk) * 2.2 / (1 + short), 0, tea * 2 * 2.2 / (2 + long)])
    assert_allclose(scores[1], [0, milk * 2.2 / (1 + short), 0])


def test_questions_in_other_words_share_no_rare_word_and_named_ones_do() -> None:
    for question, place in OTHER_WORDS:
        shared = set(re.findall(r"\w+", question.lower())) & set(re.findall(r"\w+", NOTES[place].lower()))
        assert shared <= {"a", "and", "in", "is", "the", "to", "when"}, question
    assert [int(bm25([question], NOTES).argmax()) for question, _ in NAMED] == [place for _, place in NAMED]


@pytest.mark.parametrize("seed", range(4))
def test_vectors_find_the_note_that_answers(seed: int) -> None:
    fields, found = ask(LESSON, "first", english_table(), seed)
    cosines = cosine_similarity(
        vectors([fields["question"]], weighted=True), vectors(list(fields["options"]), weighted=True)
    )
    assert found["answer"] == cosines.argmax()
    assert_allclose(found["cosine"], cosines.max(), atol=0.01)
    (right,) = (place for question, place in OTHER_WORDS if question == fields["question"])
    assert fields["options"][found["answer"]] == NOTES[right]


def test_both_lists_find_more_than_each() -> None:
    fields, found = ask(LESSON, "found", english_table(), 0)
    questions, right = zip(*(OTHER_WORDS + NAMED), strict=True)
    assert fields["count"] == len(right) == 24
    words = bm25(questions, NOTES)
    first_three = np.argsort(-words, axis=1, kind="stable")[:, :3]
    # a note without a word of the question is not found, though it may be first of those that all have 0
    assert found["words"] == sum(
        place in row and scores[place] > 0 for place, row, scores in zip(right, first_three, words, strict=True)
    )
    assert found["both"] > max(found["answer"], found["words"]) + 3
    assert computed.named()["words"] == len(NAMED) > computed.named()["vectors"]


def test_exercise_and_card() -> None:
    found = computed.exercise()
    assert (found["bytes"], found["products"]) == (1_024_000_000, 256_000_000)
    assert computed.prompt()["three"] < computed.prompt()["all"]
    honey, nuts = run_card(LESSON)["result"]
    assert honey > nuts
