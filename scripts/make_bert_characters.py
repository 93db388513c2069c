"""Write encode/scanners/wordpiece/bert_characters.py: what BERT's normalizer does with each character.

All of it comes from the installed `tokenizers` library, so that the scanner gives the same ids as the library. Run this
again after an upgrade of the library: tests/encode/scanners/wordpiece/test_characters.py fails when that is necessary.
"""

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from textwrap import wrap
from unicodedata import ucd_3_2_0

import tokenizers
from make_unicode_tables import range_table
from tokenizers.normalizers import NFD, BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

TARGET = Path(__file__).parents[1] / "packages/rowspace/src/rowspace/encode/scanners/wordpiece/bert_characters.py"
CODE_POINTS = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]  # without surrogates
HANGUL = range(0xAC00, 0xD7A4)  # syllables, whose parts follow a formula

HEADER = '''"""What BERT's normalizer and splitter do with each character: generated, do not edit by hand.

Written by scripts/make_bert_characters.py from tokenizers {version}; characters.py reads it.
"""

from rowspace._base import ranges_of

'''


def main() -> None:
    """Write the module."""
    stripped = strip_accents()
    text = HEADER.format(version=tokenizers.__version__)
    text += ranges("CONTROLS", "what clean_text removes", controls())
    text += ranges("SPACES", "white space, which separates words", spaces())
    text += ranges("PUNCTUATION", "characters of which each is a word", punctuation())
    text += ranges("CHINESE", "characters of which each is a word with handle_chinese_chars", chinese())
    marks = [code for code, kept in stripped.items() if not kept]
    kept = {code: kept for code, kept in stripped.items() if kept}
    later = {code for code in kept if decomposed(code, marks) != kept[code]}
    text += ranges("MARKS", "what strip_accents removes", marks)
    text += ranges("MOVING", "what strip_accents keeps and may reorder", moving(stripped))
    text += ranges("COMPOSED", "what strip_accents decomposes as Unicode 3.2 does", sorted(kept.keys() - later))
    text += "# What it keeps of other characters.\n"
    pairs = " ".join(f"{chr(code)!a}: {kept[code]!a}," for code in sorted(later))
    lines = wrap(pairs, 116, initial_indent="    ", subsequent_indent="    ")
    text += "\n".join(["# fmt: off", "LATER = {", *lines, "}", "# fmt: on", ""])
    TARGET.write_text(text, encoding="utf-8")
    print(f"wrote {TARGET}")


def normalized(*, lines: Iterable[str], **options: bool) -> list[str]:
    """Return the characters as BERT's normalizer leaves them, with the options that are named."""
    names = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
    normalizer = BertNormalizer(**{name: options.get(name, False) for name in names})
    return [normalizer.normalize_str(line) for line in lines]


def each_character(**options: bool) -> dict[int, str]:
    """Return each code point as BERT's normalizer leaves it, with the options that are named."""
    return dict(zip(CODE_POINTS, normalized(lines=map(chr, CODE_POINTS), **options), strict=True))


def controls() -> list[int]:
    """Return the code points that clean_text removes."""
    return [code for code, cleaned in each_character(clean_text=True).items() if not cleaned]


def chinese() -> list[int]:
    """Return the code points that handle_chinese_chars puts between spaces."""
    return [code for code, found in each_character(handle_chinese_chars=True).items() if len(found) > 1]


def spaces() -> list[int]:
    """Return the code points that the splitter removes."""
    return [code for code in CODE_POINTS if not BertPreTokenizer().pre_tokenize_str(chr(code))]


def punctuation() -> list[int]:
    """Return the code points that the splitter separates from letters."""
    split = BertPreTokenizer()
    return [code for code in CODE_POINTS if len(split.pre_tokenize_str(f"a{chr(code)}a")) == 3]


def strip_accents() -> dict[int, str]:
    """Return what strip_accents keeps of the code points that it changes."""
    found = each_character(strip_accents=True)
    return {code: kept for code, kept in found.items() if kept != chr(code) and code not in HANGUL}


def moving(stripped: dict[int, str]) -> list[int]:
    """Return the code points of which strip_accents keeps something that NFD moves before or behind a mark."""
    decompose = NFD().normalize_str
    low, high = "\u0334", "\u0345"  # marks of the lowest and the highest combining class

    def moves(character: str) -> bool:
        return decompose(character + low) != character + low or decompose(high + character) != high + character

    return [code for code in CODE_POINTS if code not in HANGUL and any(map(moves, stripped.get(code, chr(code))))]


def decomposed(code: int, marks: list[int]) -> str:
    """Return the decomposition of a character in Unicode 3.2, which all versions of Python have, without marks."""
    return "".join(each for each in ucd_3_2_0.normalize("NFD", chr(code)) if ord(each) not in marks)


def ranges(name: str, meaning: str, codes: list[int]) -> str:
    """Return ranges of code points as source text."""
    runs = [[code for _, code in run] for _, run in groupby(enumerate(codes), key=lambda pair: pair[1] - pair[0])]
    return range_table(name, meaning, [(run[0], run[-1] + 1) for run in runs])


if __name__ == "__main__":
    main()
