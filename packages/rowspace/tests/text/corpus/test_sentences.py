"""Sentence splitting does not depend on how the text is divided into pieces, and equals a plain split."""

import re

import pytest
from hypothesis import given, strategies as st

from rowspace.text.corpus.sentences import Run, Sentences


def joined_sentences(runs):
    """Join runs into sentences and drop empty ones."""
    found, text = [], ""
    for run in runs:
        text += run.text
        if run.ends:
            found.append(text)
            text = ""
    assert text == ""
    return [sentence for sentence in found if sentence]


def split_plainly(document, ends):
    if ends == "line":
        return [line.removesuffix("\r") for line in document.split("\n") if line.strip()]
    if ends == "paragraph":
        lines = [line if line.strip() else "" for line in document.split("\n")]
        return [part.strip("\n") for part in re.split(r"\n\n+", "\n".join(lines)) if part.strip("\n")]
    lines = document.split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    text = "\n".join(lines).removesuffix("\n")
    return [text] if text else []


@pytest.mark.parametrize("ends", ["line", "paragraph", "document"])
@given(lines=st.lists(st.sampled_from(["a b", "ü", "", " ", "\t", "c"]), max_size=12), cuts=st.sets(st.integers(0, 12)))
def test_sentences_do_not_depend_on_pieces_or_run_length(ends, lines, cuts):
    document = "\n".join(lines)
    starts = sorted({0, *cuts})
    pieces = ["\n".join([*lines[a:b], ""]) for a, b in zip(starts, [*starts[1:], None], strict=True) if lines[a:b]]
    pieces = [(piece.encode(), False) for piece in pieces]
    if pieces:
        pieces[-1] = (pieces[-1][0].removesuffix(b"\n"), True)
    else:
        pieces = [(b"", True)]

    assert joined_sentences(Sentences(pieces, ends)) == split_plainly(document, ends)
    in_short_runs = joined_sentences(Sentences(pieces, ends, max_characters=1))
    assert "\n".join(in_short_runs).split() == document.split()
    assert len(in_short_runs) == len(split_plainly(document, ends))


def test_line_in_several_pieces_is_one_sentence():
    runs = list(Sentences([(b"one ", False), (b"two\nthree", True)], "line"))
    assert runs == [Run("one ", False), Run("two", True), Run("three", True)]


def test_end_of_document_ends_a_sentence():
    assert list(Sentences([(b"a\n\nb", True), (b"c", True)], "document")) == [Run("a\n\nb", True), Run("c", True)]


def test_byte_order_mark_is_skipped():
    assert list(Sentences([(b"\xef\xbb\xbfa", True), (b"\xef\xbb\xbfb", True)], "line")) == [
        Run("a", True),
        Run("b", True),
    ]


def test_invalid_utf8_is_replaced_and_counted():
    sentences = Sentences([("né\ufffd".encode() + b"\xff\xc3", True)], "line")
    assert list(sentences) == [Run("né\ufffd\ufffd\ufffd", True)]
    assert sentences.replaced == 2


def test_carriage_return_before_a_newline_is_dropped():
    assert list(Sentences([(b"a\r\nb\r\n", True)], "line")) == [Run("a", True), Run("b", True)]
