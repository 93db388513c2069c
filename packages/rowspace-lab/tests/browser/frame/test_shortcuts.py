"""Keyboard shortcuts for pages, search and help, which do not apply in fields."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from rowspace_lab.pages import PAGES

pytestmark = pytest.mark.browser

NAMES = ["start", "lessons", *(page.name for page in PAGES if page.name != "start"), "claims"]
LETTERS = dict(zip(NAMES, "glwabtpidoshcxrnefm", strict=True))


def heading(page: Page, name: str) -> Locator:
    title = "See how text becomes numbers" if name == "start" else name.capitalize()
    return page.get_by_role("heading", name=title, level=1, exact=True)


@pytest.mark.long
def test_g_and_a_letter_open_every_page(visit: Callable[[str], Page]) -> None:
    page = visit("cost")
    for name, letter in LETTERS.items():
        page.keyboard.press("g")
        page.keyboard.press(letter)
        expect(heading(page, name)).to_be_visible()
        page.wait_for_url(f"**/{name}")


def test_help_lists_the_letter_of_every_page(visit: Callable[[str], Page]) -> None:
    page = visit("cost")
    page.keyboard.press("?")
    help_dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    for name, letter in LETTERS.items():
        expect(help_dialog).to_contain_text(f"{letter}\xa0{name.capitalize()}")
    page.keyboard.press("?")
    expect(help_dialog).to_be_hidden()


def test_shortcuts_do_not_apply_in_fields(visit: Callable[[str], Page]) -> None:
    page = visit("tokens")
    page.keyboard.press("/")
    page.keyboard.type("g w / ? end")
    expect(page.get_by_label("Text", exact=True)).to_have_value("g w / ? end")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_hidden()
    expect(heading(page, "tokens")).to_be_visible()


def test_slash_focuses_the_word_search_on_a_page_without_fields(visit: Callable[[str], Page]) -> None:
    page = visit("cost")
    page.keyboard.press("/")
    expect(page.get_by_label("Word on all pages")).to_be_focused()
    page.keyboard.type("json")
    page.get_by_role("option", name="json").first.wait_for()
    page.keyboard.press("Enter")
    expect(page.get_by_role("list", name="Nearest neighbors of json", exact=True)).to_be_visible()
    page.wait_for_url("**/words?word=json")


def test_shortcuts_work_while_a_radio_button_has_the_focus(visit: Callable[[str], Page]) -> None:
    page = visit("head?figure=matrices")
    page.get_by_role("radio", name="untied").focus()
    page.keyboard.press("g")
    page.keyboard.press("c")
    expect(heading(page, "cost")).to_be_visible()


def test_search_without_matches_shows_a_message(visit: Callable[[str], Page]) -> None:
    page = visit("words")
    page.get_by_label("Word", exact=True).fill("zzzqqq")
    expect(page.get_by_text("No token contains “zzzqqq”.")).to_be_visible()


def test_navigation_has_no_numbers(visit: Callable[[str], Page]) -> None:
    page = visit("cost")
    links = page.get_by_role("navigation", name="Pages").get_by_role("listitem").get_by_role("link")
    expect(links).to_have_text([name.capitalize() for name in LETTERS])
    before = links.evaluate_all("links => links.map(link => getComputedStyle(link, '::before').content)")
    assert set(before) == {"none"}
