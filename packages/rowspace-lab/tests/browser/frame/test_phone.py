"""The pages on a phone: all controls are accessible, and the current page is in sight."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


@pytest.fixture
def phone(visit: Callable[[str], Page], page: Page) -> Callable[[str], Page]:
    """`phone("words")`: open a page on a phone."""
    page.set_viewport_size({"width": 390, "height": 844})
    return visit


def test_other_controls_can_be_unfolded(phone: Callable[[str], Page]) -> None:
    page = phone("head")
    slider = page.get_by_label("Softcap")
    expect(slider).to_be_hidden()
    page.get_by_text("More controls").click()
    expect(slider).to_be_visible()


def test_current_page_is_visible_in_the_navigation(phone: Callable[[str], Page]) -> None:
    page = phone("cost")
    expect(page.get_by_role("navigation", name="Pages").get_by_role("link", name="Cost")).to_be_in_viewport(ratio=1)
