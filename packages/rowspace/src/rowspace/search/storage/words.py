"""Text → the words of the full-text index: identifiers are found whole and by parts, Korean words by two letters.

ICU divides text into words, by dictionaries where a script has no blanks between them (Chinese, Japanese, Thai), and at
every other sign. What it leaves whole is divided here, by words that are added to the text, as are the singulars of
English plurals. Queries get the same words.
"""

import re
from typing import Any

from rowspace.search.storage.dataset import import_lance

__all__ = ["TOKENIZER", "terms_of", "with_parts"]

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
_MAX_KNOWN = 100_000  # words whose parts are remembered

_known: dict[str, str] = {}


def with_parts(text: str) -> str:
    r"""Return a text with more words: parts of identifiers, or all of them as one word, singulars, and Korean pairs.

    >>> with_parts("parseDate or get_or_create")
    'parseDate or get_or_create\nparse Date getorcreate'
    >>> with_parts("two words"), with_parts("this one")
    ('two words\nword', 'this one')
    """
    added = [parts for word in _WORD.findall(text) if (parts := _known.get(word) or _parts(word)) != "-"]
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
    if len(_known) < _MAX_KNOWN:
        _known[word] = found
    return found


def terms_of(text: str) -> list[str]:
    """Return the terms of the full-text index for a text, in order; those of `with_parts(text)` are all that it has.

    >>> terms_of("Naïve get_or_create")
    ['naive', 'get', 'or', 'create']
    """
    return [token.text for token in import_lance().tokenize(text, **TOKENIZER)]
