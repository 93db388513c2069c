"""The Tokens page: a text tokenized at several vocabulary sizes, and the merges of byte pairs."""

from rowspace_lab.page import Page
from rowspace_lab.pages.tokens import comparison, merging, sources, splits, training

__all__ = ["PAGE"]

PAGE = Page("tokens", {**splits.ROUTES, **merging.ROUTES, **training.ROUTES, **comparison.ROUTES}, sources.JOB_KINDS)
