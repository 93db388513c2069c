"""Folded sections, which remember whether they were open, and terms that explain themselves."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from playwright.sync_api import Page, TimeoutError, expect

pytestmark = pytest.mark.browser


def test_a_folded_section_stays_folded_after_a_reload(visit: Callable[[str], Page]) -> None:
    page = visit("cost")
    code = page.get_by_role("region", name="The code")
    expect(code.get_by_label("Python")).to_be_visible()
    code.locator("summary").click()
    expect(code.get_by_label("Python")).to_be_hidden()
    page.wait_for_function("localStorage.getItem('open:code') === 'false'")  # browsers send `toggle` after the click
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


def test_a_term_explains_itself_under_the_pointer(visit: Callable[[str], Page]) -> None:
    page = visit("head")
    page.get_by_role("button", name="softmax", exact=True).hover()
    expect(page.get_by_role("note")).to_contain_text("turns any numbers into probabilities")
    page.get_by_role("heading", level=1).hover()
    expect(page.get_by_role("note")).to_have_count(0)


# The underlined terms, and a point in the given one.
UNDERLINED = """(term) => {
  const ranges = [...(CSS.highlights.get("glossary") ?? [])];
  const range = ranges.find((each) => each.toString().toLowerCase() === term);
  if (!range) return null;
  range.startContainer.parentElement.scrollIntoView({ block: "center" });
  const { left, top, width, height } = range.getClientRects()[0];
  return { texts: ranges.map((each) => each.toString().toLowerCase()), x: left + width / 2, y: top + height / 2 };
}"""


def point_at(page: Page, term: str) -> None:
    """Move the pointer to a term until its explanation appears, since a late figure may move the term."""
    tooltip = page.get_by_role("tooltip")
    for _ in range(60):
        there = page.evaluate(UNDERLINED, term)
        page.mouse.move(there["x"], there["y"])
        with suppress(TimeoutError):
            tooltip.wait_for(timeout=1000)
            return


@pytest.mark.parametrize(
    ("name", "term", "sentence"),
    [pytest.param("cost", "tied", "one matrix", marks=pytest.mark.long), ("words", "norm", "length")],
)
def test_first_use_of_a_term_on_a_page_explains_itself(
    visit: Callable[[str], Page], name: str, term: str, sentence: str
) -> None:
    page = visit(name)
    found = page.wait_for_function(UNDERLINED, arg=term).json_value()
    assert len(set(found["texts"])) == len(found["texts"])
    tooltip = page.get_by_role("tooltip")
    expect(tooltip).to_have_count(0)
    point_at(page, term)
    expect(tooltip).to_contain_text(sentence)
    page.keyboard.press("Escape")
    expect(tooltip).to_have_count(0)


def test_help_has_the_glossary(visit: Callable[[str], Page]) -> None:
    page = visit("cost")
    page.get_by_role("button", name="Help").click()
    page.get_by_text("Glossary").click()
    expect(page.get_by_role("dialog")).to_contain_text("the root of the sum of its squared numbers")
