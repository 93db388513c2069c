"""What is shown of byte-level tokens, compared with the decoder of the `tokenizers` library."""

import json

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tokenizers.decoders import ByteLevel

import rowspace as rs
from rowspace.files.byte_tokens import shown_token, text_of_bytes
from rowspace.files.tokenizer_json import BYTE_CHARACTERS, bytes_to_alphabet, whitespace_json

BYTE_LEVEL = '{"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "ByteLevel"}]}}'
MARKED = [f"Ġ{letter}{number}" for letter in "abcde" for number in range(10)]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
def test_text_is_that_of_the_librarys_decoder(text: str) -> None:
    token = bytes_to_alphabet(text.encode())
    assert text_of_bytes(text.encode()) == ByteLevel().decode([token])
    assert shown_token(token) == text.replace(" ", "␣").replace("\n", "↵").replace("\t", "⇥")


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ("小".encode()[:2], "⟨E5 B0⟩"),
        (b"\xff", "⟨FF⟩"),
        (b" \xe5 a", "␣⟨E5⟩␣a"),
        ("é".encode() + b"\xc3", "é⟨C3⟩"),
        (b"", ""),
    ],
)
def test_incomplete_characters_are_in_hex(data: bytes, shown: str) -> None:
    table = rs.Table([bytes_to_alphabet(data)], np.ones((1, 1)), tokenizer=BYTE_LEVEL)
    assert table.shown(table.vocabulary[0]) == shown
    assert table.find_shown(shown) == table.vocabulary[0]


def test_tokenizer_decides_whether_a_letter_is_a_blank() -> None:
    words = ["Ġużu", "żĠ", *BYTE_CHARACTERS, *MARKED]
    whole = rs.Table(words, np.ones((len(words), 1)), tokenizer=whitespace_json(words))
    assert [whole.shown(token) for token in words] == words
    assert (whole.is_byte_level, whole.find_shown(" użu")) == (False, None)
    for part in ("pre_tokenizer", "decoder"):
        tokenizer = json.dumps({part: {"type": "ByteLevel"}})
        assert rs.Table(["Ġ"], np.ones((1, 1)), tokenizer=tokenizer).shown("Ġ") == "␣"
    after = '{"pre_tokenizer": null, "post_processor": {"type": "ByteLevel"}}'
    assert not rs.Table(["Ġ"], np.ones((1, 1)), tokenizer=after).is_byte_level


def test_added_tokens_are_not_in_the_alphabet() -> None:
    tokenizer = json.dumps({"decoder": {"type": "ByteLevel"}, "added_tokens": [{"id": 0, "content": "Ã©"}]})
    table = rs.Table(["Ã©", "Ġ<|end|>"], np.ones((2, 1)), tokenizer=tokenizer)
    assert [table.shown(token) for token in table] == ["Ã©", "␣<|end|>"]


@pytest.mark.parametrize(
    ("vocabulary", "expected"),
    [
        ([*BYTE_CHARACTERS, *MARKED], True),
        (["<s>", *MARKED, *BYTE_CHARACTERS], True),
        ([*BYTE_CHARACTERS, *MARKED[:20]], False),  # letters, and few words with this one
        ([*BYTE_CHARACTERS[1:], *MARKED], False),
        ([*MARKED, "king"], False),
        ([], False),
    ],
)
def test_vocabulary_without_a_tokenizer_has_all_bytes_and_many_blanks(vocabulary: list[str], expected: bool) -> None:
    assert rs.Table(vocabulary, np.ones((len(vocabulary), 1))).is_byte_level is expected


def test_token_itself_comes_before_the_text_of_another() -> None:
    table = rs.Table(["é", "Ã©", "␣x", "Ġx"], np.eye(4), tokenizer=BYTE_LEVEL)
    assert [table.find_shown(text) for text in ("é", "Ã©", "␣x", " x")] == ["é", "Ã©", "␣x", "Ġx"]
    assert table.find_shown("⟨E9⟩") == "é"


@pytest.mark.parametrize(
    "tokenizer",
    [
        '{"ByteLevel"',
        '["ByteLevel"]',
        '{"pre_tokenizer": "ByteLevel"}',
        '{"pre_tokenizer": {"type": "Sequence", "pretokenizers": ["ByteLevel"]}}',
        '{"pre_tokenizer": {"type": "Sequence", "pretokenizers": 1}, "decoder": {"type": "ByteLevel"}}',
        '{"pre_tokenizer": {"type": "ByteLevel"}, "added_tokens": [1]}',
        '{"pre_tokenizer": {"type": "ByteLevel"}, "added_tokens": [{"id": 1}]}',
        '{"ByteLevel": ' + "[" * 100_000,
    ],
)
def test_tokenizer_that_cannot_be_read_shows_tokens_as_they_are(tokenizer: str) -> None:
    assert rs.Table(["Ġking"], np.ones((1, 1)), tokenizer=tokenizer).shown("Ġking") == "Ġking"


def test_copy_of_a_table_shows_the_same() -> None:
    import copy

    table = rs.Table(["Ġ"], np.ones((1, 1)), tokenizer=BYTE_LEVEL)
    assert (table.shown("Ġ"), copy.deepcopy(table).shown("Ġ")) == ("␣", "␣")
