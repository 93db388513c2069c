"""The Head page: from a hidden state to the probability of every row, and what tying saves."""

from rowspace.lab.page import Page
from rowspace.lab.pages.head import routes

__all__ = ["PAGE"]

PAGE = Page("head", routes.ROUTES)
