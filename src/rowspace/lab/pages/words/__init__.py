"""The Words page: words, their rows and neighbors, and the map of all rows."""

from rowspace.lab.page import Page
from rowspace.lab.pages.words import map_jobs, maps, neighbors

__all__ = ["PAGE"]

PAGE = Page("words", {**neighbors.ROUTES, **maps.ROUTES}, map_jobs.JOB_KINDS)
