import json

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers
from tokenizers.pre_tokenizers import ByteLevel

from rowspace.errors import UsageError
from rowspace.files.tokenizer_json import (
    BYTE_CHARACTERS,
    bytes_from_alphabet,
    bytes_to_alphabet,
    whitespace_json,
    word_level_ids,
)

EVERY_BYTE = bytes(range(256))


def test_byte_alphabet_equals_the_librarys() -> None:
    assert set(bytes_to_alphabet(EVERY_BYTE)) == set(ByteLevel.alphabet())
    assert "".join(BYTE_CHARACTERS) == bytes_to_alphabet(EVERY_BYTE)


@pytest.mark.parametrize("text", ["a b", "naïve\n", "안녕", "👩‍👩‍👧", "\0\t", ""])
def test_byte_alphabet_writes_text_as_the_library_does(text: str) -> None:
    found = ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(text)
    assert bytes_to_alphabet(text.encode()) == "".join(token for token, _ in found)


def test_byte_alphabet_round_trip() -> None:
    assert bytes_from_alphabet(bytes_to_alphabet(EVERY_BYTE)) == EVERY_BYTE


def test_character_outside_the_byte_alphabet_has_no_bytes() -> None:
    assert bytes_from_alphabet(" ") is None


@pytest.mark.parametrize("vocabulary", [[], ["a", "b"], ["b", "[UNK]", "a"], ["", "\0", "\n", '"', "\\", "né", "😀"]])
def test_word_level_json_equals_the_librarys(vocabulary: list[str]) -> None:
    library = Tokenizer(models.WordLevel(word_level_ids(vocabulary), unk_token="[UNK]"))
    library.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    assert json.loads(whitespace_json(vocabulary)) == json.loads(library.to_str())


@pytest.mark.parametrize(
    ("vocabulary", "message"),
    [
        (["a", "b", "a"], "'a' is duplicated in the vocabulary, as ids 0 and 2"),
        (["a", "b\ud800c"], r"'b\\ud800c' \(id 1\) holds half a surrogate pair"),
    ],
)
def test_duplicate_and_lone_surrogate_tokens_are_refused(vocabulary: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        word_level_ids(vocabulary)
