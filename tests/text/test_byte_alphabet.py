import pytest
from tokenizers.pre_tokenizers import ByteLevel

from rowspace.text.byte_alphabet import bytes_of_alphabet, in_alphabet, readable

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


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"", ""),
        (b"abc", "abc"),
        (b" \xe2\x80", " <0xE2><0x80>"),
        ("é".encode() + b"\xff", "é<0xFF>"),
        (b"\xed\xa0", "<0xED><0xA0>"),
    ],
)
def test_bytes_that_are_no_text_are_spelled_out(data: bytes, shown: str) -> None:
    assert readable(data) == shown
