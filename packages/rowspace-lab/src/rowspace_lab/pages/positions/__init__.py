"""The Positions page: position schemes, and rotary frequencies for longer texts."""

from rowspace_lab.page import Page
from rowspace_lab.pages.positions import scaling, schemes

__all__ = ["PAGE"]

PAGE = Page("positions", {**schemes.ROUTES, **scaling.ROUTES})
