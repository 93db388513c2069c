"""GPT-2's alphabet: one printable character for each byte, in which byte-level tokenizers write their tokens.

A byte that is a printable character of Latin-1 is that character; the others, in order, are those from U+0100 (`Ġ` is
a blank, `Ċ` a newline). Source: Radford et al. 2019, whose encoder defines it.
"""

import re

__all__ = ["bytes_of_alphabet", "in_alphabet", "readable"]

_PRINTED = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTED]
_CHARACTER = {byte: chr(byte) for byte in _PRINTED} | {byte: chr(0x100 + i) for i, byte in enumerate(_OTHERS)}
_BYTE = {character: byte for byte, character in _CHARACTER.items()}
_NOT_UTF8 = re.compile("[\udc80-\udcff]")


def in_alphabet(data: bytes) -> str:
    """Return bytes in the alphabet, a character each.

    >>> in_alphabet(" naïve".encode())
    'ĠnaÃ¯ve'
    """
    return "".join(map(_CHARACTER.__getitem__, data))


def bytes_of_alphabet(token: str) -> bytes | None:
    """Return the bytes of a token in the alphabet, None where a character of it is not in there.

    >>> bytes_of_alphabet("ĠnaÃ¯ve").decode(), bytes_of_alphabet("안")
    (' naïve', None)
    """
    try:
        return bytes(map(_BYTE.__getitem__, token))
    except KeyError:
        return None


def readable(data: bytes) -> str:
    """Return bytes as text, with those that are not valid UTF-8 spelled out.

    >>> readable("안".encode()), readable("안".encode()[:2])
    ('안', '<0xEC><0x95>')
    """
    return _NOT_UTF8.sub(lambda match: f"<0x{ord(match[0]) - 0xDC00:02X}>", data.decode(errors="surrogateescape"))
