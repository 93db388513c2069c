"""The Pipeline page: from a text to the input matrix, and from gradients to the rows."""

from rowspace_lab.page import Page
from rowspace_lab.pages.pipeline import routes, step_routes

__all__ = ["PAGE"]

PAGE = Page("pipeline", {**routes.ROUTES, **step_routes.ROUTES})
