"""Tables typed into the page: a word and its numbers per line."""

import math
from collections.abc import Iterator

from rowspace._base.plural import plural
from rowspace.errors import UsageError
from rowspace_lab.tables.choice import OwnText, TableChoice, short_hash
from rowspace_lab.tables.examples import Rows, rows_lab

__all__ = ["MAX_DIM", "MAX_WORDS", "read_rows", "typed_choice"]

MAX_WORDS = 200
MAX_DIM = 64
MAX_WORD_LENGTH = 100
MAX_NUMBER = 1e6  # products of rows stay finite in float32
SHOWN_ERRORS = 5


def read_rows(text: str) -> Rows:
    r"""Read a word and its numbers, separated by spaces or commas, from each line; empty lines are skipped.

    Raises:
        UsageError: Lines are wrong; the message has a line for each of the first few, with its number.

    >>> read_rows("cat 0.72, -0.41\n\non 0 1")
    {'cat': (0.72, -0.41), 'on': (0.0, 1.0)}
    """
    rows: dict[str, tuple[float, ...]] = {}
    errors = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            for word, row in _row_of(line):
                _check_row(word, row, rows)
                rows[word] = row
        except UsageError as error:
            errors.append(f"line {number}: {error}")
    if errors:
        more = [f"and {plural(len(errors) - SHOWN_ERRORS, 'other line')}"] if len(errors) > SHOWN_ERRORS else []
        raise UsageError("\n".join([*errors[:SHOWN_ERRORS], *more]))
    if not 2 <= len(rows) <= MAX_WORDS:
        raise UsageError(f"a typed table has 2 to {MAX_WORDS} words, one per line, not {len(rows)}")
    return rows


def typed_choice(text: str) -> TableChoice:
    """Return the choice of a typed table; its id depends on the text only.

    Raises:
        UsageError: The text is not a table.
    """
    rows, id = read_rows(text), f"typed-{short_hash(text)}"

    sentence = f"{plural(len(rows), 'row')} that you typed."
    return TableChoice(id, "Typed table", sentence, "own", lambda: rows_lab(rows, "typed table", id), OwnText(text))


def _row_of(line: str) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield the word and the numbers of a line, if it is not empty."""
    word, *numbers = line.replace(",", " ").split() or [""]
    if word:
        yield word, tuple(map(_number, numbers))


def _number(text: str) -> float:
    """Read a number, also one with a typographic minus sign."""
    try:
        number = float(text.replace("\N{MINUS SIGN}", "-"))
    except ValueError:
        raise UsageError(f"{text[:40]!r} is not a number; write a word without spaces, then its numbers") from None
    if not math.isfinite(number) or abs(number) > MAX_NUMBER:
        raise UsageError(f"{text[:40]!r} is too large; use numbers from -{MAX_NUMBER:,.0f} to {MAX_NUMBER:,.0f}")
    return number


def _check_row(word: str, row: tuple[float, ...], before: Rows) -> None:
    """Raise `UsageError` for a row that does not fit those before it."""
    if len(word) > MAX_WORD_LENGTH:
        raise UsageError(f"a word has at most {MAX_WORD_LENGTH} characters, not {len(word):,}")
    if word in before:
        raise UsageError(f"{word!r} is already on a line above; write each word once")
    if not 1 <= len(row) <= MAX_DIM:
        raise UsageError(f"{word!r} needs 1 to {MAX_DIM} numbers, not {len(row)}")
    width = len(next(iter(before.values()), row))
    if len(row) != width:
        raise UsageError(f"{word!r} has {plural(len(row), 'number')}, but the first word has {width}")
