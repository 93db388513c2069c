"""Pages with a table without counts show no frequencies and list representative words."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, Route, expect
from tests.browser.conftest import pages_with, serving

from rowspace import space
from rowspace_lab.app import make_app
from rowspace_lab.lab import Lab

pytestmark = pytest.mark.browser


@pytest.fixture(scope="session")
def lab_url(bert_lab: Lab) -> Iterator[str]:
    with serving(make_app(bert_lab, pages=pages_with())) as server:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"


@pytest.mark.long
def test_counts_are_not_shown(visit: Callable[[str], Page], unfold: Callable[[str], None]) -> None:
    page = visit("words?tab=counts")
    expect(page.get_by_text("This table has no counts")).to_be_visible()
    unfold("The numbers")
    expect(page.get_by_role("table", name="Nearest neighbors of")).to_be_visible()
    expect(page.get_by_role("columnheader", name="count")).to_have_count(0)
    visit("tokens?tokenizer=table")
    pieces = page.get_by_role("table", name="The pieces of the text")
    expect(pieces).to_be_visible()
    expect(pieces.get_by_role("columnheader", name="count")).to_have_count(0)


@pytest.mark.long
def test_list_of_words_waits_for_its_order(visit: Callable[[str], Page], page: Page, bert_lab: Lab) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/api/words/order", hold)
    visit("words?tab=list")
    expect(page.get_by_text("Sorting the words")).to_be_attached()
    expect(page.get_by_role("table", name="All words")).to_have_count(0)
    for route in held:
        route.continue_()
    words = page.get_by_role("table", name="All words, nearest to the cluster centers first")
    order = space.representative_order(bert_lab.table.rows, bert_lab.table.vocabulary)
    expect(words.get_by_role("row").nth(1)).to_contain_text(bert_lab.table.vocabulary[int(order[0])])


@pytest.mark.long
def test_code_for_one_word_has_no_comparison(visit: Callable[[str], Page], unfold: Callable[[str], None]) -> None:
    page = visit("words?tab=two")
    unfold("The code")
    expect(page.get_by_text("# pairwise")).to_be_visible()
    visit("words?word=the&tab=two")  # the code is still unfolded
    expect(page.get_by_text("# the nearest neighbors")).to_be_visible()
    expect(page.get_by_text("# pairwise")).to_have_count(0)
