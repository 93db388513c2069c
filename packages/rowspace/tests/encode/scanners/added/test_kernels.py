"""Added tokens in a text, compared with Python's regular expressions."""

import re

import pytest
from hypothesis import given, strategies as st

from rowspace.encode.scanners.added import AddedTokens, added_tokens
from rowspace.encode.scanners.added.kernels import LEFT, NOTHING, SOME, id_of, length_of, look, next_added
from rowspace.text.characters import as_array

pytestmark = pytest.mark.kernels

strings = st.lists(st.text("abé", min_size=1, max_size=4), max_size=6, unique=True)


@given(strings, st.text("abéc", max_size=15))
def test_the_leftmost_and_longest_tokens_are_found(contents: list[str], text: str) -> None:
    numbers = {content.encode(): 7 * index for index, content in enumerate(contents)}
    added = AddedTokens(tuple((key.decode(), number) for key, number in numbers.items()), ()).packed()
    data = as_array(text.encode())
    longest_first = sorted(map(re.escape, numbers), key=len, reverse=True)
    expression = b"|".join(longest_first) or b"(?!)"
    expected = [(match.start(), numbers[match[0]]) for match in re.finditer(expression, text.encode())]

    found, position = [], 0
    while position < data.size:
        position, record = next_added(data, position, data.size, added)
        if record >= 0:
            found.append((position, id_of(added, record)))
            position += length_of(added, record)

    assert found == expected
    assert look(data, 0, data.size, added) == (SOME if expected else NOTHING)


@given(strings, strings, st.text("abéc", max_size=15))
def test_a_text_with_a_string_of_the_library_is_left(found: list[str], left: list[str], text: str) -> None:
    added = AddedTokens(tuple((content, 1) for content in found), tuple(left)).packed()
    data = as_array(text.encode())
    expected = LEFT if any(each in text for each in left) else SOME if any(each in text for each in found) else NOTHING
    assert look(data, 0, data.size, added) == expected


def test_tokens_with_conditions_or_shared_ids_are_left() -> None:
    def token(content: str, number: int, **flags: bool) -> dict[str, object]:
        return {"content": content, "id": number, "normalized": False, **flags}

    tokens = [token("a", 1), token("b", 2, lstrip=True), token("c", 3), token("d", 3), token("e", 4, normalized=True)]
    assert added_tokens(tokens, str.split) == AddedTokens((("a", 1),), ("b", "c", "d", "e"))
    assert added_tokens(tokens[4:], is_normalized=False) == AddedTokens((("e", 4),), ())
    assert added_tokens([token(" ", 1, normalized=True)], str.split) is None
    assert added_tokens([token("x" * 5000, 1)]) is None
    assert added_tokens(None) == AddedTokens((), ())
