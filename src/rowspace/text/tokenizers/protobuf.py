"""The wire format of Protocol Buffers, as much of it as tells whether a file is whole: numbered fields, one by one.

Left out: what the fields mean (sentencepiece_reader.py). Source: protobuf.dev/programming-guides/encoding.
"""

from collections.abc import Iterator
from typing import NamedTuple

from rowspace.errors import FileFormatError

__all__ = ["Field", "fields", "varint"]

_FIXED = {1: 8, 5: 4}  # bytes of a number, by wire type
_NONE = 1 << 62  # more bytes than there are


class Field(NamedTuple):
    """One field: its number, the bytes or the number that it holds, and the byte at which that begins."""

    number: int
    value: bytes | int
    offset: int


def fields(data: bytes, source: str, *, offset: int = 0) -> Iterator[Field]:
    r"""Yield the fields of a message that begins at byte `offset` of the file `source`.

    Raises FileFormatError, with the byte, where a field goes beyond the message or is of no known kind.

    >>> list(fields(b"\x08\x96\x01\x12\x02hi", "x"))
    [Field(number=1, value=150, offset=1), Field(number=2, value=b'hi', offset=5)]
    """
    place = 0
    while place < len(data):
        begin, (tag, at) = place, varint(data, place)
        value: bytes | int
        if tag & 7 == 0:
            value, place = varint(data, at)
        else:
            size, at = varint(data, at) if tag & 7 == 2 else (_FIXED.get(tag & 7, _NONE), at)
            place = at + size
            value = data[at:place]
        if not tag >> 3 or not begin < at <= place <= len(data):
            what = "no field of a message, or one that goes beyond its end"
            raise FileFormatError(f"{source}: byte {offset + begin}: {what}; the file is damaged, restore it")
        yield Field(tag >> 3, value, offset + at)


def varint(data: bytes, place: int) -> tuple[int, int]:
    """Return the number at `place` and where it ends, -1 for that where there is none."""
    number = 0
    if place < 0:
        return 0, -1
    for i, byte in enumerate(data[place : place + 10]):
        number |= (byte & 0x7F) << (7 * i)
        if byte < 0x80:
            return number, place + i + 1
    return 0, -1
