"""Checks of a whole page: it is accessible, and it fits the width of a phone."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

ABOUT_COLORS = {"runOnly": ["color-contrast", "link-in-text-block"]}


def expect_accessible(page: Page, *, dark: bool = True) -> None:
    """Check the page by the rules of axe, in the light theme and the colors of the dark one."""
    page.wait_for_load_state("networkidle")
    for theme, options in {"light": None, "dark": ABOUT_COLORS}.items():
        if theme == "light" or dark:
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            found = Axe().run(page, options=options).response
            assert [(rule["id"], [node["html"][:200] for node in rule["nodes"]]) for rule in found["violations"]] == []
            assert "color-contrast" in [rule["id"] for rule in found["passes"]]


def expect_fits_phone(page: Page) -> None:
    """Make the page as wide as a phone, and wait until nothing is wider: figures follow a moment later."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("() => document.documentElement.scrollWidth === 390")
