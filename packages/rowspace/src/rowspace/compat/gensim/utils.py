"""Tokens of plain text, and what a trim rule returns, by the names of `gensim.utils`."""

import re
import unicodedata
from collections.abc import Iterator

__all__ = ["RULE_DEFAULT", "RULE_DISCARD", "RULE_KEEP", "deaccent", "simple_preprocess", "tokenize"]

RULE_DEFAULT, RULE_DISCARD, RULE_KEEP = 0, 1, 2  # in gensim's numbers

LETTERS = re.compile(r"[^\W\d]+")


def simple_preprocess(doc: str | bytes, deacc: bool = False, min_len: int = 2, max_len: int = 15) -> list[str]:
    """Return the tokens of a text in lower case, without those that begin with an underscore.

    Args:
        doc: A text, or bytes in UTF-8, of which invalid ones are left out.
        deacc: Remove accents.
        min_len: Shorter tokens are left out.
        max_len: Longer tokens are left out.

    Example:
        >>> simple_preprocess("A naïve cat, 2 dogs", deacc=True)
        ['naive', 'cat', 'dogs']
    """
    tokens = tokenize(doc, lower=True, deacc=deacc, errors="ignore")
    return [token for token in tokens if min_len <= len(token) <= max_len and token[0] != "_"]


def tokenize(
    text: str | bytes,
    lowercase: bool = False,
    deacc: bool = False,
    encoding: str = "utf8",
    errors: str = "strict",
    to_lower: bool = False,
    lower: bool = False,
) -> Iterator[str]:
    """Return an iterator of the longest runs of letters and underscores in a text.

    Args:
        text: A text or bytes.
        lowercase: Change the text to lower case; `to_lower` and `lower` mean the same.
        deacc: Remove accents.
        encoding: The encoding of bytes.
        errors: How to handle invalid bytes; see `bytes.decode`.
        to_lower: As `lowercase`.
        lower: As `lowercase`.

    Raises:
        UnicodeDecodeError: There are invalid bytes, and `errors` is "strict".
    """
    decoded = text if isinstance(text, str) else str(text, encoding, errors)
    if lowercase or to_lower or lower:
        decoded = decoded.lower()
    if deacc:
        decoded = deaccent(decoded)
    return (found.group() for found in LETTERS.finditer(decoded))


def deaccent(text: str | bytes) -> str:
    """Return a text without accents and other marks that take no space.

    Args:
        text: A text, or bytes in UTF-8.

    Raises:
        UnicodeDecodeError: There are invalid bytes.

    Example:
        >>> deaccent("Škoda café")
        'Skoda cafe'
    """
    apart = unicodedata.normalize("NFD", text if isinstance(text, str) else text.decode())
    return unicodedata.normalize("NFC", "".join(each for each in apart if unicodedata.category(each) != "Mn"))
