"""The Contextual page: a word in several texts, from layer to layer of a real encoder."""

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from rowspace.contextual import contextual_rows
from rowspace.learn.default_table import encoder_folder

pytestmark = pytest.mark.browser

TEXTS = ["she sat by the river bank", "the bank lends money", "a bank of clouds"]
ADDRESS = "contextual?" + "&".join(f"texts={text.replace(' ', '+')}" for text in TEXTS)


@pytest.fixture(scope="module")
def similarities() -> np.ndarray:
    """The mean cosine of two uses of "bank" in each layer."""
    return contextual_rows(encoder_folder(), TEXTS).self_similarity("bank")


@pytest.mark.long
@pytest.mark.refused
def test_layer_and_texts_change_the_figure(visit: Callable[[str], Page], similarities: np.ndarray) -> None:
    page = visit(f"{ADDRESS}&layer=0")
    figure = page.get_by_role("region", name="Figure")
    expect(figure).to_contain_text(f"two uses of “bank” have cosine {similarities[0]:.2f} on average")
    expect(page.get_by_text("The model is all-MiniLM-L6-v2.")).to_be_visible()
    page.get_by_role("slider", name="Layer").focus()
    page.keyboard.press("End")
    expect(figure).to_contain_text(f"In layer 6, two uses of “bank” have cosine {similarities[-1]:.2f} on average")
    expect(page.get_by_role("img", name="3 uses of bank and its row, in layer 6")).to_be_visible()
    page.get_by_text("Edit the texts").click()
    page.get_by_label("Texts, one a line").fill("the bank\nthe river bank")
    expect(page.get_by_role("img", name="2 uses of bank and its row, in layer 6")).to_be_visible()
    page.get_by_role("textbox", name="Word").fill("piano")
    expect(page.get_by_role("alert")).to_contain_text("no token of the texts is 'piano'")


@pytest.mark.long
def test_play_goes_through_the_layers(visit: Callable[[str], Page]) -> None:
    page = visit(f"{ADDRESS}&layer=5")
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("slider", name="Layer")).to_have_attribute("aria-valuetext", "6")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_uses_have_the_color_of_their_sense(visit: Callable[[str], Page]) -> None:
    page = visit("contextual")
    expect(page.get_by_text("bank, river")).to_be_visible()
    fills = page.locator(".point circle").evaluate_all("all => all.map((each) => getComputedStyle(each).fill)")
    river, money = fills[0], fills[-1]
    assert river != money
    assert fills == [river] * 3 + [money] * 3
    page = visit(ADDRESS)  # own texts, whose senses are unknown
    expect(page.get_by_role("img", name="3 uses of bank")).to_be_visible()
    assert page.get_by_text("bank, river").count() == 0
