"""Fields with a default value: after a user clears them, and before the default has arrived."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from tests.browser.held_requests import hold

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("name", "state", "field"),
    [
        pytest.param("pipeline", "text=sin", "Text", marks=pytest.mark.long),
        pytest.param("input", "text=sin", "Text", marks=pytest.mark.long),
        pytest.param("tokens", "text=sin", "Text", marks=pytest.mark.long),
        ("analogies", "a=sin", "a"),
        ("head", "word=sin", "Hidden state: the row of"),
    ],
)
def test_cleared_field_stays_empty_and_names_the_default(
    visit: Callable[[str], Page], name: str, state: str, field: str
) -> None:
    default = visit(name).get_by_label(field, exact=True).input_value()
    page = visit(f"{name}?{state}")
    text = page.get_by_label(field, exact=True)
    expect(text).to_have_value("sin")
    text.fill("")
    expect(page.get_by_text(f"Empty. The page uses “{default}”.", exact=True)).to_be_visible()
    page.wait_for_url(f"**/{name}")
    expect(text).to_have_value("")
    text.press("Tab")
    expect(text).to_have_value(default)
    expect(page.get_by_text("Empty. The page uses")).to_have_count(0)


def test_back_restores_a_cleared_field(visit: Callable[[str], Page]) -> None:
    page = visit("pipeline?text=sin")
    text = page.get_by_label("Text", exact=True)
    text.fill("")
    page.wait_for_url("**/pipeline")
    page.go_back()
    expect(text).to_have_value("sin")


def test_cleared_search_names_the_word_that_is_kept(visit: Callable[[str], Page]) -> None:
    page = visit("words?word=sin")
    page.get_by_label("Word", exact=True).fill("")
    expect(page.get_by_text("Empty. The page keeps “sin”.", exact=True)).to_be_visible()
    expect(page.get_by_role("list", name="Nearest neighbors of sin", exact=True)).to_be_visible()


@pytest.mark.long
def test_late_default_does_not_replace_what_is_edited(page: Page, lab_url: str) -> None:
    held = hold(page, "**/api/tokens/split**")
    page.goto(f"{lab_url}/tokens")
    text = page.get_by_label("Text", exact=True)
    text.focus()
    expect(page.get_by_text("Loading the pieces")).to_be_visible()
    held.pop().continue_()
    expect(page.get_by_text("Empty. The page uses “", exact=False)).to_be_visible()
    page.unroute("**/api/tokens/split**")
    page.keyboard.insert_text("sin")
    expect(page).to_have_url(f"{lab_url}/tokens?text=sin")
    expect(text).to_have_value("sin")
