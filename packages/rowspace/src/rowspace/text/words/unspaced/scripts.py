"""The characters of scripts without spaces between words, and between which of them no word begins."""

import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

from rowspace.text.characters import character_table
from rowspace.text.characters.table import CODE_POINTS, WORD

__all__ = [
    "HAN",
    "HIRAGANA",
    "KATAKANA",
    "SYLLABIC",
    "continues_table",
    "is_unspaced",
    "opens_table",
    "script_table",
]

HAN, HIRAGANA, KATAKANA, SYLLABIC = 1, 2, 3, 4
_RANGES = {
    HAN: ((0x2E80, 0x2FE0), (0x3005, 0x3008), (0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00), (0x20000, 0x32400)),
    HIRAGANA: ((0x3041, 0x30A0), (0x1B001, 0x1B120)),
    KATAKANA: ((0x30A1, 0x30FB), (0x30FC, 0x3100), (0x31F0, 0x3200), (0xFF66, 0xFFA0)),
    # Thai and Lao, Burmese with its extensions, Khmer
    SYLLABIC: ((0x0E01, 0x0EDE), (0x1000, 0x10A0), (0x1780, 0x17DE), (0xA9E0, 0xAA00), (0xAA60, 0xAA80)),
}
_CONTINUES = "ๅๆะาำະາຳຽໆ々ヽヾゝゞーぁぃぅぇぉゃゅょァィゥェォャュョ"  # and marks: they are never the first of a word
_OPENS = "เแโใไເແໂໃໄ\u17d2\u1039"  # vowels written before their consonant, and marks that join the next one


@cache
def script_table() -> NDArray[np.uint8]:
    """Return the kind of script of every code point, 0 for those of scripts with spaces: uint8 (1114112,), read only.

    Digits have their own words.

    >>> script_table()[[ord(character) for character in "中のカกaก๑"]].tolist()
    [1, 2, 3, 4, 0, 4, 0]
    """
    table = np.zeros(CODE_POINTS, np.uint8)
    for kind, ranges in _RANGES.items():
        for first, stop in ranges:
            table[first:stop] = kind
    table[character_table(cased=True) < WORD] = 0  # so that all its words are within those of the word tokenizer
    for code in np.flatnonzero(table == SYLLABIC):
        table[code] *= unicodedata.category(chr(code)) != "Nd"
    table.flags.writeable = False
    return table


def is_unspaced(word: str) -> bool:
    """Return whether a word has characters, and all are of scripts without spaces.

    >>> is_unspaced("中国"), is_unspaced("T恤"), is_unspaced("")
    (True, False, False)
    """
    return bool(word) and bool(script_table()[np.frombuffer(word.encode("utf-32-le"), "<u4")].all())


@cache
def continues_table() -> NDArray[np.bool_]:
    """Return for every code point whether it is never the first of a word: bool (1114112,)."""
    table = np.zeros(CODE_POINTS, np.bool_)
    unspaced = np.flatnonzero(script_table())
    table[unspaced] = [unicodedata.category(chr(code)).startswith("M") for code in unspaced.tolist()]
    table[[ord(character) for character in _CONTINUES]] = True
    return table


@cache
def opens_table() -> NDArray[np.bool_]:
    """Return for every code point whether it is never the last of a word: bool (1114112,)."""
    table = np.zeros(CODE_POINTS, np.bool_)
    table[[ord(character) for character in _OPENS]] = True
    return table
