"""The tokenizer.json of a vocabulary of whole words (WordLevel), and GPT-2's byte alphabet.

Byte-level tokenizers write their tokens in this alphabet, one printable character for each byte. A byte that is a
printable character of Latin-1 is that character; the others, in order, are those from U+0100 (`Ġ` is a blank, `Ċ` a
newline). Source: Radford et al. 2019, whose encoder defines it.
"""

import json
from collections.abc import Mapping, Sequence

from rowspace._base.validate import index_of
from rowspace.errors import UsageError

__all__ = [
    "BYTE_CHARACTERS",
    "UNKNOWN_TOKEN",
    "bytes_from_alphabet",
    "bytes_to_alphabet",
    "names_json",
    "whitespace_json",
    "word_level_ids",
    "word_level_json",
]

UNKNOWN_TOKEN = "[UNK]"

_PRINTABLE = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]
BYTE_CHARACTERS = tuple(chr(byte if byte in _PRINTABLE else 0x100 + _OTHERS.index(byte)) for byte in range(256))
"""GPT-2's character for each byte, in the order of the bytes."""
_BYTES = {character: byte for byte, character in enumerate(BYTE_CHARACTERS)}


def bytes_to_alphabet(data: bytes) -> str:
    """Return bytes in GPT-2's alphabet, one character each.

    >>> bytes_to_alphabet(" naïve".encode())
    'ĠnaÃ¯ve'
    """
    return "".join(map(BYTE_CHARACTERS.__getitem__, data))


def bytes_from_alphabet(token: str) -> bytes | None:
    """Return the bytes of a token in GPT-2's alphabet, None if one of its characters is not in the alphabet.

    >>> bytes_from_alphabet("ĠnaÃ¯ve").decode(), bytes_from_alphabet("안")
    (' naïve', None)
    """
    try:
        return bytes(map(_BYTES.__getitem__, token))
    except KeyError:
        return None


def word_level_ids(vocabulary: Sequence[str]) -> dict[str, int]:
    """Return the id of each token, its index; `[UNK]`, for unknown words, is appended unless it is a token.

    Raises:
        UsageError: a token is duplicated, or holds a surrogate.

    >>> word_level_ids(["a", "b"])
    {'a': 0, 'b': 1, '[UNK]': 2}
    """
    ids = index_of(vocabulary)
    try:
        "".join(ids).encode()
    except UnicodeEncodeError as error:
        token = next(token for token in ids if any("\ud800" <= character <= "\udfff" for character in token))
        raise UsageError(
            f"token {token!r} (id {ids[token]}) holds half a surrogate pair, which a tokenizer.json cannot hold; "
            "replace it"
        ) from error
    ids.setdefault(UNKNOWN_TOKEN, len(ids))
    return ids


def whitespace_json(vocabulary: Sequence[str]) -> str:
    """Return a tokenizer.json that splits at white space and looks up whole words.

    Raises:
        UsageError: a token is duplicated, or holds a surrogate.

    >>> '"WhitespaceSplit"' in whitespace_json(["New", "York"])
    True
    """
    return word_level_json(word_level_ids(vocabulary), {"type": "WhitespaceSplit"})


def names_json(vocabulary: Sequence[str]) -> str:
    """Return a tokenizer.json that looks a whole text up, for names that may have blanks.

    Raises:
        UsageError: a token is duplicated, or holds a surrogate.

    >>> from tokenizers import Tokenizer
    >>> Tokenizer.from_str(names_json(["green tea", "milk"])).encode("green tea").ids
    [0]
    """
    return word_level_json(word_level_ids(vocabulary), None)


def word_level_json(
    ids: Mapping[str, int],
    pre_tokenizer: Mapping[str, object] | None,
    *,
    normalizer: Mapping[str, object] | None = None,
    added: Sequence[Mapping[str, object]] = (),
) -> str:
    """Return a tokenizer.json that looks whole words up in `ids`, as the `tokenizers` library would write it.

    Args:
        ids: The id of each token, `[UNK]` included (see `word_level_ids`).
        pre_tokenizer: The step of a tokenizer.json that splits text into words; None looks the whole text up.
        normalizer: The step before, which changes the text.
        added: The tokens that are found before the text is split, as a tokenizer.json has them.
    """
    document: dict[str, object] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": list(added),
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": ids, "unk_token": UNKNOWN_TOKEN},
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
