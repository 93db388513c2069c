import pytest

from rowspace.errors import UsageError
from rowspace_lab.server.query import Query


def test_parameters_of_each_type_are_parsed() -> None:
    query = Query({"word": ["é"], "words": ["a", "b"], "k": ["-3"], "x": ["1e-3"], "row": ["1,-2.5"], "on": ["true"]})
    assert query.text("word") == "é"
    assert query.texts("words") == ["a", "b"]
    assert query.integer("k", low=-5, high=5) == -3
    assert query.number("x", low=0, high=1) == 0.001
    assert query.numbers("row", limit=2) == [1.0, -2.5]
    assert query.integers("k", low=-5, high=5, limit=1) == [-3]
    assert query.flag("on", False) is True
    assert query.choice("metric", ("cosine", "dot")) == "cosine"


def test_missing_parameters_have_their_defaults() -> None:
    query = Query()
    assert query.text("word", "cat") == "cat"
    assert query.texts("words", ["cat"]) == ["cat"]
    assert query.integer("k", 10, low=1, high=20) == 10
    assert query.number("x", 0.5, low=0, high=1) == 0.5
    assert query.numbers("row", [0.5, 1.0], limit=2) == [0.5, 1.0]
    assert query.integers("ids", [3, 1], low=0, high=9, limit=2) == [3, 1]
    assert query.flag("on", True) is True


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda query: query.text("none"), "none is missing"),
        (lambda query: query.texts("none"), "none is missing: pass it at least once"),
        (lambda query: query.text("two"), "two must have one value, not 2"),
        (lambda query: query.texts("two", limit=1), "two must have at most 1 value, not 2"),
        (lambda query: query.text("long"), "long must have at most 1,000 characters, not 1,001"),
        (lambda query: query.texts("long"), "long must have at most 1,000 characters, not 1,001"),
        (lambda query: query.integer("x", low=0, high=9), "x must be a whole number from 0 to 9, not 'nan'"),
        (lambda query: query.number("x", low=0, high=9), "x must be a number from 0 to 9, not 'nan'"),
        (lambda query: query.integer("huge", low=0, high=9), "huge must be a whole number from 0 to 9"),
        (lambda query: query.numbers("x", limit=2), "x must be at most 2 comma-separated numbers, not 'nan'"),
        (lambda query: query.numbers("many", limit=2), "many must be at most 2 comma-separated numbers"),
        (
            lambda query: query.integers("many", low=0, high=9, limit=2),
            "many must be at most 2 whole numbers, not 3",
        ),
        (
            lambda query: query.integers("many", low=2, high=9, limit=3),
            "many must be whole numbers from 2 to 9, not '1'",
        ),
        (
            lambda query: query.integers("x", low=2, high=9, limit=3),
            "x must be whole numbers from 2 to 9, not 'nan'",
        ),
        (lambda query: query.choice("x", ("a", "b")), "x must be one of a, b, not 'nan'"),
        (lambda query: query.flag("x", True), "x must be one of false, true, not 'nan'"),
    ],
)
def test_invalid_parameters_are_refused_with_a_message(ask, message: str) -> None:
    query = Query({"two": ["a", "b"], "long": ["a" * 1001], "x": ["nan"], "huge": ["9" * 5000], "many": ["1,2,3"]})
    with pytest.raises(UsageError) as caught:
        ask(query)
    assert str(caught.value).startswith(message)
