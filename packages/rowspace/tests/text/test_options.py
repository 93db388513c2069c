"""`TextOptions` refuses invalid values and names them."""

import dataclasses

import pytest

from rowspace._base.parallel import available_cores
from rowspace.errors import UsageError
from rowspace.text import TextOptions


def test_defaults():
    options = TextOptions(workers=1)

    assert dataclasses.astuple(options) == ("words", None, "learned", False, 5, None, None, 100.0, "line", None, 1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"min_count": 0}, "min_count must be a whole number from 1 to 9,223,372,036,854,775,807, not 0"),
        ({"min_count": None}, "min_count must be .+ not None"),
        ({"max_vocabulary": 0}, "max_vocabulary must be"),
        ({"workers": 1.5}, "workers must be .+ not 1.5"),
        ({"sentences": "word"}, "sentences must be one of line, paragraph, document, not 'word'"),
        ({"column": ""}, "column must be the name of a column, not ''"),
        ({"pattern": "[a"}, r"pattern '\[a' is not a regular expression: premature end of char-class; repair it"),
        ({"pattern": ""}, "pattern must be a regular expression, not ''"),
        ({"pattern": "a", "split": "whitespace"}, "pattern says what a token is, and split too"),
        ({"pattern": "a", "phrases": 2}, "pattern says what a token is, and phrases too"),
        ({"column": 3}, "column must be the name of a column, not 3"),
    ],
)
def test_invalid_value_is_named_in_the_error(changes, message):
    with pytest.raises(UsageError, match=message):
        TextOptions(**changes)


def test_default_workers_equal_the_available_cores():
    assert TextOptions().workers == available_cores()
