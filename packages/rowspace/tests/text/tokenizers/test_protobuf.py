import pytest
from hypothesis import given, strategies as st

from rowspace.errors import FileFormatError
from rowspace.text.tokenizers.sentencepiece_reader import Field, fields, varint


def encode_varint(number: int) -> bytes:
    """Encode a number as the specification says: seven bits per byte, lowest first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


@given(st.integers(0, 2**64 - 1), st.binary(max_size=3))
def test_varints_round_trip(number: int, after: bytes) -> None:
    assert varint(encode_varint(number) + after, 0) == (number, len(encode_varint(number)))


def test_unterminated_varint_is_refused() -> None:
    assert varint(b"\xff" * 20, 0) == (0, -1)
    assert varint(b"\xff", 0) == (0, -1)
    assert varint(b"", 0) == (0, -1)


@given(st.lists(st.tuples(st.integers(1, 1000), st.binary(max_size=300)), max_size=5))
def test_arbitrary_bytes_give_fields_or_an_error(message: list[tuple[int, bytes]]) -> None:
    data = b"".join(encode_varint(number << 3 | 2) + encode_varint(len(value)) + value for number, value in message)
    assert [(field.number, field.value) for field in fields(data, "x")] == message


def test_fields_of_every_type_are_read_with_their_offsets() -> None:
    data = b"\x09" + b"8bytes!!" + b"\x15" + b"four" + b"\x18\x05"
    expected = [Field(1, b"8bytes!!", 101), Field(2, b"four", 110), Field(3, 5, 115)]
    assert list(fields(data, "x", offset=100)) == expected


@pytest.mark.parametrize(
    ("data", "byte"),
    [
        (b"\x0a\x05hi", 0),  # declares five bytes, but has two
        (b"\x0a\x02hi\x0a\xff", 4),
        (b"\x08\x01\x08\xff", 2),
        (b"\xff", 0),
        (b"\x0b", 0),  # wire type 3, a group
        (b"\x02\x00", 0),  # field number 0
        (b"\x15\x00\x00", 0),
        (b"\x0a" + b"\xff" * 9 + b"\x01", 0),  # 2^64 - 1 bytes
    ],
)
def test_damaged_message_error_names_the_byte(data: bytes, byte: int) -> None:
    with pytest.raises(FileFormatError, match=rf"^file: byte {byte}: "):
        list(fields(data, "file"))
