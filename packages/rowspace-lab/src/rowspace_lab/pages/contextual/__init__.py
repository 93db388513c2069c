"""The Contextual page: one word in several texts, its row and its vector after each layer of a real model."""

from rowspace_lab.page import Page
from rowspace_lab.pages.contextual import routes

__all__ = ["PAGE"]

PAGE = Page("contextual", routes.ROUTES)
