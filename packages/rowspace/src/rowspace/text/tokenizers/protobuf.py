"""The wire format of Protocol Buffers, as far as needed to check that a file is complete: numbered fields.

Source: protobuf.dev/programming-guides/encoding.
"""

from collections.abc import Iterator
from typing import NamedTuple

from rowspace.errors import FileFormatError

__all__ = ["Field", "fields", "varint"]

_FIXED = {1: 8, 5: 4}  # bytes of a number, by wire type
_NONE = 1 << 62  # more bytes than any message has


class Field(NamedTuple):
    """One field: its number, the bytes or the number that it holds, and the byte at which that begins."""

    number: int
    value: bytes | int
    offset: int


def fields(data: bytes, source: str, *, offset: int = 0) -> Iterator[Field]:
    r"""Yield the fields of a message.

    Args:
        data: The message.
        source: The file's name in messages, such as its path.
        offset: The byte of the file at which the message begins.

    Raises:
        FileFormatError: a field extends beyond the message, or has an unknown wire type.

    >>> list(fields(b"\x08\x96\x01\x12\x02hi", "x"))
    [Field(number=1, value=150, offset=1), Field(number=2, value=b'hi', offset=5)]
    """
    position = 0
    while position < len(data):
        begin, (tag, at) = position, varint(data, position)
        value: bytes | int
        if tag & 7 == 0:
            value, position = varint(data, at)
        else:
            size, at = varint(data, at) if tag & 7 == 2 else (_FIXED.get(tag & 7, _NONE), at)
            position = at + size
            value = data[at:position]
        if not tag >> 3 or not begin < at <= position <= len(data):
            what = "not a field of a message, or one that extends beyond its end"
            raise FileFormatError(f"{source}: byte {offset + begin}: {what}; the file is damaged, restore it")
        yield Field(tag >> 3, value, offset + at)


def varint(data: bytes, position: int) -> tuple[int, int]:
    """Return the number at `position` and the position after it, which is -1 if there is no number."""
    number = 0
    if position < 0:
        return 0, -1
    for i, byte in enumerate(data[position : position + 10]):
        number |= (byte & 0x7F) << (7 * i)
        if byte < 0x80:
            return number, position + i + 1
    return 0, -1
