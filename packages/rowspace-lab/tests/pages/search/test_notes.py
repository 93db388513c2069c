"""The lesson's notes on the Search page: places as the lesson counts them, and shares that add up to cosines."""

import numpy as np
import pytest

from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.lessons.computed.topics import search as lesson
from rowspace_lab.pages.search import PAGE
from rowspace_lab.server.query import Query
from rowspace_lab.shared.notes import NAMED, NOTES, OTHER_WORDS
from rowspace_lab.tables.english import ENGLISH
from rowspace_lab.tables.everyday import EVERYDAY
from rowspace_lab.tables.examples import EXAMPLES
from rowspace_lab.tables.small_shop import SMALL_SHOP

ENGLISH_LAB = ENGLISH.open()


def asked(route: str, lab: Lab = ENGLISH_LAB, **parameters: str) -> dict:
    """Return the reply of a route, after its code was run and compared with it."""
    reply = dict(PAGE.routes[route](lab, Query({name: [value] for name, value in parameters.items()})))
    names: dict = {}
    code = reply.pop("code")
    exec(code, names)
    made = names[route.partition("/")[2]]
    assert made.keys() == reply.keys()
    for name, value in made.items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(value, reply[name])
        else:
            assert value == reply[name]
    return reply


@pytest.mark.parametrize("k", [1, 3, 5])
def test_right_notes_among_the_first_are_those_that_the_lesson_counts(k: int) -> None:
    found, counted = asked("search/questions"), lesson.right_notes(OTHER_WORDS + NAMED, k)
    for name, column in (("answer", "by_vectors"), ("words", "by_words"), ("both", "by_both")):
        place = found[column]
        assert counted[name] == int(((place > 0) & (place <= k)).sum())
    assert sum(found["named"]) == len(NAMED)


def test_places_for_a_question_are_those_in_the_list_of_all_questions() -> None:
    every = asked("search/questions")
    for number in (3, 13, 18):
        question, right = (OTHER_WORDS + NAMED)[number]
        one = asked("search/notes", text=question)
        assert one["right"] == right
        for column in ("by_words", "by_vectors", "by_both"):
            assert one[column][right] == every[column][number]
        assert sorted(place for place in one["by_vectors"] if place) == list(
            range(1, (one["by_vectors"] > 0).sum() + 1)
        )
    assert [note for note, words in zip(NOTES, one["shared"], strict=True) if "e17" in words] == [NOTES[18]]


def test_own_question_has_no_right_note() -> None:
    assert asked("search/notes", text="who opens the cellar")["right"] is None


@pytest.mark.parametrize("places", lesson.PAIRS)
def test_shares_add_up_to_the_cosines_of_the_lesson(places: tuple[int, int]) -> None:
    one, other = places
    found = asked("search/pair", one=str(one), other=str(other))
    expected = lesson.alike_figure(one=NOTES[one], other=NOTES[other])
    np.testing.assert_allclose(
        [found["mean"], found["weighted"]], [expected["answer"], expected["weighted"]], atol=1e-5
    )
    assert len(found["words"]) == len(found["mean_shares"]) == len(found["weighted_shares"])


@pytest.mark.parametrize("route", ["search/notes", "search/questions"])
def test_rows_of_a_sentence_encoder_are_taken_alone(route: str) -> None:
    found = asked(route, EVERYDAY.open())
    assert all(np.isfinite(value).all() for value in found.values() if isinstance(value, np.ndarray))


def test_a_table_that_cannot_encode_notes_is_refused() -> None:
    six = next(choice for choice in EXAMPLES if choice.id == "six-words").open()
    for lab in (six, SMALL_SHOP.open()):
        for route in ("search/notes", "search/questions", "search/pair"):
            with pytest.raises(UsageError, match="choose English words"):
                PAGE.routes[route](lab, Query({}))
    with pytest.raises(UsageError, match="choose two notes"):
        PAGE.routes["search/pair"](ENGLISH_LAB, Query({"one": ["3"], "other": ["3"]}))
