"""One number for every Unicode character: what a BERT tokenizer makes of it.

The number is a class, and above `CLASS_BITS` a payload: a code point to write, or where a sequence of them starts.
"""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple
from unicodedata import ucd_3_2_0

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.scanners.wordpiece.bert_characters import (
    CHINESE,
    COMPOSED,
    CONTROLS,
    LATER,
    MARKS,
    MOVING,
    PUNCTUATION,
    SPACES,
)
from rowspace.text.characters.unicode_tables import LONG_LOWER, LOWER_RUNS

__all__ = [
    "CLASS_BITS",
    "CLASS_MASK",
    "DROP",
    "ISOLATED",
    "LEAVE",
    "SEQUENCE",
    "SPACE",
    "WORD",
    "BertNormalization",
    "character_numbers",
]

WORD = 0  # part of a word; the payload is its code point
DROP = 1  # nothing is left of it; a word goes on after it
SPACE = 2  # ends a word
ISOLATED = 3  # a word of one character, the payload
SEQUENCE = 4  # several characters of a word: payload is the index of their number, which they follow
LEAVE = 5  # a text with it is left to the library
CLASS_BITS, CLASS_MASK = 3, 7

CODE_POINTS = 0x110000
HANGUL, LEADS, VOWELS, TRAILS = 0xAC00, 19, 21, 28  # syllables and their parts: The Unicode Standard, 3.12
LEAD, VOWEL, TRAIL = 0x1100, 0x1161, 0x11A7

Ranges = Iterable[tuple[int, int]]


class BertNormalization(NamedTuple):
    """The options of BERT's normalizer, as a tokenizer.json names them."""

    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool = True
    lowercase: bool = True


@cache
def character_numbers(options: BertNormalization) -> NDArray[np.int32]:
    """Return the number of every code point, followed by the sequences: int32 (1114112 + n,), read only.

    >>> numbers = character_numbers(BertNormalization())
    >>> "".join(chr(numbers[ord(each)] >> CLASS_BITS) for each in "aÄ!"), int(numbers[9]) == SPACE
    ('aa!', True)
    """
    kept, long = _kept(options)
    numbers = (kept << CLASS_BITS) | _classes()[kept]
    if options.handle_chinese_chars:
        for first, stop in CHINESE:
            numbers[first:stop] |= ISOLATED
    if options.strip_accents:
        _assign(numbers, MARKS, DROP)
        _assign(numbers, MOVING, LEAVE)
    numbers = _with_sequences(numbers, long)
    if options.strip_accents:
        numbers = _with_hangul(numbers)
    _assign(numbers, SPACES, SPACE)
    if options.clean_text:  # the library removes these first
        _assign(numbers, CONTROLS, DROP)
    numbers.flags.writeable = False
    return numbers


def _kept(options: BertNormalization) -> tuple[NDArray[np.int32], dict[int, str]]:
    """Return the first character that each becomes, int32 (1114112,), and the whole of those that become several."""
    kept = np.arange(CODE_POINTS, dtype=np.int32)
    long: dict[int, str] = {}
    if options.strip_accents:
        stripped = _stripped()
        kept[list(stripped)] = [ord(text[0]) for text in stripped.values()]
        long = {code: text for code, text in stripped.items() if len(text) > 1}
    if options.lowercase:
        lower = np.arange(CODE_POINTS, dtype=np.int32)
        for first, stop, step, shift in LOWER_RUNS:
            lower[first:stop:step] += shift
        long = {code: "".join(chr(lower[ord(each)]) for each in text) for code, text in long.items()}
        long |= {code: text for code, text in LONG_LOWER.items() if kept[code] == code}
        kept = lower[kept]
    return kept, long


def _stripped() -> dict[int, str]:
    """Return what is left of each character that has accents."""
    marks = {chr(code) for first, stop in MARKS for code in range(first, stop)}
    composed = [code for first, stop in COMPOSED for code in range(first, stop)]
    # All versions of Python have Unicode 3.2, but each has another newest one.
    parts = [ucd_3_2_0.normalize("NFD", chr(code)) for code in composed]
    found = {
        code: "".join(each for each in part if each not in marks) for code, part in zip(composed, parts, strict=True)
    }
    return found | {ord(character): text for character, text in LATER.items()}


@cache
def _classes() -> NDArray[np.int32]:
    """Return the class of every character after normalization: int32 (1114112,)."""
    classes = np.full(CODE_POINTS, WORD, np.int32)
    _assign(classes, PUNCTUATION, ISOLATED)
    _assign(classes, SPACES, SPACE)
    return classes


def _assign(numbers: NDArray[np.int32], ranges: Ranges, number: int) -> None:
    for first, stop in ranges:
        numbers[first:stop] = number


def _with_sequences(numbers: NDArray[np.int32], long: dict[int, str]) -> NDArray[np.int32]:
    """Append the sequences of characters, each after its length; a character that is left to the library remains so."""
    sequences: list[int] = []
    for code, text in long.items():
        if numbers[code] != LEAVE:
            numbers[code] = ((numbers.size + len(sequences)) << CLASS_BITS) | SEQUENCE
            sequences += [len(text), *map(ord, text)]
    return np.concatenate([numbers, np.array(sequences, np.int32)])


def _with_hangul(numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    """Append the parts of Hangul syllables: a lead consonant, a vowel and perhaps a trailing consonant."""
    syllables = np.arange(LEADS * VOWELS * TRAILS, dtype=np.int32)
    trail = syllables % TRAILS
    lead, vowel = LEAD + syllables // (VOWELS * TRAILS), VOWEL + syllables // TRAILS % VOWELS
    sequences = np.stack([2 + (trail > 0), lead, vowel, TRAIL + trail], axis=1)
    starts = numbers.size + sequences.shape[1] * syllables
    numbers[HANGUL : HANGUL + syllables.size] = (starts << CLASS_BITS) | SEQUENCE
    return np.concatenate([numbers, sequences.astype(np.int32).ravel()])
