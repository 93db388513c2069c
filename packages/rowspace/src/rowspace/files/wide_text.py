"""The encoding of text whose characters take two or four bytes, from the first bytes of a file."""

__all__ = ["wide_encoding"]

MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
MIN_BYTES, MIN_SHARE = 8, 0.6  # of NUL bytes, without a byte order mark


def wide_encoding(start: bytes) -> str | None:
    """Return the encoding of UTF-16 or UTF-32 text, by the name that iconv has for it; None for other content.

    Without a byte order mark, only UTF-16 is recognized that is mostly ASCII, where every other byte is NUL.

    >>> wide_encoding("some text".encode("utf-16-le"))
    'UTF-16LE'
    """
    for mark, encoding in MARKS.items():
        if start.startswith(mark):
            return encoding
    even, odd = start[::2], start[1::2]
    for encoding, high, low in (("UTF-16LE", odd, even), ("UTF-16BE", even, odd)):
        if len(start) >= MIN_BYTES and high.count(0) > len(high) * MIN_SHARE and not low.count(0):
            return encoding
    return None
