"""Progress bars on standard error, if it is a terminal."""

import os
import sys

from rich.progress import BarColumn, Progress as RichProgress, TextColumn

from rowspace.cli.output import console_on

__all__ = ["make_bars", "uses_bars"]


def uses_bars() -> bool:
    """Whether standard error is a terminal that can move the cursor."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def make_bars() -> RichProgress:
    """Return an empty set of bars on standard error, whose tasks have a description and the field `facts`."""
    return RichProgress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TextColumn("{task.fields[facts]}", justify="right"),
        TextColumn(" "),  # room for the terminal's ^C, which would move the bars down by a line
        console=console_on(sys.stderr),
        expand=True,
    )
