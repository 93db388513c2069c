"""The word and the sentence of one page are carried to the others, in their URLs."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.at_rest import box_at_rest

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]

SENTENCE = "the error in the file"


def open_page(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=name).click()
    expect(page.get_by_role("heading", name=name, level=1, exact=True)).to_be_visible()


def hidden_state(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Hidden state: the row of")


def text_field(page: Page) -> Locator:
    return page.get_by_label("Text", exact=True)


def neighbors_of(page: Page, word: str) -> Locator:
    return page.get_by_role("list", name=f"Nearest neighbors of {word}", exact=True)


@pytest.mark.long
def test_word_is_carried_from_words_to_head_and_back(visit: Visit) -> None:
    page = visit("words?word=sin&word=json&metric=dot")
    open_page(page, "Head")
    page.wait_for_url("**/head?word=sin")
    expect(hidden_state(page)).to_have_value("sin")
    page.reload()
    expect(hidden_state(page)).to_have_value("sin")
    hidden_state(page).fill("cos")
    page.wait_for_url("**/head?word=cos")
    open_page(page, "Words")
    page.wait_for_url("**/words?word=cos&metric=dot&word=json")
    expect(neighbors_of(page, "cos")).to_be_visible()
    page.go_back()
    expect(hidden_state(page)).to_have_value("cos")


def test_sentence_is_carried_from_tokens_to_pipeline_to_order(visit: Visit) -> None:
    page = visit("tokens")
    text_field(page).fill(SENTENCE)
    page.wait_for_url("**/tokens?text=the+error+in+the+file")
    open_page(page, "Pipeline")
    page.wait_for_url("**/pipeline?text=the+error+in+the+file")
    expect(text_field(page)).to_have_value(SENTENCE)
    open_page(page, "Order")
    page.wait_for_url("**/order?text=the+error+in+the+file")
    expect(page.get_by_text(SENTENCE, exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_text(SENTENCE, exact=True)).to_be_visible()
    page.go_back()
    expect(text_field(page)).to_have_value(SENTENCE)


@pytest.mark.long
def test_page_without_word_and_sentence_carries_both(visit: Visit) -> None:
    page = visit("cost?word=sin")
    page.get_by_label("Sentence on all pages").fill(SENTENCE)
    page.wait_for_url("**/cost?word=sin&text=the+error+in+the+file")
    open_page(page, "Input")
    expect(text_field(page)).to_have_value(SENTENCE)
    open_page(page, "Head")
    expect(hidden_state(page)).to_have_value("sin")
    page.get_by_role("button", name="Clear both").click()
    page.wait_for_url("**/head")
    open_page(page, "Input")
    page.wait_for_url("**/input")
    expect(text_field(page)).not_to_have_value(SENTENCE)


@pytest.mark.long
def test_new_sentence_resets_the_order_of_its_tokens(visit: Visit) -> None:
    page = visit("order?text=the+error+in&order=2,1,0")
    open_page(page, "Tokens")
    page.get_by_label("Sentence on all pages").fill(SENTENCE)
    expect(text_field(page)).to_have_value(SENTENCE)
    open_page(page, "Order")
    page.wait_for_url("**/order?text=the+error+in+the+file")


def test_hovered_token_lights_its_rows_in_the_numbers(visit: Visit) -> None:
    page = visit("pipeline?text=the+error+in+the+file&stage=1")
    page.locator(".figure .token").filter(has_text="error").hover()
    lit = page.get_by_role("table", name="The tokens").locator("tr.lit")
    expect(lit).to_have_count(1)
    expect(lit).to_contain_text("error")
    page.locator(".figure .token").filter(has_text="the").first.hover()
    expect(lit).to_have_count(2)


def test_hovered_row_of_a_heat_map_lights_its_token_everywhere(visit: Visit) -> None:
    page = visit("order?text=dog bites man&table=small-world")
    outputs = page.get_by_role("application", name=re.compile("^Outputs")).first
    expect(outputs).to_be_visible()
    box = box_at_rest(outputs)
    outputs.hover(position={"x": 20, "y": box["height"] * 0.9})
    expect(page.get_by_role("table", name="Attention weights of the sentence").locator("th.lit")).to_have_count(2)


def test_hovered_token_of_a_sentence_lights_its_row_and_column_of_weights(visit: Visit) -> None:
    page = visit("order?text=dog sat on cat&table=small-world")
    page.locator("p.tokens .token").filter(has_text="sat").hover()
    weights = page.get_by_role("table", name="Attention weights of the sentence")
    expect(weights.locator("th.lit")).to_have_count(2)
    expect(weights.locator("td.lit")).to_have_count(2 * 4 - 1)


def test_hovered_piece_of_the_start_page_lights_its_nearest_words(visit: Visit, page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")  # the figure is complete
    page = visit("?text=cat+dog+cat&table=six-words")
    expect(page.locator(".journey .lit")).to_have_count(0)
    page.locator(".journey .column text").first.hover()
    expect(page.locator(".journey .column.lit")).to_have_count(2)
    expect(page.locator(".journey .words.lit")).to_have_count(2)
