import pytest

from rowspace.text.characters import clean, readable, utf8


@pytest.mark.parametrize(
    ("text", "data"),
    [("é", "é".encode()), ("\ud800", b"\xff"), ("\udc80", b"\x80"), ("a\ud800\udc80b", b"a\xff\xffb")],
)
def test_lone_surrogates_become_invalid_utf8_bytes(text, data):
    assert utf8(text) == data


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", ""), ("abc\0", "abc\0"), ("naïve 안 🙂", "naïve 안 🙂"), ("a\ud800b", "a\ufffdb"), ("\udcff", "\ufffd")],
)
def test_clean_replaces_lone_surrogates(text: str, expected: str) -> None:
    assert clean(text) == expected


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
def test_readable_escapes_invalid_bytes(data: bytes, shown: str) -> None:
    assert readable(data) == shown
