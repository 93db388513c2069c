"""One number for every character: what the normalizer of a Unigram tokenizer makes of it."""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from rowspace.encode.scanners.byte_bpe.character_classes import changed_by_nfc
from rowspace.encode.scanners.sentencepiece.blanks import MARK

__all__ = ["BLANK", "CLASS_BITS", "CLASS_MASK", "DROP", "LEAVE", "SEQUENCE", "WHITE_SPACE", "WORD", "character_numbers"]

WORD = 0  # the payload is the code point that it becomes
DROP = 1  # nothing is left of it
BLANK = 2  # separates pieces
SEQUENCE = 4  # several characters: the payload is the index of their number, which they follow
LEAVE = 5  # a text with it is left to the library
CLASS_BITS, CLASS_MASK = 3, 7

CODE_POINTS, LOOKED_AT = 0x110000, 0x20000  # texts with characters beyond are left to the library, if there are steps
SENTINEL = "\ue000"  # no step changes it or joins it with another
WHITE_SPACE = frozenset(
    "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
)
COMPOSING = ("NFC", "NFKC")

# Characters of other categories than marks that join with their neighbors to one grapheme cluster (Unicode Standard
# Annex 29), which the Precompiled step replaces as a whole: parts of Hangul syllables, vowel signs, prepended letters,
# modifiers of emoji, regional indicators.
# fmt: off
JOINING = frozenset(code for first, stop in (
    (0x1100, 0x1200), (0xA960, 0xA97D), (0xD7B0, 0xD7FC), (0xE33, 0xE34), (0xEB3, 0xEB4), (0xFF9E, 0xFFA0),
    (0xD4E, 0xD4F), (0x111C2, 0x111C4), (0x113D1, 0x113D2), (0x1193F, 0x11942), (0x11A3A, 0x11A3B), (0x11A84, 0x11A8A),
    (0x11D46, 0x11D47), (0x11F02, 0x11F03), (0x1F1E6, 0x1F200), (0x1F3FB, 0x1F400),
) for code in range(first, stop))
# fmt: on


def character_numbers(
    steps: Sequence[Mapping[str, Any]], *, splits_white_space: bool, collapses: bool, strips: bool, watched: str = ""
) -> NDArray[np.int32]:
    """Return the number of every code point, followed by the sequences: int32 (1114112 + n,), read only.

    Each character is normalized by the library; where the steps may treat characters differently next to others, texts
    with them are left to the library.

    Args:
        steps: The steps of the normalizer, as in a tokenizer.json: those for characters, then those for white space.
        splits_white_space: Whether text is split at all white space, not at U+0020 only.
        collapses: Whether several blanks become one.
        strips: Whether white space is removed from the ends of a text.
        watched: Texts in which one of these characters comes from another one are left to the library.
    """
    numbers = np.arange(CODE_POINTS, dtype=np.int32) << CLASS_BITS
    sequences: list[int] = []
    results = _results(steps) if steps else {code: chr(code) for code in [*range(0x3001), ord(MARK)]}
    if steps:
        numbers[:] = LEAVE
    for code, text in results.items():
        kind = _class_of(text, splits_white_space=splits_white_space, collapses=collapses, strips=strips)
        if watched and text != chr(code) and (not text or {*watched} & {*text}):
            kind = LEAVE
        payload = ord(text) if kind == WORD else 0
        if kind == SEQUENCE:
            payload = CODE_POINTS + len(sequences)
            sequences += [len(text), *map(ord, text)]
        numbers[code] = (payload << CLASS_BITS) | kind
    if not (collapses or splits_white_space) and any(step["type"] == "Precompiled" for step in steps):
        numbers[ord("\r")] = LEAVE  # with "\n" it becomes one blank
    numbers = np.concatenate([numbers, np.array(sequences, np.int32)])
    numbers.flags.writeable = False
    return numbers


def _class_of(text: str, *, splits_white_space: bool, collapses: bool, strips: bool) -> int:
    """Return the class of a character that becomes a text."""
    if len(text) == 1 and text not in WHITE_SPACE and text != MARK:
        return WORD
    if text == " ":
        return BLANK
    if text == "":
        return DROP
    if MARK in text:
        return LEAVE
    if WHITE_SPACE & {*text}:
        if len(text) == 1 and splits_white_space and not collapses:
            return BLANK
        return WORD if len(text) == 1 and not splits_white_space and not strips else LEAVE
    return SEQUENCE


def _results(steps: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """Return what each character becomes, without those that may become something else next to others."""
    codes = [code for code in range(LOOKED_AT) if not 0xD800 <= code < 0xE000 and chr(code) != SENTINEL]
    if any(step["type"] == "Precompiled" for step in steps):
        codes = [code for code in codes if _stands_alone(code)]
    texts = [chr(code) for code in codes]
    kept = np.ones(len(texts), np.bool_)
    unsafe = frozenset(map(chr, np.flatnonzero(changed_by_nfc()).tolist()))
    for step in steps:
        texts = _normalized(step, texts)
        if step["type"] in COMPOSING:
            kept &= np.fromiter((unsafe.isdisjoint(text) for text in texts), np.bool_, len(texts))
    return {code: text for code, text, keep in zip(codes, texts, kept.tolist(), strict=True) if keep}


def _normalized(step: Mapping[str, Any], texts: Sequence[str]) -> list[str]:
    """Return texts normalized by the library, each on its own."""
    document = {"version": "1.0", "normalizer": step, "model": {"type": "WordLevel", "vocab": {}, "unk_token": ""}}
    normalizer = Tokenizer.from_str(json.dumps(document)).normalizer
    joined = SENTINEL.join(["", *texts, ""])
    found: list[str] = normalizer.normalize_str(joined).split(SENTINEL)[1:-1]
    return found


def _stands_alone(code: int) -> bool:
    """Return whether a character never joins with another of these to one grapheme cluster, apart from CR and LF."""
    category = unicodedata.category(chr(code))
    return (category[0] in "LNPSZ" or category == "Cc") and code not in JOINING
