import pytest
from tokenizers.pre_tokenizers import ByteLevel

from rowspace.text.tokenizers.byte_alphabet import bytes_of_alphabet, in_alphabet

EVERY = bytes(range(256))


def test_alphabet_is_that_of_the_library() -> None:
    assert set(in_alphabet(EVERY)) == set(ByteLevel.alphabet())


@pytest.mark.parametrize("text", ["a b", "naïve\n", "안녕", "👩‍👩‍👧", "\0\t", ""])
def test_text_is_written_as_the_library_writes_it(text: str) -> None:
    found = ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(text)
    assert in_alphabet(text.encode()) == "".join(token for token, _ in found)


def test_there_and_back() -> None:
    assert bytes_of_alphabet(in_alphabet(EVERY)) == EVERY


def test_what_is_no_alphabet() -> None:
    assert bytes_of_alphabet(" ") is None
