"""How tokens of byte-level vocabularies are shown to people and found by what is shown.

`Ġking` is shown as `␣king`, and bytes that are not complete UTF-8 as `⟨E5 B0⟩`. Only vocabularies whose tokenizer
writes bytes in GPT-2's alphabet are decoded: in any other, `Ġ` is a letter.
"""

import json
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from rowspace.files.tokenizer_json import BYTE_CHARACTERS, bytes_from_alphabet, bytes_to_alphabet

__all__ = ["kept_tokens", "shown_bytes", "shown_token", "steps", "text_of_bytes", "tokens_shown_as"]

SIGNS = {" ": "␣", "\n": "↵", "\t": "⇥"}
"""The signs for blanks, those that the workbench has for all tokens."""
MARKED = 0.1  # of the tokens of a byte-level vocabulary, more begin with a blank
FIRST = 2000  # tokens, among which some begin with a blank
_NOT_UTF8 = re.compile("[\udc80-\udcff]+")
_SPELLED_OUT = re.compile("⟨([0-9A-F]{2}(?: [0-9A-F]{2})*)⟩")
_TO_SIGN = str.maketrans(SIGNS)
_FROM_SIGN = str.maketrans({sign: blank for blank, sign in SIGNS.items()})


def kept_tokens(tokenizer: str | None, vocabulary: Sequence[str], known: Container[str]) -> frozenset[str] | None:
    """Return the tokens of a byte-level vocabulary that are not written in the byte alphabet; None for others.

    The tokenizer decides, and its added tokens are those not in the alphabet. Without a tokenizer, a vocabulary is
    byte-level if each of the 256 bytes is a token and more than a tenth of the tokens begin with `Ġ`.

    Args:
        tokenizer: The text of the tokenizer.json, if there is one.
        vocabulary: The tokens.
        known: Contains the tokens; asked only if some of the first tokens begin with `Ġ`.

    >>> kept_tokens(None, ["Ġ", "king", "Ġwords"], {"Ġ", "king", "Ġwords"}) is None
    True
    """
    if tokenizer is None:
        blank = BYTE_CHARACTERS[0x20]
        if not any(vocabulary[number].startswith(blank) for number in range(min(FIRST, len(vocabulary)))):
            return None
        if not all(character in known for character in BYTE_CHARACTERS):
            return None
        marked = sum(token.startswith(blank) for token in vocabulary)
        return frozenset() if marked > MARKED * len(vocabulary) else None
    if '"ByteLevel"' not in tokenizer:  # saves the time to parse a large one
        return None
    try:
        document = json.loads(tokenizer)
        if all(step.get("type") != "ByteLevel" for step in steps(document, "pre_tokenizer", "decoder")):
            return None
        return frozenset(str(token["content"]) for token in document.get("added_tokens") or [])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):  # it does not open; what needs it says so
        return None


def steps(document: Mapping[str, Any], *names: str) -> Iterator[dict[str, Any]]:
    """Yield each step of these parts of a tokenizer.json, those inside sequences too."""
    for name in names:
        waiting = [document.get(name)]
        while waiting:
            step = waiting.pop()
            if step is not None:
                yield step
                waiting += step.get("pretokenizers", []) + step.get("decoders", [])


def shown_token(token: str) -> str:
    """Return what is shown of a token in the byte alphabet; a token with other characters is shown as it is.

    >>> [shown_token(token) for token in ("Ġking", "ìķĪ", "ìķ", "Ċ", "안")]
    ['␣king', '안', '⟨EC 95⟩', '↵', '안']
    """
    data = bytes_from_alphabet(token)
    return token if data is None else shown_bytes(data)


def shown_bytes(data: bytes) -> str:
    r"""Return what is shown of the bytes of a token: its text, with signs for blanks, and incomplete UTF-8 in hex.

    >>> shown_bytes(b" na\xc3\xafve \xe5\xb0")
    '␣naïve␣⟨E5 B0⟩'
    """
    return _spelled_out(data.decode(errors="surrogateescape").translate(_TO_SIGN))


def text_of_bytes(data: bytes) -> str:
    r"""Return the text of bytes, its blanks too, with incomplete UTF-8 in hex.

    >>> text_of_bytes(b" na\xc3\xafve \xe5\xb0")
    ' naïve ⟨E5 B0⟩'
    """
    return _spelled_out(data.decode(errors="surrogateescape"))


def _spelled_out(text: str) -> str:
    """Replace each run of escaped bytes."""
    return _NOT_UTF8.sub(lambda match: f"⟨{match[0].encode(errors='surrogateescape').hex(' ').upper()}⟩", text)


def tokens_shown_as(text: str) -> Iterator[str]:
    """Yield the tokens in the byte alphabet that a text can mean: of the text itself, then of what is shown.

    >>> list(tokens_shown_as(" king")), list(tokens_shown_as("␣king"))[1:], list(tokens_shown_as("⟨E5 B0⟩"))[1:]
    (['Ġking', 'Ġking'], ['Ġking'], ['å°'])
    """
    yield bytes_to_alphabet(text.encode(errors="replace"))
    parts = _SPELLED_OUT.split(text.translate(_FROM_SIGN))  # text, hex, text, hex ...
    yield bytes_to_alphabet(
        b"".join(bytes.fromhex(part) if at % 2 else part.encode(errors="replace") for at, part in enumerate(parts))
    )
