"""The bytes of a text file → its text: in UTF-8, in the encoding that it declares, or in that of Western Europe."""

import codecs
import re

from rowspace.errors import FileFormatError

__all__ = ["decode_text"]

_SNIFFED = 8192  # bytes; a file with NUL among them is binary
_DECLARED = 4096  # bytes in which HTML and XML declare an encoding

_COMMENT = re.compile(rb"(?:[ \t\f]*(?:#[^\n]*)?\r?\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]{1,40})")  # PEP 263
_XML = re.compile(rb"\s*<\?xml\s[^>]*?\bencoding\s*=\s*[\"']([-\w.:]{1,40})")
_HTML_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META = re.compile(rb"<meta\s(?:[^>]*?[\s;\"'])?charset\s*=\s*[\"']?\s*([-\w.:]{1,40})", re.IGNORECASE)

# As browsers do (encoding.spec.whatwg.org), names of old encodings stand for those that extend them.
_EXTENDED = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
    "iso8859-11": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
}
# Others, such as punycode, are no text or take a time that is quadratic.
_KNOWN = frozenset(
    (
        *_EXTENDED.values(),
        *(f"cp{number}" for number in (437, 850, 852, 866, *range(1250, 1259))),
        *(f"iso8859-{number}" for number in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
        *("euc_jp", "iso2022_jp", "koi8-r", "koi8-u", "mac-cyrillic", "mac-roman", "utf-8"),
    )
)

_CONTROL = re.compile(rb"[\0-\x07\x0e-\x1a\x1c-\x1f\x7f]")
_REPEATED = re.compile(rb"([\x80-\xff])\1+")
_LONG_RUN = re.compile(rb"[\x80-\xff]{4,}")
# Bytes without a character, and characters that no word has, but its accented letters in DOS, on a Mac or in Polish.
_NOT_WESTERN = re.compile(rb"[\x81\x8d\x8f\x90\x9d]|[a-z][\x82-\x84\x86-\x8e\x94\x98\x9f\xa1\xb3\xb6\xb9\xbf][a-z]")


def decode_text(data: bytes, *, is_html: bool = False) -> str:
    r"""Return the text of a file.

    It is UTF-16 with a byte order mark, UTF-8, the encoding that a comment (PEP 263), `<?xml encoding>` or, in HTML,
    `<meta>` declares, or else cp1252, which has all characters of Latin-1, if bytes and letters are as in words of
    Western Europe. In text that is UTF-8 but for few bytes, these are U+FFFD.

    Args:
        data: The bytes of the file.
        is_html: Whether `<meta>` may declare the encoding.

    Returns:
        The text without byte order mark; "\r\n" is "\n".

    Raises:
        FileFormatError: If it is binary, or its encoding is not known.

    >>> decode_text(b"\xef\xbb\xbfa\r\nb"), decode_text(b"caf\xe9")
    ('a\nb', 'café')
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) and not data.startswith(b"\xff\xfe\0\0"):
        try:
            text = data.decode("utf-16")
        except UnicodeDecodeError:
            raise FileFormatError("not valid UTF-16") from None
    elif b"\0" in data[:_SNIFFED]:
        raise FileFormatError("binary")
    else:
        text = _decoded(data, _declared(data[:_DECLARED], is_html=is_html))
    return text.replace("\r\n", "\n") if "\r" in text else text


def _declared(start: bytes, *, is_html: bool) -> str | None:
    """Return the codec that a file declares; None if there is none, or one that is not known."""
    match = _XML.match(start) or (_META.search(_HTML_COMMENT.sub(b"", start)) if is_html else _COMMENT.match(start))
    if match is None:
        return None
    try:
        name = codecs.lookup(match[1].decode("ascii").lower().removeprefix("x-")).name
    except (LookupError, UnicodeDecodeError):
        return None
    name = _EXTENDED.get(name, name)
    return name if name in _KNOWN else None


def _decoded(data: bytes, declared: str | None) -> str:
    if declared != "iso2022_jp":  # which is ASCII, to look at
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            pass
    if declared is not None:
        try:
            return data.decode(declared)
        except UnicodeDecodeError:
            pass
    text = data.decode("utf-8-sig", "replace")
    damaged = text.count("\ufffd")
    if sum(map(len, re.findall(r"[\x80-\ufffc\ufffe-\U0010ffff]+", text))) > 2 * damaged:
        return text
    if _CONTROL.search(data):
        raise FileFormatError("binary")
    if not _is_western(data):
        raise FileFormatError("in an unknown encoding")
    return data.decode("cp1252")


def _is_western(data: bytes) -> bool:
    """Whether characters outside of ASCII are as in Western Europe: not next to each other, as in Cyrillic."""
    high = _REPEATED.sub(rb"\1", data)
    in_runs = sum(map(len, _LONG_RUN.findall(high)))
    return not _NOT_WESTERN.search(data) and 5 * in_runs <= len(high.translate(None, bytes(range(128))))
