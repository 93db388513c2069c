"""Tokens between white space: those of the tokenizers library, wherever pieces of text end."""

from hypothesis import given, strategies as st
from tokenizers.pre_tokenizers import WhitespaceSplit

from rowspace.text.words.pattern import split_at_white_space, white_space_sentences

CHARACTERS = st.characters(exclude_categories=["Cs"]) | st.sampled_from(
    " \t\n\r\x0b\x0c\x1c\x1f\x85\u00a0\u1680\u2028\u3000\u200b"
)


@given(st.text(CHARACTERS))
def test_tokens_are_those_of_the_tokenizers_library(text):
    assert split_at_white_space(text) == [token for token, _ in WhitespaceSplit().pre_tokenize_str(text)]


@given(st.lists(st.text(st.sampled_from("ab- \n")), min_size=1))
def test_pieces_may_end_anywhere_in_a_sentence(parts):
    text = "".join(parts)
    pieces = [(part.encode(), False) for part in parts] + [(b"", True)]
    whole = [token for sentence in white_space_sentences(pieces, "document") for token in sentence]
    assert whole == text.split()
    by_line = [sentence for sentence in white_space_sentences(pieces, "line") if sentence]
    assert by_line == [line.split() for line in text.split("\n") if line.strip()]
