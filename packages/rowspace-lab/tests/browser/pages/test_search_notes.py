"""The notes of lesson 17 on the Search page: one question, all questions, two notes."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from tests.browser.whole_page import expect_accessible, expect_fits_phone

from rowspace_lab.pages.search.notes import questions_figure
from rowspace_lab.tables.english import ENGLISH

pytestmark = pytest.mark.browser

NOTES = "search?table=english-words&over=notes"


def test_question_shows_the_place_of_its_note_by_each_ranking(visit: Callable[[str], Page]) -> None:
    page = visit(f"{NOTES}&text=what+is+E17")
    right = page.get_by_role("row").filter(has_text="the right note")
    expect(right.get_by_role("cell").nth(1)).to_have_text("1")
    expect(right.locator("mark").filter(has_text="E17")).to_be_visible()
    page.get_by_role("combobox").filter(has_text="sending mail to a friend").select_option(
        "I have no money for my landlord"
    )
    expect(right).to_contain_text("He who cannot pay his rent")
    expect(right.get_by_role("cell").nth(1)).to_have_text("–")
    page.get_by_label("Or your own question").fill("who opens the cellar")
    expect(page.get_by_role("heading", name="who opens the cellar")).to_be_visible()
    expect(right).to_have_count(0)


@pytest.mark.long
def test_all_questions_are_counted_and_open_their_notes(visit: Callable[[str], Page]) -> None:
    page = visit("search?table=english-words&over=questions&k=24")
    total = page.get_by_role("row").filter(has_text="have the right note among the first 24")
    by_vectors = questions_figure(ENGLISH.open().table)["by_vectors"]
    expect(total.get_by_role("cell").nth(2)).to_have_text(str((by_vectors > 0).sum()))
    page.get_by_role("button", name="who is Okonkwo").click()
    expect(page.get_by_role("heading", name="who is Okonkwo")).to_be_visible()
    expect_accessible(page)


@pytest.mark.long
def test_two_notes_fit_a_phone(visit: Callable[[str], Page]) -> None:
    page = visit("search?table=english-words&over=pair")
    expect(page.get_by_role("region", name="the mean of the rows").get_by_role("listitem").first).to_contain_text("To")
    expect_accessible(page)
    expect_fits_phone(page)
