"""The Patches page: a picture cut into patches, their projection, and the cost of the patch size."""

from rowspace_lab.page import Page
from rowspace_lab.pages.patches import cut

__all__ = ["PAGE"]

PAGE = Page("patches", cut.ROUTES)
