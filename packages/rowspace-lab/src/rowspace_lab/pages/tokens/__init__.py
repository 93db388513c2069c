"""The Tokens page: a text tokenized at several vocabulary sizes, and the merges of byte pairs."""

from rowspace_lab.page import Page
from rowspace_lab.pages.tokens import comparison_routes, merging, sources, splits, training

__all__ = ["PAGE"]

ROUTES = {**splits.ROUTES, **merging.ROUTES, **training.ROUTES, **comparison_routes.ROUTES}
PAGE = Page("tokens", ROUTES, sources.JOB_KINDS)
