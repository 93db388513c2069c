"""The Arena page: input strategies compared on four tasks with the same compute, from a saved result or live."""

from rowspace.lab.page import Page
from rowspace.lab.pages.arena import routes, runs

__all__ = ["PAGE"]

PAGE = Page("arena", routes.ROUTES, job_kinds=runs.JOB_KINDS)
