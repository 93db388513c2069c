"""The Input page: token, position and segment embeddings, and their sum."""

from rowspace_lab.page import Page
from rowspace_lab.pages.input import parts

__all__ = ["PAGE"]

PAGE = Page("input", parts.ROUTES)
