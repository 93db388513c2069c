"""Answers, ranks and cosines equal those of `Table.analogy`; the drawing preserves distances; unusual tables work."""

import numpy as np
import pytest

from rowspace.errors import UnknownTokenError, UsageError
from rowspace.space import cosine, unit_rows

ANSWERS, EXAMPLES = "analogies/answers", "analogies/examples"


@pytest.mark.parametrize("method", ["3cosadd", "3cosmul"])
@pytest.mark.parametrize("keep_inputs", ["true", "false"])
def test_answers_equal_those_of_the_table(lab, check_code, method: str, keep_inputs: str) -> None:
    reply = check_code(
        lab, ANSWERS, a="read", b="write", c="reader", expected="", method=method, keep_inputs=keep_inputs, k=7
    )
    expected = lab.table.analogy("read", "write", "reader", k=7, method=method, keep_inputs=keep_inputs == "true")
    assert list(zip(reply.meta["tokens"], reply.arrays["scores"].tolist(), strict=True)) == expected
    assert reply.arrays["ranks"].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert reply.meta["place"] is None


def test_default_question_is_the_first_that_the_table_answers(lab, check_code, ask) -> None:
    found = ask(lab, EXAMPLES)
    answered = found.meta["examples"][found.arrays["ranks"].tolist().index(1)]
    reply = check_code(lab, ANSWERS)
    assert [*reply.meta["question"], reply.meta["expected"]] == answered
    assert reply.meta["place"]["rank"] == 1
    assert reply.meta["of"] == len(lab.table) - 3


def test_default_question_skips_one_that_is_missed(small_lab, ask) -> None:
    words = ["man", "king", "woman", "queen", "good", "better", "bad", "worse"]
    rows = np.array(
        [[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, -1, 0], [5, 0, 1], [5, 5, 1], [5, 0, 2], [5, 5, 2]], np.float32
    )
    assert ask(small_lab(words, rows), ANSWERS).meta["question"] == ["good", "better", "bad"]


def test_missed_expected_word_is_appended_with_its_rank(lab, check_code) -> None:
    words = ("list", "lists", "dict")
    reply = check_code(lab, ANSWERS, **dict(zip("abc", words, strict=True)), expected="sin", k=3)
    every = [token for token, _ in lab.table.analogy(*words, k=len(lab.table))]
    rank = every.index("sin") + 1
    assert rank > 3
    assert reply.meta["place"]["rank"] == rank
    assert reply.arrays["ranks"].tolist() == [1, 2, 3, rank]
    assert reply.meta["tokens"] == [*every[:3], "sin"]


def test_expected_word_that_is_an_excluded_input_has_no_rank(lab, check_code) -> None:
    question = {"a": "read", "b": "write", "c": "reader", "expected": "reader"}
    assert check_code(lab, ANSWERS, **question).meta["place"] == {"rank": None, "score": None}
    assert check_code(lab, ANSWERS, **question, keep_inputs="true").meta["place"]["rank"] is not None


def test_reply_has_ranks_and_scores_of_the_inputs(lab, ask) -> None:
    reply = ask(lab, ANSWERS, a="read", b="write", c="reader")
    every = lab.table.analogy("read", "write", "reader", k=len(lab.table), keep_inputs=True)
    for token, place in zip(reply.meta["question"], reply.meta["inputs"], strict=True):
        assert every[place["rank"] - 1] == (token, place["score"])


def test_drawing_preserves_distances(lab, ask) -> None:
    reply = ask(lab, ANSWERS)
    a, b, c = unit_rows(lab.table[reply.meta["question"]])
    found = unit_rows(lab.table[reply.meta["tokens"]])
    corners, points = reply.arrays["corners"], reply.arrays["points"]
    np.testing.assert_allclose(corners[3], corners[1] - corners[0] + corners[2], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(corners[3] - corners[2]), np.linalg.norm(b - a), atol=1e-12)
    drawn = np.linalg.norm(points - corners[0], axis=1)
    np.testing.assert_allclose(drawn, reply.arrays["shares"] * np.linalg.norm(found - a, axis=1), atol=1e-12)
    np.testing.assert_allclose(reply.arrays["cosines"], cosine(found, [a, b, c, b - a + c]), atol=1e-12)
    np.testing.assert_allclose(reply.arrays["cosines"][:, 3], reply.arrays["scores"], atol=1e-6)


@pytest.mark.parametrize("method", ["3cosadd", "3cosmul"])
def test_examples_have_words_and_ranks_of_the_table(lab, check_code, method: str) -> None:
    reply = check_code(lab, EXAMPLES, method=method)
    assert ["read", "write", "reader", "writer"] in reply.meta["examples"]
    assert all(word in lab.table for four in reply.meta["examples"] for word in four)
    for (*question, expected), rank in zip(reply.meta["examples"], reply.arrays["ranks"], strict=True):
        place = check_code(lab, ANSWERS, **dict(zip("abc", question, strict=True)), expected=expected, method=method)
        true = place.meta["place"]["rank"]
        assert rank == (true if true <= reply.meta["deepest"] else 0)


def test_words_are_found_with_their_word_start_marker(small_lab, check_code) -> None:
    words = ["man", "king", "woman", "queen"]
    lab = small_lab([f"Ġ{word}" for word in words], np.array([[1.0, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1]]))
    reply = check_code(lab, ANSWERS)
    assert (reply.meta["tokens"], reply.meta["expected"]) == (["Ġqueen"], "Ġqueen")
    assert check_code(lab, EXAMPLES).arrays["ranks"].tolist() == [1]


@pytest.mark.parametrize("dim", [1, 3])
@pytest.mark.parametrize("keep_inputs", ["true", "false"])
def test_table_of_one_row_gets_a_reply(small_lab, check_code, dim: int, keep_inputs: str) -> None:
    lab = small_lab(["<script>"], np.ones((1, dim)))
    reply = check_code(lab, ANSWERS, keep_inputs=keep_inputs)
    assert reply.meta["tokens"] == ["<script>"]  # the only answer, also if inputs should be excluded
    assert check_code(lab, EXAMPLES).arrays["ranks"].tolist() == []


def test_nonfinite_rows_are_neither_answers_nor_inputs(small_lab, check_code, ask) -> None:
    rows = np.array([[1.0, 0], [0, 1], [1, 1], [np.nan, 1], [2, 1], [np.inf, 0]], np.float32)
    lab = small_lab(["שלום", "b" * 1000, "c", "nan", "e", "inf"], rows)
    assert check_code(lab, ANSWERS, expected="nan").meta["place"]["rank"] is None
    assert check_code(lab, ANSWERS).meta["tokens"] == ["e"]
    with pytest.raises(UsageError, match="the row of 'nan' contains NaN or infinity"):
        ask(lab, ANSWERS, b="nan")


@pytest.mark.parametrize("name", ["a", "b", "c", "expected"])
def test_unknown_word_error_suggests_similar_spellings(lab, ask, name: str) -> None:
    with pytest.raises(UnknownTokenError, match="did you mean 'typeerror'"):
        ask(lab, ANSWERS, **{name: "typeerorr"})
