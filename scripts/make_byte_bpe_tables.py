"""Write encode/scanners/byte_bpe/unicode_tables.py: what a character is to the regular expressions of byte-level BPE.

The classes are those of the installed `tokenizers` library (Oniguruma's), and so is what NFC may change. Run this again
after an upgrade of the library to a newer Unicode version: tests/encode/scanners/byte_bpe/test_character_classes.py
fails when that is necessary.
"""

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

import tokenizers
from make_unicode_tables import CODE_POINTS, range_table
from tokenizers import Regex, normalizers, pre_tokenizers

TARGET = Path(__file__).parents[1] / "packages/rowspace/src/rowspace/encode/scanners/byte_bpe/unicode_tables.py"
FIRST_MARK, LAST_MARK = "\u0334", "\u0345"  # combining classes 1 and 240, the lowest and the highest

HEADER = '''"""What characters are to the regular expressions of byte-level BPE: generated, do not edit by hand.

Written by scripts/make_byte_bpe_tables.py from tokenizers {version}; character_classes.py reads it.
"""

from rowspace._base import ranges_of

'''


def main() -> None:
    """Write the module."""
    text = HEADER.format(version=tokenizers.__version__)
    text += range_table("SPACE_RANGES", "white space", ranges(matching(r"\s")))
    meaning = "characters that NFC may change, or join to or reorder with those next to them"
    text += range_table("UNSAFE_RANGES", meaning, ranges(unsafe()))
    TARGET.write_text(text.rstrip() + "\n", encoding="utf-8")
    print(f"wrote {TARGET}")


def matching(expression: str) -> Iterable[int]:
    """Yield the characters that a regular expression for one character matches in the library."""
    split = pre_tokenizers.Split(Regex(expression), behavior="removed", invert=True)
    for character, _ in split.pre_tokenize_str("".join(map(chr, CODE_POINTS))):
        yield ord(character)


def unsafe() -> Iterable[int]:
    """Yield the characters without which every text equals its NFC.

    These are the characters that change alone, those with a combining class, which may be reordered, and those after
    the first of some canonical decomposition, which may be composed with what precedes them.
    """
    composed, decomposed = normalizers.NFC(), normalizers.NFD()
    later = {c for code in CODE_POINTS for c in decomposed.normalize_str(chr(code))[1:]}
    for code in CODE_POINTS:
        character = chr(code)
        changed = composed.normalize_str(character) != character
        pairs = (LAST_MARK + character, character + FIRST_MARK)
        whole = decomposed.normalize_str(character) == character  # otherwise NFC keeps it only if it has no class
        reordered = whole and any(decomposed.normalize_str(pair) != pair for pair in pairs)
        if changed or reordered or character in later:
            yield code


def ranges(codes: Iterable[int]) -> Iterable[tuple[int, int]]:
    """Yield (first, last + 1) of each run of ascending numbers."""
    for _, run in groupby(enumerate(codes), key=lambda pair: pair[1] - pair[0]):
        values = [code for _, code in run]
        yield values[0], values[-1] + 1


if __name__ == "__main__":
    main()
