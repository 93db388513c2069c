"""What every character is to the regular expressions of byte-level BPE, as one number."""

from collections.abc import Iterable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.scanners.byte_bpe.unicode_tables import SPACE_RANGES, UNSAFE_RANGES
from rowspace.text.characters.unicode_tables import LETTER_RANGES, NUMBER_RANGES

__all__ = ["LETTER", "NUMBER", "OTHER", "SPACE", "changed_by_nfc", "character_classes"]

OTHER, LETTER, NUMBER, SPACE = range(4)

CODE_POINTS = 0x110000


@cache
def character_classes() -> NDArray[np.uint8]:
    r"""Return the class of every code point: uint8 (1114112,), read only.

    >>> classes = character_classes()
    >>> [int(classes[ord(character)]) for character in "'a1\n"] == [OTHER, LETTER, NUMBER, SPACE]
    True
    """
    table = np.full(CODE_POINTS, OTHER, np.uint8)
    for kind, ranges in ((LETTER, LETTER_RANGES), (NUMBER, NUMBER_RANGES), (SPACE, SPACE_RANGES)):
        table[_members(ranges)] = kind
    table.flags.writeable = False
    return table


@cache
def changed_by_nfc() -> NDArray[np.bool_]:
    r"""Return the code points without which every text equals its NFC: bool (1114112,), read only.

    >>> table = changed_by_nfc()
    >>> [bool(table[ord(character)]) for character in "aé\u0301"]
    [False, False, True]
    """
    table = _members(UNSAFE_RANGES)
    table.flags.writeable = False
    return table


def _members(ranges: Iterable[tuple[int, int]]) -> NDArray[np.bool_]:
    members = np.zeros(CODE_POINTS, np.bool_)
    for first, stop in ranges:
        members[first:stop] = True
    return members
