"""Text → the words of the full-text index: identifiers are found whole and by parts, Asian words by two letters.

ICU divides text into words, by dictionaries where a script has no blanks between them (Chinese, Japanese, Thai), and at
every other sign. What it leaves whole is divided here, by words that are added to the text, as are the singulars of
English plurals. Queries get the same words.

Dictionaries of Chinese and Japanese divide a word differently in another sentence, or into parts that mean nothing, so
each pair of adjacent letters is also a word. ICU would divide the pairs again, so they are written as numbers.
"""

import re
from typing import Any

from rowspace.search.storage.dataset import import_lance

__all__ = ["TOKENIZER", "shown_term", "terms_of", "with_parts"]

TOKENIZER: dict[str, Any] = {
    "base_tokenizer": "icu/split",
    "stem": False,  # an identifier or a word of another language would be cut like an English one
    "remove_stop_words": False,
    "max_token_length": 100,
}
"""The arguments of Lance's full-text indexes, and of `lance.tokenize`."""

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PLURAL = re.compile(r"[A-Za-z]*[a-z][a-hj-rtv-z]s")  # not "this", "class", "status"
_HANGUL = re.compile(r"[\uac00-\ud7a3]{3,}")
_IDEOGRAPHS = re.compile(r"[\u3005\u3040-\u30ff\u3400-\u9fff]{2,}")  # and kana
_PAIR = re.compile(r"x([0-9a-f]{4})([0-9a-f]{4})")
_MAX_KNOWN, _MAX_LENGTH = 100_000, 30  # words whose parts are remembered, and their letters

_known: dict[str, str] = {}


def with_parts(text: str, *, pairs: bool = True) -> str:
    r"""Return a text with more words: identifiers as one and in parts, singulars, and pairs of letters.

    Args:
        text: The text.
        pairs: Whether Chinese and Japanese pairs are added, which an encoder cannot read.

    >>> with_parts("parseDate or get_or_create")
    'parseDate or get_or_create\nparse Date getorcreate'
    >>> with_parts("two words"), with_parts("this one"), with_parts("東京")
    ('two words\nword', 'this one', '東京\nx67714eac')
    """
    added = [parts for word in _WORD.findall(text) if (parts := _known.get(word) or _parts(word)) != "-"]
    for run in _IDEOGRAPHS.findall(text) if pairs and not text.isascii() else []:
        added += [f"x{ord(run[at]):x}{ord(run[at + 1]):x}" for at in range(len(run) - 1)]
    return f"{text}\n{' '.join(added)}" if added else text


def _parts(word: str) -> str:
    """Return the words to add for a word; "-" for none."""
    pieces = [piece for piece in word.split("_") if piece]
    added = ["".join(pieces)] if len(pieces) > 1 else []
    for piece in pieces:
        parts = _PART.findall(piece) if piece.isascii() else []
        added += parts if len(parts) > 1 else []
    added += [word[:-1].lower()] if _PLURAL.fullmatch(word) else []
    added += [run[at : at + 2] for run in _HANGUL.findall(word) for at in range(len(run) - 1)]
    found = " ".join(added) or "-"
    if len(_known) < _MAX_KNOWN and len(word) <= _MAX_LENGTH:
        _known[word] = found
    return found


def terms_of(text: str) -> list[str]:
    """Return the terms of the full-text index for a text, in order; those of `with_parts(text)` are all that it has.

    >>> terms_of("Naïve get_or_create")
    ['naive', 'get', 'or', 'create']
    """
    return [token.text for token in import_lance().tokenize(text, **TOKENIZER)]


def shown_term(term: str) -> str:
    """Return a term as it is in the text: of two Chinese or Japanese letters, these.

    >>> shown_term("x67714eac"), shown_term("x6771")
    ('東京', 'x6771')
    """
    pair = _PAIR.fullmatch(term)
    letters = chr(int(pair[1], 16)) + chr(int(pair[2], 16)) if pair else ""
    return letters if _IDEOGRAPHS.fullmatch(letters) else term
