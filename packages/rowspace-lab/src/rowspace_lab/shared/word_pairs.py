"""Known pairs of related words, as texts "man woman, king queen", and the pairs of a text that a table has."""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from numpy.typing import NDArray

from rowspace.table import Table
from rowspace_lab.shared.default_words import MARKS, is_learned

__all__ = ["ANTONYMS", "CODE_RELATIONS", "ENGLISH_RELATIONS", "GENDER", "Pair", "pairs_in", "pairs_of"]

Pair = tuple[str, str]

CODE_RELATIONS = {
    "verb to agent": """read reader, write writer, encode encoder, decode decoder, parse parser, load loader,
        build builder, format formatter, handle handler, iterate iterator""",
    "plural": """key keys, value values, row rows, column columns, class classes, function functions, file files,
        argument arguments, method methods, module modules""",
    "verb to noun": "read reading, write writing, parse parsing, encode encoding, decode decoding, load loading",
    "past": "encode encoded, decode decoded, return returned, parse parsed, load loaded, raise raised, close closed",
}
ENGLISH_RELATIONS = {
    "gender": """man woman, king queen, boy girl, father mother, brother sister, uncle aunt, husband wife, son daughter,
        prince princess, actor actress""",
    "royalty": "man king, woman queen, boy prince, girl princess",
    "capital": "france paris, italy rome, germany berlin, japan tokyo, spain madrid, russia moscow, egypt cairo",
    "plural": "cat cats, dog dogs, house houses, car cars, tree trees, book books, city cities, bird birds",
    "comparative": "good better, bad worse, big bigger, small smaller, fast faster, cold colder",
}
ANTONYMS = """
good bad, big small, large small, hot cold, old young, old new, high low, early late, first last, left right,
open close, start stop, begin end, true false, minimum maximum, min max, push pop, read write, encode decode,
get set, add remove, upper lower, before after, always never, up down, buy sell, love hate, fast slow, long short,
rich poor, win lose, man woman, men women, boy girl, boys girls, king queen, kings queens, father mother
"""
"""Pairs that WordNet or programmers call opposites."""
GENDER = """
man woman, king queen, boy girl, father mother, prince princess, men women, kings queens, boys girls, brother sister,
uncle aunt, husband wife, son daughter
"""


def pairs_of(text: str) -> list[Pair]:
    """Split a text into pairs of words, each pair once.

    >>> pairs_of("man woman, king queen")
    [('man', 'woman'), ('king', 'queen')]
    """
    parts = [part.split() for part in re.split(r"[,;\n]", text)]
    return list(dict.fromkeys((a, b) for words in parts for a, b in list(pairwise(words))[:1]))


def pairs_in(table: Table, pairs: Iterable[Pair], usable: NDArray[Any] | None = None) -> list[Pair]:
    """Return the tokens of the pairs whose words both have a row, with the mark that the table writes before words.

    Only rows that are `usable`, (V,), count; by default those that were learned.
    """
    usable, found = is_learned(table) if usable is None else usable, []
    for pair in pairs:
        for mark in MARKS:
            a, b = (table.find_shown(mark + word) for word in pair)
            if a is not None and b is not None and usable[table.ids([a, b])].all():
                found.append((a, b))
                break
    return found
