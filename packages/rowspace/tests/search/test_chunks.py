"""Documents → chunks."""

import re

from hypothesis import given, strategies as st

from rowspace.search.reading.chunks import MIN_CHARS, chunk_document
from rowspace.search.reading.documents import read_document


def chunks(text, path="a.txt", max_chars=300):
    return list(chunk_document(read_document(path, text.encode(), max_chars=max_chars), max_chars=max_chars))


@given(
    st.lists(st.text(alphabet="aé中. !\n\t#-。", max_size=400), max_size=8).map("\n\n".join),
    st.sampled_from([".txt", ".md", ".py", ".json"]),
    st.integers(1, 500),
)
def test_chunks_quote_all_words_in_order_with_their_lines(text, suffix, max_chars):
    found = chunks(text, f"a{suffix}", max_chars)
    lines = text.split("\n")
    for chunk in found:
        assert 0 < len(chunk.text) <= max_chars
        assert chunk.text in "\n".join(lines[chunk.first_line - 1 : chunk.last_line])
    assert "".join(re.findall(r"\w", text)) == "".join(re.findall(r"\w", "".join(chunk.text for chunk in found)))


def test_prose_is_split_at_paragraphs_then_sentences():
    sentence = "This is a sentence of some words, about forty."
    paragraph = " ".join([sentence] * 10)
    found = chunks(f"{paragraph}\n\n{paragraph}")
    assert all(chunk.text.endswith("forty.") for chunk in found)
    assert [chunk.first_line for chunk in found] == sorted(chunk.first_line for chunk in found)
    assert {chunk.first_line for chunk in found} == {1, 3}


def test_a_paragraph_end_is_preferred_to_a_later_sentence():
    first, second = "Words of a poem, " * 12, "One. Two. " * 20
    assert chunks(f"{first}\n\n{second}")[0].text == first.strip()


def test_code_is_split_at_lines():
    text = "def f():\n" + "".join(f"    value_{number} = call(number, 'a. b')\n" for number in range(50))
    found = chunks(text, "a.py")
    assert len(found) > 5
    assert {chunk.name for chunk in found} == {"f"}
    assert [chunk.last_line + 1 for chunk in found[:-1]] == [chunk.first_line for chunk in found[1:]]


def test_a_line_without_spaces_is_cut():
    found = chunks("x" * 1000, max_chars=300)
    assert "".join(chunk.text for chunk in found) == "x" * 1000
    assert max(len(chunk.text) for chunk in found) == 300


def test_short_sections_are_joined():
    found = chunks("# A\n\n## B\n\nShort.\n\n## C\n\n" + "Long text. " * 20, "a.md")
    assert [(chunk.name, chunk.first_line) for chunk in found] == [("A, A > B, A > C", 1)]
    long = "word " * (MIN_CHARS // 4)
    assert [chunk.name for chunk in chunks(f"# A\n\n{long}\n\n# B\n\n{long}", "a.md", 400)] == ["A", "B"]


def test_nothing_to_quote():
    assert chunks("") == chunks(" \n\n\t\n") == chunks("---\n***\n", "a.md") == []
