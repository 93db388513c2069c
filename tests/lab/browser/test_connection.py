"""A server that stops, or is started again: the page notices, and says what to do."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, expect

from rowspace.lab.server.security import AccessMiddleware

pytestmark = pytest.mark.browser


@pytest.fixture
def opened(browser: Browser, guard: AccessMiddleware) -> Iterator[Page]:
    """The Head page of a server that is then changed; it is as before afterwards."""
    before = (guard.instance, guard.access)
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(guard.access.url.replace("/?", "/head?"))
        expect(page.get_by_role("table", name="From dot product to probability")).to_be_visible()
        yield page
    guard.instance, guard.access = before


def ask_something(page: Page) -> None:
    page.get_by_label("Temperature").press("ArrowRight")


def test_a_server_that_was_started_again_is_noticed(opened: Page, guard: AccessMiddleware) -> None:
    guard.instance = "another"
    ask_something(opened)
    expect(opened.get_by_role("alert").filter(has_text="The server was started again.")).to_be_visible()
    opened.get_by_role("button", name="Reload").click()
    expect(opened.get_by_role("table", name="From dot product to probability")).to_be_visible()
    expect(opened.get_by_text("The server was started again.")).to_have_count(0)


def test_a_token_that_is_refused_is_noticed(opened: Page, guard: AccessMiddleware) -> None:
    guard.instance, guard.access = "another", replace(guard.access, token="y" * 20)
    ask_something(opened)
    expect(opened.get_by_role("alert").filter(has_text="Open the URL that it printed")).to_be_visible()


def test_a_page_that_asks_nothing_notices_it_too(opened: Page, guard: AccessMiddleware) -> None:
    guard.instance = "another"
    opened.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(opened.get_by_role("alert").filter(has_text="The server was started again.")).to_be_visible()


def test_a_server_that_does_not_answer_is_noticed_and_asked_again(opened: Page) -> None:
    opened.route("**/api/**", lambda route: route.abort())
    ask_something(opened)
    lost = opened.get_by_role("alert").filter(has_text="The server does not answer.")
    expect(lost).to_be_visible()
    opened.unroute_all()
    expect(lost).to_have_count(0)
    expect(opened.get_by_text("is `rowspace lab` still running")).to_have_count(0)
