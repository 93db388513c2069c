"""The access middleware in a browser: opening pages with the token, and requests from another site."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, Page, expect

from rowspace_lab.server.security import Access, AccessMiddleware

pytestmark = pytest.mark.browser


@pytest.fixture
def access(guard: AccessMiddleware) -> Access:
    """The access settings of a server."""
    return guard.access


@pytest.fixture
def stranger(access: Access) -> Iterator[str]:
    """Another site in the same browser that links to the workbench and embeds it in a frame."""
    us = f"http://127.0.0.1:{access.port}"
    page = f"""<!doctype html><a href="{access.url}">open</a><iframe src="{us}/words?embed=light"></iframe>"""

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield f"http://localhost:{site.server_port}"
        site.shutdown()


@pytest.fixture
def watched(browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    """A page in a new browser context, and its console messages."""
    with browser.new_context() as context:
        page, messages = context.new_page(), []
        page.on("console", lambda message: messages.append(message.text))
        yield page, messages


def expect_figure(page: Page) -> None:
    expect(page.get_by_role("region", name="Figure").locator("*").first).to_be_visible()


def test_printed_url_opens_the_page_and_drops_the_token(access: Access, watched: tuple[Page, list[str]]) -> None:
    page, messages = watched
    page.goto(access.url)
    expect_figure(page)
    assert "token" not in page.url
    page.reload()
    expect_figure(page)
    assert messages == []  # no violation of the content security policy
    assert page.evaluate("document.cookie") == ""


def test_missing_token_shows_a_message(access: Access, watched: tuple[Page, list[str]]) -> None:
    page, _ = watched
    response = page.goto(f"http://127.0.0.1:{access.port}/words")
    assert response.status == 403
    expect(page.get_by_text("the token is missing")).to_be_visible()


def test_link_on_another_site_opens_the_page(access: Access, stranger: str, watched: tuple[Page, list[str]]) -> None:
    page, _ = watched
    page.goto(stranger)
    page.get_by_role("link").click()
    expect_figure(page)
    assert "token" not in page.url


def test_another_site_cannot_use_the_session(access: Access, stranger: str, watched: tuple[Page, list[str]]) -> None:
    page, _ = watched
    page.goto(access.url)
    expect_figure(page)
    other, statuses = page.context.new_page(), []
    other.on(
        "response", lambda response: statuses.append(response.status) if f":{access.port}" in response.url else None
    )
    other.goto(stranger)
    fetch = f"fetch('http://127.0.0.1:{access.port}/api/words/rows', {{mode: 'no-cors', credentials: 'include'}})"
    assert other.evaluate(f"{fetch}.then(() => 'resolved', () => 'rejected')") == "rejected"
    other.wait_for_load_state("networkidle")
    assert set(statuses) == {403}


def test_page_of_another_port_shows_nothing_in_its_frame(
    access: Access, stranger: str, watched: tuple[Page, list[str]]
) -> None:
    page, messages = watched
    page.goto(access.url)
    expect_figure(page)
    page.goto(stranger.replace("localhost", "127.0.0.1"))
    frame = page.frames[1]
    assert frame.url == "chrome-error://chromewebdata/"
    expect(frame.get_by_role("region")).to_have_count(0)
    assert any("frame-ancestors 'self'" in line for line in messages)


def test_policy_blocks_requests_to_other_servers(access: Access, watched: tuple[Page, list[str]]) -> None:
    page, messages = watched
    page.goto(access.url)
    failed = page.evaluate("fetch('http://localhost:9/').then(() => false, () => true)")
    assert failed
    assert any("Content Security Policy" in line for line in messages)
