"""The Cost page: parameters, bytes and operations of a table, and the values of the open table."""

from rowspace_lab.page import Page
from rowspace_lab.pages.cost import routes

__all__ = ["PAGE"]

PAGE = Page("cost", routes.ROUTES)
