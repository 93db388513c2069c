"""The Training page: a small language model learns, and its rows move: watched live, and replayed."""

from rowspace.lab.page import Page
from rowspace.lab.pages.training import routes, runs

__all__ = ["PAGE"]

PAGE = Page("training", routes.ROUTES, job_kinds=runs.JOB_KINDS)
