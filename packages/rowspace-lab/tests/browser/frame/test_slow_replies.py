"""After an edit of the table, replies arrive in any order, and no request names words or ids of the table before."""

import re

import pytest
from playwright.sync_api import Page, Request, Response, Route, expect

pytestmark = pytest.mark.browser

BEFORE = "river 1 0\nplum 0.2 0.9\nfig 0.3 0.8\ncat 0.9 0.1\ndog 0.8 0.3\nhouse -0.2 1\nboat 0.7 -0.4"
AFTER = "cat 0.9 0.1\ndog 0.8 0.3\nhouse -0.2 1"


class SlowReplies:
    """Holds the requests of a page about other tables than `table`, and the URLs of those that the server refused."""

    def __init__(self, page: Page, table: str) -> None:
        self.page = page
        self.table = table
        self.held: list[Route] = []
        self.refused: list[str] = []
        page.on("response", self._note)
        page.on("requestfailed", self._drop)
        page.route(self.is_slow, self._hold)

    def is_slow(self, url: str) -> bool:
        return "table=typed-" in url and self.table not in url

    def release(self, at: int) -> None:
        """Release one request after the other, the oldest (0) or the newest (-1) first; later requests pass."""
        while self.held:
            route = self.held.pop(at)
            with self.page.expect_event("requestfinished", lambda request, url=route.request.url: request.url == url):
                route.continue_()
        self.page.unroute(self.is_slow)
        for route in self.held:
            route.continue_()

    def _hold(self, route: Route) -> None:
        self.held.append(route)

    def _note(self, response: Response) -> None:
        if response.status >= 400:
            self.refused.append(response.url)

    def _drop(self, request: Request) -> None:
        """Forget a request that the page no longer waits for."""
        self.held = [route for route in self.held if route.request != request]


def typed_table(page: Page, lab_url: str, text: str) -> str:
    """The id of a table with these rows."""
    found = re.search("typed-[0-9a-f]+", page.request.post(f"{lab_url}/api/tables/typed", data=text).text())
    assert found is not None
    return found[0]


def edit_slowly(page: Page, lab_url: str, address: str) -> SlowReplies:
    """Open a page about a typed table, and remove rows of the table."""
    before = typed_table(page, lab_url, BEFORE)
    path, _, state = address.partition("?")
    page.goto(f"{lab_url}/{path}?table={before}&{state}")
    page.locator("section[aria-label=Figure][aria-busy=false]").wait_for()
    page.wait_for_load_state("networkidle")
    page.get_by_role("button", name="Edit").click()
    rows = page.get_by_role("textbox", name="Rows")
    expect(rows).to_have_value(BEFORE)
    slow = SlowReplies(page, before)
    with page.expect_request(lambda request: slow.is_slow(request.url)):
        rows.fill(AFTER)
    return slow


@pytest.mark.parametrize(
    "address",
    [
        "words?tab=two&word=cat",
        pytest.param("words?analogy=cat+dog+house", marks=pytest.mark.long),
        pytest.param("words?chosen=true&analogy=cat+dog+house", marks=pytest.mark.long),
        pytest.param("analogies?view=move", marks=pytest.mark.long),
    ],
)
@pytest.mark.long
def test_words_of_the_table_before_are_not_requested(page: Page, lab_url: str, address: str) -> None:
    slow = edit_slowly(page, lab_url, address)
    slow.release(-1)
    expect(page.locator(".outdated")).to_have_count(0)
    assert slow.refused == []


@pytest.mark.long
@pytest.mark.parametrize("at", [pytest.param(0, marks=pytest.mark.long), -1], ids=["oldest first", "newest first"])
def test_ids_of_the_table_before_are_not_requested(page: Page, lab_url: str, at: int) -> None:
    slow = edit_slowly(page, lab_url, "words?tab=list")
    slow.release(at)
    words = page.locator("table").filter(has_text="All words").locator("tbody tr")
    expect(words).to_have_count(3)
    for word in ["cat", "dog", "house"]:
        expect(words.filter(has_text=word)).to_have_count(1)  # all tokens are known, so all requests have been sent
    assert slow.refused == []
