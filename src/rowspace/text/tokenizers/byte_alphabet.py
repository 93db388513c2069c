"""GPT-2's alphabet: one printable character for each byte, in which byte-level tokenizers write their tokens.

A byte that is a printable character of Latin-1 is that character; the others, in order, are those from U+0100 (`Ġ` is
a blank, `Ċ` a newline). Source: Radford et al. 2019, whose encoder defines it.
"""

__all__ = ["bytes_of_alphabet", "in_alphabet"]

_PRINTED = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTED]
_CHARACTER = {byte: chr(byte) for byte in _PRINTED} | {byte: chr(0x100 + i) for i, byte in enumerate(_OTHERS)}
_BYTE = {character: byte for byte, character in _CHARACTER.items()}


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
