"""The Head page: the probabilities of all rows for a hidden state, and the parameters that tying saves."""

from rowspace_lab.page import Page
from rowspace_lab.pages.head import routes

__all__ = ["PAGE"]

PAGE = Page("head", routes.ROUTES)
