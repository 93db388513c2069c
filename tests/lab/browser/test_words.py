"""The Words page, as a person goes through it."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_word_is_searched_and_its_neighbours_are_pythons(visit, lab) -> None:
    page = visit("words")
    page.keyboard.press("/")
    page.keyboard.type("typeerror")
    expect(page.get_by_role("table").get_by_role("row")).to_have_count(11)
    expect(page.get_by_role("table")).to_contain_text("The rows nearest to typeerror")
    cells = page.get_by_role("cell").all_inner_texts()
    expected = [text for token, score in lab.table.neighbors("typeerror") for text in (token, f"{score:.3f}")]
    assert cells == expected


def test_a_neighbour_that_is_picked_becomes_the_word(visit, lab) -> None:
    page = visit("words?word=sin&metric=euclidean")
    nearest = lab.table.neighbors("sin", metric="euclidean")[0][0]
    page.get_by_role("button", name=nearest, exact=True).click()
    page.wait_for_url(f"**/words?word={nearest}&metric=euclidean")
    expect(page.get_by_role("heading", name=nearest, exact=True)).to_be_visible()


@pytest.mark.refused
def test_an_unknown_word_is_answered_with_its_spellings(visit) -> None:
    page = visit("words?word=sin")
    page.get_by_label("Word", exact=True).fill("typeerorr")
    expect(page.get_by_role("alert")).to_contain_text("did you mean 'typeerror'")
