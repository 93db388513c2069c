"""The Words page: words, their rows and neighbors, and the map of all rows."""

from rowspace_lab.page import Page
from rowspace_lab.pages.words import chosen, counts, learned_jobs, map_jobs, maps, neighbors, pairs, probes

__all__ = ["PAGE"]

PAGE = Page(
    "words",
    {**neighbors.ROUTES, **maps.ROUTES, **pairs.ROUTES, **counts.ROUTES, **chosen.ROUTES, **probes.ROUTES},
    {**map_jobs.JOB_KINDS, **learned_jobs.JOB_KINDS},
)
