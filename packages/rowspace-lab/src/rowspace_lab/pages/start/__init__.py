"""The Start page, which shows a text on its way to logits with the replies of the Pipeline page."""

from rowspace_lab.page import Page

__all__ = ["PAGE"]

PAGE = Page("start", {})
