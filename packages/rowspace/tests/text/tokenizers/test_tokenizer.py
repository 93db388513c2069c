import numpy as np
import pytest

from rowspace.errors import FileFormatError, UsageError
from rowspace.files.tokenizer_json import whitespace_json
from rowspace.table import Table
from rowspace.text.tokenizers.tokenizer import Tokenizer, as_ids, encoding_error, unused_token, validate_ids


def test_as_ids_copies_its_input() -> None:
    given = np.arange(3, dtype=np.int32)
    found = as_ids(given)
    found[0] = 7
    assert (given.tolist(), found.dtype, as_ids([]).shape) == ([0, 1, 2], np.int32, (0,))


@pytest.mark.parametrize(("highest", "tokens", "fits"), [(0, 1, True), (1001, 1, True), (1002, 1, False)])
def test_ids_far_beyond_the_number_of_tokens_are_refused(highest: int, tokens: int, fits: bool) -> None:
    if fits:
        validate_ids(highest, tokens, "x")
        return
    with pytest.raises(FileFormatError, match=f"x: has ids up to {highest} for {tokens} tokens?"):
        validate_ids(highest, tokens, "x")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit()])
def test_encoding_error_reraises_interrupts(error: BaseException) -> None:
    with pytest.raises(type(error)):
        encoding_error(error, [], "do this")


def test_encoding_error_describes_the_failure_and_the_remedy() -> None:
    assert str(encoding_error(ValueError("why"), ["a"], "do this")) == "the tokenizer fails on this text (why); do this"
    assert isinstance(encoding_error(ValueError(), [], ""), UsageError)
    assert unused_token(3) == "[id 3 has no token]"


def table_with(tokenizer: str | None) -> Table:
    return Table(["the", "cat"], np.eye(2), tokenizer=tokenizer)


def test_of_table_opens_the_tokenizer_of_a_table() -> None:
    text = whitespace_json(["the", "cat"])
    tokenizer = Tokenizer.of_table(table_with(text))
    assert (tokenizer.json, tokenizer.encode("the cat dog").tolist()) == (text, [0, 1, 2])


def test_table_without_a_tokenizer_is_refused() -> None:
    with pytest.raises(UsageError, match="this table has no tokenizer; look up its tokens"):
        Tokenizer.of_table(table_with(None))


def test_table_with_a_damaged_tokenizer_is_refused() -> None:
    with pytest.raises(FileFormatError, match="the table's tokenizer: does not open as a tokenizer"):
        Tokenizer.of_table(table_with("{}"))
