"""Text → UTF-8 and back, including lone surrogates and invalid bytes."""

import re

import numpy as np
from numpy.typing import NDArray

__all__ = ["as_array", "clean", "readable", "utf8"]

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_UTF8 = re.compile("[\udc80-\udcff]")


def utf8(text: str) -> bytes:
    """Return the UTF-8 of a text; a lone surrogate becomes one bad byte, which the scanner counts."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\udcff", text).encode("utf-8", "surrogateescape")


def clean(text: str) -> str:
    """Return a text that can be encoded as UTF-8: each lone surrogate becomes U+FFFD."""
    return text if text.isascii() else utf8(text).decode(errors="replace")


def readable(data: bytes) -> str:
    """Return bytes as text, with those that are not valid UTF-8 spelled out.

    >>> readable("안".encode()), readable("안".encode()[:2])
    ('안', '<0xEC><0x95>')
    """
    return _NOT_UTF8.sub(lambda match: f"<0x{ord(match[0]) - 0xDC00:02X}>", data.decode(errors="surrogateescape"))


def as_array(data: bytes | bytearray) -> NDArray[np.uint8]:
    """Return the bytes as a read-only array, so that the kernels are compiled for one type."""
    array = np.frombuffer(data, np.uint8)
    array.flags.writeable = False
    return array
