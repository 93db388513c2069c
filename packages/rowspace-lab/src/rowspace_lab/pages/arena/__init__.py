"""The Arena page: input strategies compared on four tasks with the same compute, from a saved result or live."""

from rowspace_lab.page import Page
from rowspace_lab.pages.arena.routes import routes
from rowspace_lab.pages.arena.runs import BUDGETS, Budgets, job_kinds

__all__ = ["PAGE", "arena_page"]


def arena_page(budgets: Budgets = BUDGETS) -> Page:
    """Return the page with these budgets to choose from."""
    return Page("arena", routes(budgets), job_kinds(budgets))


PAGE = arena_page()
