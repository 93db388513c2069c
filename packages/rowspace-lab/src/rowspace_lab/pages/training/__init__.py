"""The Training page: a small language model learns, and its rows move: watched live, and replayed."""

from rowspace_lab.page import Page
from rowspace_lab.pages.training.routes import ROUTES
from rowspace_lab.pages.training.runs import STEPS, job_kinds

__all__ = ["PAGE", "training_page"]


def training_page(steps: int = STEPS) -> Page:
    """Return the page, of which each run takes this number of steps."""
    return Page("training", ROUTES, job_kinds(steps))


PAGE = training_page()
