"""Every page is accessible in both themes, fits any width, has code that runs, saves pictures and opens by a link.

The server is the one that sends a content security policy, and a page that violates it logs an error.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.conftest import open_address, watching
from tests.browser.saved import expect_picture, saved
from tests.browser.whole_page import expect_accessible, expect_fits_phone

from rowspace_lab.pages import PAGES
from rowspace_lab.server.security import AccessMiddleware

pytestmark = pytest.mark.browser
PICTURE_BELOW = 180
"""The pixels above the first picture, on a screen of 1280 × 720."""


def in_ci(*names: str) -> list[Any]:
    """All pages, of which all but these are left to the long form."""
    return [pytest.param(page.name, marks=() if page.name in names else pytest.mark.long) for page in PAGES]


@pytest.fixture(scope="module")
def session(browser: Browser, guard: AccessMiddleware) -> list[Any]:
    """The cookies of a browser that has opened the printed URL."""
    with browser.new_context() as context:
        context.new_page().goto(guard.access.url)
        return context.cookies()


@pytest.fixture(scope="module", params=in_ci("start", "words", "tokens", "pipeline", "training", "search"))
def visited(
    browser: Browser, guard: AccessMiddleware, session: list[Any], request: pytest.FixtureRequest
) -> Iterator[Page]:
    """A page with its defaults, opened once for all tests of this file."""
    url = f"http://127.0.0.1:{guard.access.port}"
    with browser.new_context() as context:
        context.add_cookies(session)
        page = context.new_page()
        with watching(page, url):
            open_address(page, f"{url}/{request.param}")
            page.wait_for_load_state("networkidle")
            yield page


@pytest.fixture
def opened(visited: Page) -> Page:
    """The page in the light theme and on a wide screen."""
    visited.emulate_media(color_scheme="light")
    visited.set_viewport_size({"width": 1280, "height": 720})
    return visited


@pytest.mark.parametrize("visited", in_ci("words", "order", "search"), indirect=True)
def test_page_is_accessible_in_both_themes(opened: Page) -> None:
    expect_accessible(opened)


def test_page_fits_a_phone_with_the_figure_on_the_first_screen(opened: Page) -> None:
    expect_fits_phone(opened)
    figure = "document.querySelector('section[aria-label=Figure]').getBoundingClientRect()"
    opened.wait_for_function(f"() => {figure}.top + scrollY <= 500")


def test_picture_begins_near_the_top_of_a_laptop_screen(opened: Page) -> None:
    drawn = "section[aria-label=Figure] :is(canvas, svg, table, ol)"
    opened.wait_for_function(
        f"() => [...document.querySelectorAll('{drawn}')].some((each) => {{"
        " const { top, height } = each.getBoundingClientRect();"
        f" return height > 24 && top + scrollY <= {PICTURE_BELOW}; }})"
    )


def test_introduction_stands_beside_the_figure_on_a_wide_screen_and_none_of_it_is_cut_off(opened: Page) -> None:
    opened.set_viewport_size({"width": 1400, "height": 900})
    introduction = "document.querySelector('.introduction')"
    figure = "document.querySelector('section[aria-label=Figure]').getBoundingClientRect()"
    beside = f"{figure}.left >= {introduction}.getBoundingClientRect().right"
    opened.wait_for_function(f"() => {beside} && {figure}.top + scrollY < 60")
    folded = opened.locator(".introduction details > summary")  # pages without a result unfold it on a wide screen
    if folded.count():
        folded.click()
    # figures fit themselves to a new width a moment later
    opened.wait_for_function(f"() => {introduction}.scrollWidth === {introduction}.clientWidth")
    opened.wait_for_function("() => document.documentElement.scrollWidth === 1400")
    if folded.count():
        folded.click()


def test_page_has_an_introduction_and_code_that_runs(opened: Page) -> None:
    expect(opened.locator("header p")).to_have_text(re.compile(r"[.?]$"))
    code = opened.get_by_label("Python", exact=True)
    expect(code).to_be_visible()
    exec(code.inner_text(), {})  # as pasted by a user


@pytest.mark.parametrize("visited", in_ci("words", "start", "patches"), indirect=True)
def test_figure_and_each_of_its_parts_are_saved_as_pictures(opened: Page, tmp_path: Path) -> None:
    opened.get_by_text("Save the picture").click()
    buttons = opened.get_by_role("button", name="PNG of")
    figure = opened.get_by_role("region", name="Figure")
    expect(buttons.first).to_be_visible()
    for at in range(buttons.count()):
        part = figure if at == 0 else None
        expect_picture(saved(opened, buttons.nth(at), tmp_path), part)


@pytest.mark.long
def test_pages_open_by_keyboard_from_the_navigation(visit) -> None:
    page = visit("words")
    for name in [each.name for each in PAGES]:
        link = page.get_by_role("navigation").get_by_role("listitem").locator(f"a[href='/{name}']")
        link.focus()
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/{name}")
        expect(link).to_have_attribute("aria-current", "page")
