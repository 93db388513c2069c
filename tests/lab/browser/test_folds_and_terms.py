"""Folded sections, which remember whether they were open, and terms that explain themselves."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def test_a_folded_section_stays_folded_after_a_reload(visit: Callable[[str], Page]) -> None:
    page = visit("cost")
    code = page.get_by_role("region", name="The code")
    expect(code.get_by_label("Python")).to_be_visible()
    code.locator("summary").click()
    expect(code.get_by_label("Python")).to_be_hidden()
    page.reload()
    expect(code.locator("summary")).to_contain_text("lines of Python that compute what this page shows")
    expect(code.get_by_label("Python")).to_be_hidden()
    expect(page.get_by_role("region", name="The numbers").get_by_role("table").first).to_be_visible()


def test_a_term_opens_its_explanation_and_escape_closes_it(visit: Callable[[str], Page]) -> None:
    page = visit("head")
    term = page.get_by_role("button", name="softmax", exact=True)
    note = page.get_by_role("note")
    expect(note).to_have_count(0)
    term.focus()
    page.keyboard.press("Enter")
    expect(note).to_contain_text("turns any numbers into probabilities that add up to 1")
    expect(term).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    expect(note).to_have_count(0)
