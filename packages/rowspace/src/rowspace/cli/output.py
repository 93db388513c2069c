"""Output of commands: tables and lines, or one JSON document, on standard output; messages on standard error."""

import json
import math
import sys
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import TextIO

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from rowspace._base.plural import plural
from rowspace.files.strict_json import finite

__all__ = ["console_on", "file_size", "message", "print_facts", "print_json", "print_line", "print_table", "shown"]

MIN_WIDTH, USUAL_WIDTH = 20, 80  # columns
_JOINERS = "\u200c\u200d"  # which Persian, the scripts of India and emoji are written with


def message(message: str) -> None:
    """Print a message on standard error; a failed write is ignored."""
    with suppress(OSError):
        print(f"rowspace: {message}", file=sys.stderr, flush=True)


def print_line(line: str) -> None:
    """Print a line on standard output."""
    print(line)


def print_json(document: object, *, indent: int | None = 2) -> None:
    """Print a JSON document on standard output; numbers that JSON cannot hold (nan) become null, and dates texts."""
    in_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    print(json.dumps(finite(document), indent=indent, ensure_ascii=not in_unicode, allow_nan=False, default=str))


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, words: Collection[int] = (0,)
) -> None:
    """Print a table on standard output: the columns `words` are left-aligned, the others, numbers, right-aligned."""
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for number, column in enumerate(columns):
        grid.add_column(_text(column), justify="left" if number in words else "right", overflow="fold")
    for row in rows:
        grid.add_row(*map(_text, row))
    _print_titled(title, grid)


def print_facts(title: str, facts: Iterable[tuple[str, str]]) -> None:
    """Print names and facts in two columns on standard output; long facts are folded."""
    grid = Grid(box=None, show_header=False, pad_edge=False)
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, fact in facts:
        grid.add_row(name, _text(fact))
    _print_titled(title, grid)


def shown(token: str) -> str:
    r"""Return a token with unprintable characters but joiners escaped, since they could be terminal commands.

    >>> shown("naïve"), shown("a\x1b[2J"), shown("a\u200cb") == "a\u200cb"
    ('naïve', 'a\\x1b[2J', True)
    """
    if token.isprintable():
        return token
    return "".join(each if each.isprintable() or each in _JOINERS else repr(each)[1:-1] for each in token)


def file_size(size: float) -> str:
    """Return a number of bytes in readable form.

    >>> file_size(999), file_size(5_259_728)
    ('999 bytes', '5.3 MB')
    """
    if size < 1000:
        return plural(round(size), "byte")
    power = min(4, int(math.log10(size) // 3))
    return f"{size / 1000**power:.1f} {' kMGT'[power]}B"


def console_on(file: TextIO) -> Console:
    """Return a console; a width too small for printing, such as `COLUMNS=0`, is ignored."""
    console = Console(file=file, highlight=False)
    if console.width < MIN_WIDTH:
        console.width = USUAL_WIDTH
    return console


def _print_titled(title: str, grid: Grid) -> None:
    console = console_on(sys.stdout)
    console.print(_text(title), style="bold", soft_wrap=True)
    console.print(grid)
    console.print()


def _text(content: str) -> Text:
    """Wrap text so that rich does not parse markup in it."""
    return Text(shown(content))
