"""Every page is accessible in both themes and fits any width."""

import re

import pytest
from playwright.sync_api import expect
from tests.lab.browser.whole_page import expect_accessible, expect_fits_phone

from rowspace.lab.pages import PAGES

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_page_is_accessible_in_both_themes(visit, name: str) -> None:
    page = visit(name)
    expect_accessible(page)


@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_page_fits_the_width_of_a_phone(visit, name: str) -> None:
    page = visit(name)
    page.wait_for_load_state("networkidle")
    expect_fits_phone(page)


@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_page_has_an_introduction_and_code_that_runs(visit, name: str) -> None:
    page = visit(name)
    expect(page.locator("header p")).to_have_text(re.compile(r"[.?]$"))
    page.wait_for_load_state("networkidle")
    for folded in page.locator("summary").filter(has_text="The code").all():
        folded.click()
    exec(page.get_by_label("Python", exact=True).inner_text(), {})  # as pasted by a user


@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_page_opens_by_keyboard_from_the_navigation(visit, name: str) -> None:
    page = visit("words")
    link = page.get_by_role("navigation").get_by_role("listitem").locator(f"a[href='/{name}']")
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{name}")
    expect(link).to_have_attribute("aria-current", "page")
