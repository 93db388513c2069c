"""Seeded random damage: flipped bits, truncation, copied and repeated pieces, and other numbers."""

import gzip
import io
import random
import re
import zipfile
from collections.abc import Callable

__all__ = ["damaged"]

NUMBERS = (0, 1, 2, 127, 255, 256, 65_535, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**62, 2**63 - 1, 2**64 - 1)
TEXTS = (
    b"-1",
    b"0",
    b"1e9",
    b"null",
    b'"',
    b"[",
    b"[" * 500,
    b"{}",
    b"\\ud800",
    b"\n",
    b"\r",
    b"\t",
    b"\0",
    b" ",
    b"9" * 30,
)
DIGITS = re.compile(rb"\d+")


def flip(data: bytearray, chance: random.Random) -> None:
    """Flip some bits, half of the time in the header, where sizes are stored."""
    for _ in range(chance.choice((1, 1, 2, 8))):
        end = len(data) if chance.random() < 0.5 else min(len(data), 200)
        data[chance.randrange(end)] ^= 1 << chance.randrange(8)


def cut(data: bytearray, chance: random.Random) -> None:
    """Truncate, or remove a piece."""
    begin = chance.randrange(len(data))
    end = len(data) if chance.random() < 0.5 else begin + chance.randint(1, 40)
    del data[begin:end]


def splice(data: bytearray, chance: random.Random) -> None:
    """Copy a piece of the file to another position, overwriting or inserting."""
    begin, place = chance.randrange(len(data)), chance.randrange(len(data))
    piece = data[begin : begin + chance.choice((1, 4, 8, 50, 1000))]
    data[place : place + (len(piece) if chance.random() < 0.5 else 0)] = piece


def number(data: bytearray, chance: random.Random) -> None:
    """Overwrite bytes with another binary number."""
    width = chance.choice((1, 2, 4, 8))
    end = len(data) if chance.random() < 0.5 else min(len(data), 200)
    place = chance.randrange(end)
    data[place : place + width] = (chance.choice(NUMBERS) % 256**width).to_bytes(
        width, chance.choice(("little", "big"))
    )


def digits(data: bytearray, chance: random.Random) -> None:
    """Replace a decimal number."""
    found = [match.span() for match in DIGITS.finditer(data[: 1 << 14])]
    if found:
        begin, end = chance.choice(found)
        data[begin:end] = str(chance.choice(NUMBERS) * chance.choice((1, 1, -1))).encode()


def text(data: bytearray, chance: random.Random) -> None:
    """Insert text that breaks text formats or JSON, or may still be valid."""
    place = chance.randrange(len(data))
    data[place : place + chance.choice((0, 0, 1, 4))] = chance.choice(TEXTS)


def repeat(data: bytearray, chance: random.Random) -> None:
    """Repeat a piece many times."""
    begin = chance.randrange(len(data))
    piece = data[begin : begin + chance.randint(1, 100)]
    data[begin:begin] = piece * chance.choice((1, 10, 1000))


KINDS: tuple[Callable[[bytearray, random.Random], None], ...] = (flip, cut, splice, number, digits, text, repeat)


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Return the bytes of a file with one to three damages, for compressed files sometimes in the uncompressed data."""
    if chance.random() < 0.5:
        if content.startswith(b"PK\x03\x04"):
            return damaged_archive(content, chance)
        if content.startswith(b"\x1f\x8b"):
            return gzip.compress(damaged_bytes(gzip.decompress(content), chance))
    return damaged_bytes(content, chance)


def damaged_bytes(content: bytes, chance: random.Random) -> bytes:
    """Damage bytes without decompressing them."""
    data = bytearray(content)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        if data:
            chance.choice(KINDS)(data, chance)
    return bytes(data)


def damaged_archive(content: bytes, chance: random.Random) -> bytes:
    """Damage one member of an archive and compress it again."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(packed, "w") as new:
        chosen = chance.choice(old.namelist())
        for name in old.namelist():
            inside = old.read(name)
            method = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
            new.writestr(name, damaged_bytes(inside, chance) if name == chosen else inside, method)
    return packed.getvalue()
