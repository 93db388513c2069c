"""The tables that lessons compute their numbers on, each opened once."""

from functools import cache

from rowspace.errors import MissingExtraError, UsageError
from rowspace.table import Table
from rowspace_lab.tables.everyday import EVERYDAY
from rowspace_lab.tables.examples import SIX_WORDS, rows_lab
from rowspace_lab.tables.world import SMALL_WORLD

__all__ = ["everyday_words", "six_words", "small_world"]


@cache
def six_words() -> Table:
    """Return the table of six words, (6, 3)."""
    return rows_lab(SIX_WORDS, "Six words", "six-words").table


@cache
def small_world() -> Table:
    """Return the table that is learned from the sentences of Small world; with one worker, always the same."""
    return SMALL_WORLD.open().table


@cache
def everyday_words() -> Table:
    """Return the table of everyday words.

    Raises:
        UsageError: It is not installed.
    """
    try:
        return EVERYDAY.open().table
    except MissingExtraError as error:
        raise UsageError(str(error)) from error
