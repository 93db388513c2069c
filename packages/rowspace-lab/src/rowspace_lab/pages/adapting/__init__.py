"""The Adapting page: a small model with pretrained rows learns a new word in four ways."""

from rowspace_lab.page import Page
from rowspace_lab.pages.adapting.routes import ROUTES

__all__ = ["PAGE"]

PAGE = Page("adapting", ROUTES)
