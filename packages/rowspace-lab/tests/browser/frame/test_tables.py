"""The table is chosen in the navigation and kept in the URL; typed tables and the small world are edited."""

import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, Route, expect
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send
from tests.browser.conftest import pages_with, serving, url_of
from tests.browser.whole_page import expect_accessible, expect_fits_phone

import rowspace as rs
from rowspace_lab.app import make_app
from rowspace_lab.lab import Lab
from rowspace_lab.pages import PAGES
from rowspace_lab.tables.examples import SIX_WORDS
from rowspace_lab.tables.small_world import small_world_sentences, swap_words
from rowspace_lab.tables.world import OPTIONS

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]


class Restartable:
    """An application that can be replaced by a new one, which knows no table of the one before."""

    def __init__(self, make: Callable[[], Starlette]) -> None:
        self.make = make
        self.apps = [make()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self.apps[-1](scope, receive, send)
            return
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        for app in self.apps:
            async with app.router.lifespan_context(app):
                pass  # the jobs of this application end, and their folder is removed
        await send({"type": "lifespan.shutdown.complete"})

    def restart(self) -> None:
        self.apps.append(self.make())


@pytest.fixture(scope="session")
def app() -> Restartable:
    rows = np.random.default_rng(0).normal(size=(30, 6)).astype(np.float32)
    table = rs.Table([f"word{number}" for number in range(30)], rows)
    return Restartable(lambda: make_app(Lab(table, "opened-table"), pages=pages_with()))


@pytest.fixture(scope="session")
def lab_url(app: Restartable) -> Iterator[str]:
    with serving(app) as server:
        yield url_of(server)


def chosen(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Table")


def row_shown(page: Page, word: str) -> list[float]:
    """The numbers of a word in the table below the figure of the Words page."""
    rows = page.get_by_role("table", name="The rows", exact=True)
    expect(rows.get_by_role("columnheader", name=word, exact=True)).to_be_visible()
    at = rows.get_by_role("columnheader").all_inner_texts().index(word)
    cells = [line.locator("td, th").all_inner_texts() for line in rows.locator("tbody tr").all()]
    return [float(line[at].replace("\N{MINUS SIGN}", "-")) for line in cells]


def is_rounded(shown: list[float], row: object) -> None:
    np.testing.assert_allclose(shown, np.array(row)[: len(shown)], atol=5.1e-4)


def test_chosen_table_is_shown_on_every_page_and_kept_in_the_url(visit: Visit) -> None:
    page = visit("words")
    chosen(page).select_option("six-words")
    page.wait_for_url("**/words?table=six-words")
    is_rounded(row_shown(page, "cat"), SIX_WORDS["cat"])
    page.get_by_role("link", name="Pipeline").click()
    page.wait_for_url("**/pipeline?table=six-words")
    expect(page.get_by_role("table", name="The rows")).to_be_visible()
    page.reload()
    expect(chosen(page)).to_have_value("six-words")
    page.go_back()
    page.wait_for_url("**/words?table=six-words")
    chosen(page).select_option("opened")
    page.wait_for_url(re.compile("/words$"))
    expect(page.get_by_role("table", name="The rows", exact=True)).to_contain_text("word0")


def test_each_table_keeps_its_own_words(visit: Visit) -> None:
    page = visit("words?word=word7")
    chosen(page).select_option("six-words")
    row_shown(page, "cat")
    chosen(page).select_option("opened")
    page.wait_for_url("**/words?word=word7")


@pytest.mark.long
@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_page_shows_a_figure_of_six_words(visit: Visit, name: str) -> None:
    page = visit(f"{name}?table=six-words")
    page.wait_for_load_state("networkidle")
    assert [text for text in page.get_by_role("alert").all_inner_texts() if text] == []
    expect(page.locator("section[aria-label=Figure]")).not_to_be_empty()
    expect_fits_phone(page)


@pytest.mark.refused
def test_unknown_table_is_reported_and_another_can_be_chosen(page: Page, lab_url: str) -> None:
    page.goto(f"{lab_url}/words?table=typed-0123")
    expect(page.get_by_role("alert").filter(has_text="there is no table 'typed-0123'").first).to_be_visible()
    chosen(page).select_option("six-words")
    is_rounded(row_shown(page, "cat"), SIX_WORDS["cat"])


@pytest.mark.long
@pytest.mark.refused
def test_page_follows_a_typed_table(visit: Visit) -> None:
    page = visit("words")
    chosen(page).select_option("new")
    page.wait_for_url("**/words?table=typed-*")
    rows = page.get_by_role("textbox", name="Rows")
    rows.fill("apple 1 2 3\npear 4 5 −6.5")
    is_rounded(row_shown(page, "pear"), [4, 5, -6.5])
    rows.fill("apple 1 2 3\npear 4 5")
    expect(page.get_by_text("line 2: 'pear' has 2 numbers, but the first word has 3")).to_be_visible()
    expect(page.locator("section.figure.outdated")).to_be_visible()
    rows.fill("apple 1 2 3\npear 4 5 6")
    expect(page.locator(".outdated")).to_have_count(0)
    is_rounded(row_shown(page, "pear"), [4, 5, 6])


@pytest.mark.long
def test_example_can_be_edited(visit: Visit) -> None:
    page = visit("words?table=six-words")
    page.get_by_role("button", name="Edit").click()
    rows = page.get_by_role("textbox", name="Rows")
    expect(rows).to_have_value(re.compile("^the -0.12 0.05 0.88\n"))
    rows.fill(rows.input_value().replace("0.72", "0.5"))
    page.wait_for_url("**/words?table=typed-*")
    is_rounded(row_shown(page, "cat"), [0.5, -0.41, 0.15])
    page.go_back()
    expect(rows).to_have_value(re.compile("cat 0.72"))


@pytest.mark.long
@pytest.mark.refused
def test_own_table_is_sent_again_to_a_restarted_server(visit: Visit, app: Restartable) -> None:
    page = visit("words")
    chosen(page).select_option("new")
    page.wait_for_url("**/words?table=typed-*")
    page.get_by_role("textbox", name="Rows").fill("kiwi 7 8\nplum 9 10")
    is_rounded(row_shown(page, "plum"), [9, 10])
    before = page.url
    app.restart()
    page.reload()
    is_rounded(row_shown(page, "plum"), [9, 10])
    assert page.url == before
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_role("textbox", name="Rows")).to_have_value("kiwi 7 8\nplum 9 10")


@pytest.mark.long
def test_swapping_two_words_swaps_their_neighbors(visit: Visit) -> None:
    page = visit("words?table=small-world&word=king")
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_role("textbox", name="Sentences")).to_have_value("\n".join(small_world_sentences()))
    page.get_by_role("button", name="Swap the contexts of these words").click()
    page.wait_for_url("**/words?table=world-*")
    swapped = swap_words(small_world_sentences(), "cat", "king")
    expect(page.get_by_role("textbox", name="Sentences")).to_have_value("\n".join(swapped))
    expect(page.locator(".outdated")).to_have_count(0)
    table = rs.fit(iter(swapped), dim=16, **OPTIONS)
    is_rounded(row_shown(page, "king"), table["king"])
    near = page.get_by_role("table", name="Nearest neighbors of king").locator("tbody th, tbody td:first-child")
    assert near.all_inner_texts()[:3] == [word for word, _ in table.neighbors("king", k=3)]


@pytest.mark.long
def test_added_sentence_and_dimension_are_learned(visit: Visit) -> None:
    page = visit("words?table=small-world")
    page.get_by_role("button", name="Edit").click()
    sentence = page.get_by_role("textbox", name="New sentence")
    sentence.fill("the wolf can run in the garden")
    sentence.press("Enter")
    page.wait_for_url("**/words?table=world-*")
    added = page.url
    page.get_by_role("group", name="Numbers per word").get_by_text("8", exact=True).click()
    page.wait_for_url(lambda url: "table=world-" in url and url != added)
    expect(page.locator(".outdated")).to_have_count(0)
    page.get_by_role("combobox", name="Word", exact=True).fill("wolf")
    page.keyboard.press("Enter")
    sentences = ["the wolf can run in the garden", *small_world_sentences()]
    is_rounded(row_shown(page, "wolf"), rs.fit(iter(sentences), dim=8, **OPTIONS)["wolf"])
    page.get_by_role("button", name="Back to the first sentences").click()
    page.wait_for_url("**/words?table=small-world")
    row_shown(page, "king")


def test_figure_is_marked_until_the_rows_of_the_text_are_shown(visit: Visit) -> None:
    held: list[Route] = []
    page = visit("words?table=small-world")
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_role("textbox", name="Sentences")).not_to_be_empty()

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/api/tables/world*", hold)
    page.get_by_role("button", name="Add a sentence").click()
    expect(page.get_by_text("Learning …")).to_be_visible()
    expect(page.locator("section.figure.outdated")).to_be_visible()
    while not held:  # the figure is marked before the request is sent
        page.wait_for_timeout(10)
    held[0].continue_()
    expect(page.locator(".outdated")).to_have_count(0)


@pytest.mark.long
def test_editor_is_accessible_and_fits_a_phone(visit: Visit) -> None:
    page = visit("words?table=small-world")
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_role("textbox", name="Sentences")).not_to_be_empty()
    expect_accessible(page, dark=False)
    expect_fits_phone(page)


@pytest.mark.long
def test_late_reply_does_not_overwrite_what_is_typed(visit: Visit) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page = visit("words")
    page.route("**/api/tables/text*", hold)
    with page.expect_request("**/api/tables/text*"):  # of the new table, when it is shown
        chosen(page).select_option("new")
    rows = page.get_by_role("textbox", name="Rows")
    rows.fill("apple 1 2\npear 3 4")
    held[0].continue_()
    is_rounded(row_shown(page, "pear"), [3, 4])
    expect(rows).to_have_value("apple 1 2\npear 3 4")
