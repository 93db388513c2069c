"""JSON arrays in chunks: the items are those of the json module, wherever the chunks end, with their lines."""

import json

import pytest
from hypothesis import given, strategies as st

from rowspace.text.corpus.json_array import ArrayError, array_items

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(st.dictionaries(st.text(), VALUES, max_size=3)), st.sampled_from([None, 1]), st.integers(1, 40))
def test_items_are_those_of_json(records, indent, size):
    text = json.dumps(records, indent=indent, ensure_ascii=False)
    chunks = [text[start : start + size] for start in range(0, len(text), size)]
    assert [item for _, item in array_items(chunks, limit=10_000)] == records


def test_lines_are_those_on_which_items_begin():
    text = '\n[{"a":\n1}, {"a": 2},\n\n{"a": "x\\ny"}\n]\n'
    for size in (1, 5, 100):
        chunks = [text[start : start + size] for start in range(0, len(text), size)]
        assert [line for line, _ in array_items(chunks, limit=100)] == [2, 3, 5]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("{}", 1),
        ("[{}", 1),
        ("[{},]", 1),
        ("[{}\n{}]", 2),
        ("[{}]\n\n]", 1),
        ("[{\n'a': 1}]", 1),
        ("[" * 100_000, 1),
    ],
)
def test_what_is_not_an_array_is_refused_with_its_line(text, line):
    with pytest.raises(ArrayError) as found:
        list(array_items([text], limit=1_000_000))
    assert (found.value.line, found.value.is_too_long) == (line, False)


def test_an_item_that_is_too_long_is_refused():
    with pytest.raises(ArrayError) as found:
        list(array_items(['[1, "', *["x" * 100] * 100], limit=1_000))
    assert found.value.is_too_long
