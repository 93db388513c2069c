"""The Compare page: which words moved or changed neighbors from the open table to another one of the list."""

from functools import partial

from rowspace_lab.page import Page
from rowspace_lab.pages.compare.routes import HANDLERS
from rowspace_lab.tables.tables import Tables

__all__ = ["PAGE", "compare_page"]


def compare_page(tables: Tables | None) -> Page:
    """Return the page over a list of tables; over the open one and the built-in ones without it."""
    return Page("compare", {path: partial(handler, tables) for path, handler in HANDLERS.items()})


PAGE = compare_page(None)
"""The page over the open table and the built-in ones."""
