"""The Words page: words, their rows and neighbors, and the map of all rows."""

from rowspace_lab.page import Page
from rowspace_lab.pages.words import chosen, counts, graph, learned_jobs, map_jobs, maps, neighbors, pairs, probes

__all__ = ["PAGE", "words_page"]


def words_page(*, maps_in_background: bool = True) -> Page:
    """Return the page, which computes UMAP of a table while PCA is shown, or only on request."""
    routes = {**neighbors.ROUTES, **pairs.ROUTES, **counts.ROUTES, **chosen.ROUTES, **graph.ROUTES, **probes.ROUTES}
    return Page(
        "words",
        {**routes, **maps.routes(in_background=maps_in_background)},
        {**map_jobs.JOB_KINDS, **learned_jobs.JOB_KINDS},
    )


PAGE = words_page()
