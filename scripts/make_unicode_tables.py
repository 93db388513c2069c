"""Write text/characters/unicode_tables.py: which characters make words, and how each is lowercased.

Both come from the installed `tokenizers` library (Oniguruma's classes, Rust's lowercase), so that the scanner gives the
same ids as the library. Run this again after an upgrade of the library to a newer Unicode version:
tests/text/characters/test_table.py fails when that is necessary.
"""

import json
from collections.abc import Iterable
from itertools import groupby, pairwise
from pathlib import Path
from textwrap import wrap

import tokenizers
from tokenizers import Regex, normalizers, pre_tokenizers

TARGET = Path(__file__).parents[1] / "packages/rowspace/src/rowspace/text" / "characters" / "unicode_tables.py"
EMOJI = "(?=[\u2300-\U0010ffff])\\p{Extended_Pictographic}"
CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]  # without surrogates

HEADER = '''"""Which characters make words and how they are lowercased: generated, do not edit by hand.

Written by scripts/make_unicode_tables.py from tokenizers {version}; table.py reads it.
"""

from rowspace._base import ranges_of

'''


def main() -> None:
    """Write the module."""
    runs = list(lower_runs())
    text = HEADER.format(version=tokenizers.__version__)
    for name, expression in (("LETTER", r"\p{L}"), ("MARK", r"\p{M}"), ("NUMBER", r"\p{N}")):
        text += range_table(f"{name}_RANGES", f"{name.lower()}s", ranges(expression))
    text += range_table("EMOJI_RANGES", "characters that can begin an emoji", ranges(EMOJI))
    text += table("LOWER_RUNS", "(first, last + 1, step, what to add to lowercase)", runs)
    text += "# Characters whose lowercase is more than one character.\n"
    text += f"LONG_LOWER = {{{', '.join(f'{c:#x}: {json.dumps(low)}' for c, low in long_lower())}}}\n"
    TARGET.write_text(text, encoding="utf-8")
    print(f"wrote {TARGET}")


def ranges(pattern: str) -> Iterable[tuple[int, int]]:
    """Yield the ranges of characters that match a pattern of the library's regex."""
    split = pre_tokenizers.Split(Regex(pattern), behavior="removed", invert=True)
    pieces = split.pre_tokenize_str("".join(map(chr, CODE_POINTS)))
    members = [ord(character) for character, _ in pieces]
    for _, run in groupby(enumerate(members), key=lambda pair: pair[1] - pair[0]):
        values = [member for _, member in run]
        yield values[0], values[-1] + 1


def lower_runs() -> Iterable[tuple[int, int, int, int]]:
    """Yield the characters with a one-character lowercase, as runs with the same shift and step."""
    run: list[int] = []  # first, last, step (0: not known yet), shift
    for code, low in lowercase():
        if len(low) != 1:
            continue
        shift, gap = ord(low) - code, code - run[1] if run else 0
        if run and shift == run[3] and gap in ([run[2]] if run[2] else [1, 2]):
            run[1:3] = code, gap
        else:
            if run:
                yield run[0], run[1] + 1, run[2] or 1, run[3]
            run = [code, code, 0, shift]
    yield run[0], run[1] + 1, run[2] or 1, run[3]


def long_lower() -> Iterable[tuple[int, str]]:
    """Return the characters whose lowercase is more than one character."""
    return [(code, low) for code, low in lowercase() if len(low) > 1]


def lowercase() -> Iterable[tuple[int, str]]:
    """Yield every character that the library lowercases, with its lowercase."""
    normalizer = normalizers.Lowercase()
    for code in CODE_POINTS:
        low = normalizer.normalize_str(chr(code))
        if low != chr(code):
            yield code, low


def table(name: str, meaning: str, rows: Iterable[tuple[int, ...]]) -> str:
    """Return a tuple of tuples as source text, filled to the line length."""
    lines = [f"# {meaning}.", "# fmt: off", f"{name} = ("]
    line = "   "
    for row in rows:
        cell = " (" + ", ".join(f"{value:#x}" for value in row) + "),"
        if len(line) + len(cell) > 110:
            lines.append(line)
            line = "   "
        line += cell
    return "\n".join([*lines, line, ")", "# fmt: on", "", ""])


def range_table(name: str, meaning: str, rows: Iterable[tuple[int, int]]) -> str:
    """Return ranges as source text: the differences between their bounds, for `ranges_of`."""
    bounds = [bound for row in rows for bound in row]
    gaps = " ".join(str(bound - before) for before, bound in pairwise([0, *bounds]))
    text = "\n".join(wrap(gaps, 116, initial_indent="    ", subsequent_indent="    "))
    return f'# (first, last + 1) of {meaning}.\n{name} = ranges_of("""\n{text}\n""")\n\n'


if __name__ == "__main__":
    main()
