"""The "Why" panel of each page: folded at first, and its links set the state of the page without loading it again."""

from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from rowspace_lab.lessons.panels import PAGES, read_why

pytestmark = pytest.mark.browser

# The texts of controls and figure, and the values of their fields.
SHOWN = """() => Array.from(
  document.querySelectorAll("section[aria-label=Controls], section[aria-label=Figure]"),
  (part) => part.innerText + Array.from(part.querySelectorAll("input, select"), (field) => field.value + field.checked)
).join()"""
IN_CI = {"order"}


def panel(page: Page) -> Locator:
    return page.get_by_role("region", name="Why")


def settle(page: Page) -> None:
    page.wait_for_load_state("networkidle")
    page.locator("section[aria-label=Figure][aria-busy=false]").wait_for()


@pytest.mark.parametrize(
    "name", [name if name in IN_CI else pytest.param(name, marks=pytest.mark.long) for name in PAGES]
)
def test_each_link_sets_the_state_of_the_page(visit: Callable[[str], Page], name: str) -> None:
    page = visit(name)
    settle(page)
    panel(page).locator("summary").click()
    page.evaluate("window.sameDocument = true")
    for title, address in read_why(name).links:
        before = page.evaluate(SHOWN)
        panel(page).get_by_role("link", name=title, exact=True).click()
        page.wait_for_function("address => location.pathname + location.search === address", arg=address)
        page.wait_for_function(f"before => ({SHOWN})() !== before", arg=before)
        settle(page)
        assert parse_qsl(urlsplit(page.url).query) == parse_qsl(urlsplit(address).query)  # nothing was corrected
        expect(page.locator("p.failure").first).to_be_empty()
        expect(page.get_by_role("region", name="Figure")).to_be_in_viewport()
    assert page.evaluate("window.sameDocument")


def test_panel_is_folded_until_the_reader_opens_it_on_any_page(visit: Callable[[str], Page]) -> None:
    page = visit("cost")
    expect(panel(page).locator("summary")).to_contain_text("Why not just use more rows?")
    expect(panel(page).get_by_role("link")).to_have_count(0)
    panel(page).locator("summary").click()
    expect(panel(page).get_by_role("link")).to_have_count(3)
    page.wait_for_function("localStorage.getItem('open:why') === 'true'")  # browsers send `toggle` after the click
    page = visit("head")
    expect(panel(page).get_by_role("link")).to_have_count(3)


def test_link_keeps_the_sentence_of_the_reader(visit: Callable[[str], Page]) -> None:
    page = visit("input?text=read+the+file")
    panel(page).locator("summary").click()
    panel(page).get_by_role("link", name="Put token and position side by side instead").click()
    page.wait_for_url("**/input?view=concatenation&text=read+the+file")
    expect(page.get_by_label("Text", exact=True)).to_have_value("read the file")
