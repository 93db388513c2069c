"""Nearest spellings, compared with difflib over the full vocabulary."""

from difflib import SequenceMatcher

import pytest

from rowspace.space import nearest_spellings
from rowspace.space.spelling import CHUNK

VOCABULARY = [
    "accommodation",
    "accommodate",
    "nation",
    "Paris",
    "parish",
    "cat",
    "Kate",
    "안녕하세요",
    "🙂🙂🙃",
    "x",
]


@pytest.mark.parametrize("token", ["accommodatiom", "pariss", "kat", "안녕하세여", "🙂🙂🙂", "y", "naitons"])
def test_equals_difflib(token):
    def ratio(candidate):
        return SequenceMatcher(None, candidate.casefold(), token, autojunk=False).ratio()

    expected = sorted((word for word in VOCABULARY if ratio(word) >= 0.6), key=ratio, reverse=True)
    assert nearest_spellings(token, VOCABULARY, 10) == expected


def test_result_is_limited_and_ties_are_ordered_by_id():
    assert nearest_spellings("cats", ["catx", "caty", "cats", "catz"], 3) == ["cats", "catx", "caty"]


def test_token_after_the_first_chunk_is_found():
    assert nearest_spellings("needel", [str(n) for n in range(CHUNK + 5)] + ["needle"]) == ["needle"]


@pytest.mark.parametrize(("token", "vocabulary"), [("", ["a"]), ("a", []), ("a", [""]), ("zzz", ["abc"])])
def test_no_similar_token_gives_an_empty_list(token, vocabulary):
    assert nearest_spellings(token, vocabulary) == []
