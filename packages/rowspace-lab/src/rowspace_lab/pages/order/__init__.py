"""The Order page: attention with and without positions, queries and keys, sinusoids, and position schemes."""

from rowspace_lab.page import Page
from rowspace_lab.pages.order import attention, lengths, ranking

__all__ = ["PAGE"]

PAGE = Page("order", {**attention.ROUTES, **ranking.ROUTES, **lengths.ROUTES})
