"""The access middleware before real pages in a real browser: what opens them, and what another site may do."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, Page, expect

from rowspace.lab.pages import PAGES
from rowspace.lab.server.security import Access, AccessMiddleware

pytestmark = pytest.mark.browser


@pytest.fixture
def access(guard: AccessMiddleware) -> Access:
    """The access of a server behind its middleware."""
    return guard.access


@pytest.fixture
def stranger(access: Access) -> Iterator[str]:
    """Another site in the same browser, which links to the workbench and shows it in a frame."""
    us = f"http://127.0.0.1:{access.port}"
    page = f"""<!doctype html><a href="{access.url}">open</a><iframe src="{us}/"></iframe>"""

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_: object) -> None:
            """Be quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield f"http://localhost:{site.server_port}"
        site.shutdown()


@pytest.fixture
def watched(browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    """A page of a browser that knows nothing yet, and what its console says."""
    with browser.new_context() as context:
        page, said = context.new_page(), []
        page.on("console", lambda message: said.append(message.text))
        yield page, said


def shows_its_figure(page: Page) -> None:
    expect(page.get_by_role("region", name="Figure").locator("*").first).to_be_visible()


def test_the_printed_address_opens_the_page_and_goes_without_the_token(
    access: Access, watched: tuple[Page, list[str]]
) -> None:
    page, said = watched
    page.goto(access.url)
    shows_its_figure(page)
    assert "token" not in page.url
    page.reload()
    shows_its_figure(page)
    assert said == []  # the policy of the pages forbids nothing that they need
    assert page.evaluate("document.cookie") == ""


def test_no_page_needs_what_the_policy_forbids(access: Access, watched: tuple[Page, list[str]]) -> None:
    page, said = watched
    page.goto(access.url)
    for name in (page.name for page in PAGES):
        page.goto(f"http://127.0.0.1:{access.port}/{name}")
        shows_its_figure(page)
        page.wait_for_load_state("networkidle")
    assert said == []


def test_without_the_token_there_is_a_sentence(access: Access, watched: tuple[Page, list[str]]) -> None:
    page, _ = watched
    answer = page.goto(f"http://127.0.0.1:{access.port}/words")
    assert answer.status == 403
    expect(page.get_by_text("the token is missing")).to_be_visible()


def test_a_link_on_another_site_opens_the_page(access: Access, stranger: str, watched: tuple[Page, list[str]]) -> None:
    page, _ = watched
    page.goto(stranger)
    page.get_by_role("link").click()
    shows_its_figure(page)
    assert "token" not in page.url


def test_another_site_gets_nothing_from_who_is_inside(
    access: Access, stranger: str, watched: tuple[Page, list[str]]
) -> None:
    page, _ = watched
    page.goto(access.url)
    shows_its_figure(page)
    other, statuses = page.context.new_page(), []
    other.on("response", lambda answer: statuses.append(answer.status) if f":{access.port}" in answer.url else None)
    other.goto(stranger)
    asked = f"fetch('http://127.0.0.1:{access.port}/api/words/rows', {{mode: 'no-cors', credentials: 'include'}})"
    assert other.evaluate(f"{asked}.then(() => 'told', () => 'refused')") == "refused"
    other.wait_for_load_state("networkidle")
    assert set(statuses) == {403}


def test_the_policy_keeps_requests_on_this_server(access: Access, watched: tuple[Page, list[str]]) -> None:
    page, said = watched
    page.goto(access.url)
    failed = page.evaluate("fetch('http://localhost:9/').then(() => false, () => true)")
    assert failed
    assert any("Content Security Policy" in line for line in said)
