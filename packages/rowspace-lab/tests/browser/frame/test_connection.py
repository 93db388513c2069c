"""Pages detect a stopped or restarted server and show instructions."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, expect

from rowspace_lab.server.security import AccessMiddleware

pytestmark = pytest.mark.browser


@pytest.fixture
def opened(browser: Browser, guard: AccessMiddleware) -> Iterator[Page]:
    """The Head page of a server; changes to the server are undone after the test."""
    before = (guard.instance, guard.access)
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(guard.access.url.replace("/?", "/head?"))
        expect(page.get_by_role("region", name="The numbers")).to_be_visible()
        yield page
    guard.instance, guard.access = before


def send_request(page: Page) -> None:
    page.get_by_text("More controls").click()
    page.get_by_label("Temperature").press("ArrowRight")


def test_restarted_server_shows_a_banner(opened: Page, guard: AccessMiddleware) -> None:
    guard.instance = "another"
    send_request(opened)
    expect(opened.get_by_role("alert").filter(has_text="The server was restarted.")).to_be_visible()
    opened.get_by_role("button", name="Reload").click()
    expect(opened.get_by_role("region", name="The numbers")).to_be_visible()
    expect(opened.get_by_text("The server was restarted.")).to_have_count(0)


def test_rejected_token_shows_a_banner(opened: Page, guard: AccessMiddleware) -> None:
    guard.instance, guard.access = "another", replace(guard.access, token="y" * 20)
    send_request(opened)
    expect(opened.get_by_role("alert").filter(has_text="Open the URL it printed")).to_be_visible()


def test_idle_page_detects_a_restart(opened: Page, guard: AccessMiddleware) -> None:
    guard.instance = "another"
    opened.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(opened.get_by_role("alert").filter(has_text="The server was restarted.")).to_be_visible()


def test_page_recovers_from_an_unreachable_server(opened: Page) -> None:
    opened.route("**/api/**", lambda route: route.abort())
    send_request(opened)
    lost = opened.get_by_role("alert").filter(has_text="This page may be out of date.")
    expect(lost).to_be_visible()
    opened.unroute_all()
    expect(lost).to_have_count(0)
    expect(opened.get_by_text("Is `rowspace lab` still running")).to_have_count(0)
