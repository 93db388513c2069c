"""One number for every Unicode character: what the scanner does with it.

A word character's number is the code point to write (its lowercase, unless cased), which is 48 or more; the numbers
below have names. The numbers from REGIONAL on can begin a token, those from DOTTED_I on are word characters.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from rowspace.text.characters.unicode_tables import (
    EMOJI_RANGES,
    LETTER_RANGES,
    LONG_LOWER,
    LOWER_RUNS,
    MARK_RANGES,
    NUMBER_RANGES,
)

__all__ = [
    "BETWEEN",
    "BLANK",
    "DOTTED_I",
    "EMOJI",
    "HEBREW_QUOTE",
    "JOINER",
    "LINE_END",
    "MODIFIER",
    "REGIONAL",
    "WORD",
    "character_table",
]

BETWEEN = 0  # ends a word
BLANK = 1  # ends a word, and leaves a line blank
LINE_END = 2
JOINER = 3  # part of a word only between two word characters
HEBREW_QUOTE = 4  # part of a word only between two Hebrew letters
MODIFIER = 5  # part of an emoji: a skin tone or a tag
REGIONAL = 6  # two of them are the emoji of a flag
EMOJI = 7
DOTTED_I = 8  # a word character, the one whose lowercase is two: i and a combining dot above
WORD = 48  # this and above: any other word character, written as the code point of this number

CODE_POINTS = 0x110000
GERESH = "\N{HEBREW PUNCTUATION GERESH}"  # a letter by UAX #29
JOINERS = (
    "'_·\N{RIGHT SINGLE QUOTATION MARK}\N{HEBREW PUNCTUATION GERSHAYIM}\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
)


@cache
def character_table(*, cased: bool) -> NDArray[np.int32]:
    """Return the scanner's number for every code point: int32 (1114112,), read only.

    >>> table = character_table(cased=False)
    >>> chr(table[ord("Q")]), int(table[ord("'")]) == JOINER, int(table[ord("+")]) == BETWEEN
    ('q', True, True)
    """
    lower = np.arange(CODE_POINTS, dtype=np.int32)
    if not cased:
        for first, stop, step, shift in LOWER_RUNS:
            lower[first:stop:step] += shift
    word = np.zeros(CODE_POINTS, dtype=np.bool_)
    for first, stop in (*LETTER_RANGES, *MARK_RANGES, *NUMBER_RANGES):
        word[first:stop] = True
    word[ord(GERESH)] = True
    emoji = np.zeros(CODE_POINTS, dtype=np.bool_)
    for first, stop in EMOJI_RANGES:
        emoji[first:stop] = True
    # The class is that of the lowercased character, because the tokenizer lowercases before it splits.
    table = np.where(word[lower], lower, np.where(emoji[lower], np.int32(EMOJI), np.int32(BETWEEN)))
    if not cased:
        table[list(LONG_LOWER)] = DOTTED_I  # only İ, which a test verifies
    table[[ord(character) for character in " \t\r\v\f"]] = BLANK
    table[[ord(character) for character in JOINERS]] = JOINER
    table[ord('"')] = HEBREW_QUOTE
    table[0x1F3FB:0x1F400] = table[0xE0020:0xE0080] = MODIFIER
    table[0x1F1E6:0x1F200] = REGIONAL
    table[ord("\n")] = LINE_END
    table.flags.writeable = False
    return table
