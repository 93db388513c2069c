"""How much of a text is in scripts without spaces between words, where a whole phrase becomes one word.

These are Chinese, Japanese, Thai, Lao, Khmer and Burmese; Korean has spaces. A text whose words are already separated
has short words, which are not counted.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["unspaced_share"]

# The first two bytes of the UTF-8 of a character, and the fewest of them that make a word a phrase.
_IDEOGRAPHIC = ((0xE381, 0xE383), (0xE390, 0xE9BF), (0xEFA4, 0xEFAB), (0xF0A0, 0xF0B2))  # Han and Kana
_SYLLABIC = ((0xE0B8, 0xE0BB), (0xE180, 0xE182), (0xE19E, 0xE19F))  # Thai and Lao, Burmese, Khmer
_MIN_LENGTHS = ((_IDEOGRAPHIC, 5), (_SYLLABIC, 12))
_FIRST_LEAD, _LAST_LEAD = 0xE0, 0xF0


def unspaced_share(arena: NDArray[np.uint8], starts: NDArray[np.int64], counts: NDArray[np.int64]) -> float:
    """Return the share of all characters of words that are in phrases without spaces.

    Args:
        arena: the UTF-8 of the distinct words, concatenated: uint8 (starts[-1],).
        starts: where each begins, and the last ends: int64 (words + 1,).
        counts: how often each occurs: int64 (words,).

    >>> words = ["the", "我们的模型", "cat"]
    >>> data = [word.encode() for word in words]
    >>> arena = np.frombuffer(b"".join(data), np.uint8)
    >>> unspaced_share(arena, np.cumsum([0, *map(len, data)]), np.array([2, 1, 1]))
    0.35714285714285715
    """
    if arena.max(initial=0) < _FIRST_LEAD:  # the usual case in Latin, Greek and Cyrillic scripts
        return 0.0
    leads = np.flatnonzero((arena >= _FIRST_LEAD) & (arena <= _LAST_LEAD))  # none in most Latin text
    if not leads.size:
        return 0.0
    pairs = (arena[leads].astype(np.int64) << 8) | arena[leads + 1]
    words = np.searchsorted(starts, leads, side="right") - 1
    inside = 0
    for ranges, min_length in _MIN_LENGTHS:
        is_member = np.zeros(len(pairs), np.bool_)
        for first, last in ranges:
            is_member |= (pairs >= first) & (pairs <= last)
        characters = np.bincount(words[is_member], minlength=len(counts))
        phrases = characters >= min_length
        inside += int(characters[phrases] @ counts[phrases])
    character_counts = np.concatenate([[0], np.cumsum((arena & 0xC0) != 0x80)])
    return inside / int(np.diff(character_counts[starts]) @ counts) if inside else 0.0
