"""The Input page: what each part of a model's input adds to a token."""

from rowspace.lab.page import Page
from rowspace.lab.pages.input import parts

__all__ = ["PAGE"]

PAGE = Page("input", parts.ROUTES)
