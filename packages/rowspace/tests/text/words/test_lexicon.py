"""The lexicon and its scanner: ids in order of first occurrence, sentence ends, invalid UTF-8 and growth."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from rowspace.text.characters import character_table
from rowspace.text.words.lexicon import Lexicon

pytestmark = pytest.mark.kernels


@pytest.fixture
def lexicon():
    return Lexicon(character_table(cased=False))


def words_of(lexicon):
    return [word.decode() for word in lexicon.all_words()]


def test_ids_follow_first_occurrence_and_words_are_counted(lexicon):
    ids, bad = lexicon.scan(b"The cat, the dog")

    assert ids.tolist() == [0, 1, 0, 2]
    assert bad == 0
    assert words_of(lexicon) == ["the", "cat", "dog"]
    assert lexicon.counts().tolist() == [2, 1, 1]


def test_second_scan_continues_with_the_same_words(lexicon):
    lexicon.scan(b"a b")

    assert lexicon.scan(b"b c")[0].tolist() == [1, 2]
    assert lexicon.counts().tolist() == [1, 2, 1]


def test_scan_without_learning_adds_no_words(lexicon):
    lexicon.add([b"a", b"b"])

    assert lexicon.scan(b"b x a", learning=False)[0].tolist() == [1, -2, 0]
    assert len(lexicon) == 2


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        ("line", [0, -1, 1, -1, -1, -1, 2, -1]),
        ("paragraph", [0, 1, -1, -1, 2]),  # the second end is the second blank line
        ("document", [0, 1, 2]),
    ],
)
def test_sentences_option_sets_where_sentences_end(lexicon, sentences, expected):
    ids, _ = lexicon.scan(b"a\nb\n \t\r\n\nc\n", sentences=sentences)

    assert ids.tolist() == expected


@pytest.mark.parametrize("line", [b"-", "\u00a0".encode(), b"\xff", b"x"])
def test_line_with_any_non_space_byte_is_not_blank(lexicon, line):
    ids, _ = lexicon.scan(b"a\n" + line + b"\n", sentences="paragraph")

    assert -1 not in ids


@pytest.mark.parametrize(("blank", "expected"), [(True, [-1, 0]), (False, [0])])
def test_preceding_text_decides_whether_the_first_line_is_blank(lexicon, blank, expected):
    assert lexicon.scan(b" \na", sentences="paragraph", blank=blank)[0].tolist() == expected


@pytest.mark.parametrize("sentences", ["line", "paragraph", "document"])
def test_end_of_document_ends_words_and_sentences(lexicon, sentences):
    ids, _ = lexicon.scan("abcd'éf".encode(), np.array([2, 5, 5]), sentences=sentences)

    assert ids.tolist() == [0, -1, 1, -1, -1, 2]
    assert words_of(lexicon) == ["ab", "cd", "éf"]


def test_characters_do_not_span_the_end_of_a_document(lexicon):
    ids, bad = lexicon.scan("é".encode(), np.array([1]))

    assert (ids.tolist(), bad) == ([-1], 2)


@given(data=st.lists(st.one_of(
    st.binary(max_size=3),
    st.sampled_from([b"a", "é".encode(), b"\xe0\x9f", b"\xed\xa0\x80", b"\xf0\x8f", b"\xf4\x90\x80\x80", b"\xe2\x82",
                     b"\xf0\x9f\x91", "👍".encode(), b"\xc1\xbf", b"\xf5", "\ufffd".encode()]),
)).map(b"".join))  # fmt: skip
def test_invalid_utf8_is_replaced_as_in_python(data):
    lexicon = Lexicon(character_table(cased=True))

    ids, bad = lexicon.scan(data)

    # Parity: Python's own decoder
    text = data.decode("utf-8", "replace")
    other = Lexicon(character_table(cased=True))
    assert bad == text.count("\ufffd") - data.count("\ufffd".encode())
    assert ids.tolist() == other.scan(text.encode())[0].tolist()
    assert words_of(lexicon) == words_of(other)


def test_tables_grow_with_the_number_of_words(lexicon):
    words = [f"w{number}" for number in range(5000)]

    ids, _ = lexicon.scan(" ".join(words).encode())

    assert ids.tolist() == list(range(5000))
    assert words_of(lexicon) == words
    assert lexicon.scan(b"w4999 w0")[0].tolist() == [4999, 0]


def test_absorb_merges_another_lexicon(lexicon):
    other = Lexicon(character_table(cased=False))
    lexicon.scan(b"a b b")
    other.scan(b"c b b " + b" ".join(b"n%d" % number for number in range(2500)))

    ids = lexicon.absorb(other)

    assert ids.tolist() == [2, 1, *range(3, 2503)]
    assert words_of(lexicon) == ["a", "b", "c", *(f"n{number}" for number in range(2500))]
    assert lexicon.counts().tolist() == [1, 4] + [1] * 2501
    assert lexicon.scan(b"n2499")[0].tolist() == [2502]


def test_empty_text_gives_no_ids(lexicon):
    ids, bad = lexicon.scan(b"")

    assert (ids.tolist(), bad, len(lexicon)) == ([], 0, 0)


def test_words_with_equal_hashes_get_different_ids(lexicon):
    # three pairs with equal 32-bit FNV-1a
    words = b"costarring liquid declinate macallums altarage zinke"

    assert lexicon.scan(words + b" " + words)[0].tolist() == [0, 1, 2, 3, 4, 5] * 2
