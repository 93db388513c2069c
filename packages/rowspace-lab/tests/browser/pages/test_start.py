"""The Start page: a sentence on its way to the nearest words, in a figure that plays, and where to begin."""

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from rowspace_lab.lab import Lab
from rowspace_lab.pages import PAGES

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]

END = "6"


@pytest.fixture
def still(page: Page, visit: Visit) -> Visit:
    """`still("start")`: open a page with reduced motion."""
    page.emulate_media(reduced_motion="reduce")
    return visit


def time(page: Page) -> Locator:
    return page.get_by_role("slider", name="Station")


def drawing(page: Page) -> Locator:
    return page.get_by_role("img", name="1. Text")


def test_first_visit_opens_the_start_page_and_plays_once(visit: Visit) -> None:
    page = visit("")
    expect(page.get_by_role("heading", name="See how text", level=1)).to_be_visible()
    pages = page.get_by_role("navigation", name="Pages")
    expect(pages.get_by_role("link", name="Start")).to_have_attribute("aria-current", "page")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    time(page).fill("5.8")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(time(page)).to_have_value(END)
    expect(page.get_by_role("button", name="Play again")).to_be_visible()


@pytest.mark.long
def test_figure_can_be_paused_scrubbed_and_stepped(visit: Visit) -> None:
    page = visit("start")
    page.get_by_role("button", name="Pause").click()
    time(page).fill("2.5")
    expect(page.locator("[aria-current=step]")).to_contain_text("Ids")
    page.get_by_role("heading", name="See how text", level=1).click()
    page.keyboard.press("ArrowRight")
    expect(time(page)).to_have_value("3")
    page.keyboard.press("ArrowLeft")
    expect(time(page)).to_have_value("2")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_figure_stands_complete_under_reduced_motion(still: Visit, lab: Lab) -> None:
    page = still("start?text=list+list+write")
    expect(time(page)).to_have_value(END)
    expect(page.get_by_role("button", name="Play again")).to_be_visible()
    ids = lab.table.ids(["list", "list", "write"])
    for id in set(ids.tolist()):
        expect(drawing(page).get_by_text(str(id), exact=True).first).to_be_visible()
    # The nearest words in NumPy, to the row of the last piece.
    rows = lab.table.rows / np.linalg.norm(lab.table.rows, axis=1, keepdims=True)
    best = lab.table.vocabulary[int(np.argsort(-(rows @ rows[ids[-1]]))[1])]
    expect(drawing(page).get_by_text(best, exact=True).first).to_be_visible()
    expect(page.get_by_role("table", name="The nearest words").get_by_role("row").nth(7)).to_contain_text(best)


def test_sentence_to_try_is_shown_and_the_lessons_begin(still: Visit) -> None:
    page = still("start?table=english-words")
    page.get_by_role("button", name="the king loved his queen").click()
    expect(drawing(page).get_by_text("emperor", exact=True).first).to_be_visible()
    last = page.get_by_role("list", name="Stations").get_by_role("listitem").last.bounding_box()
    assert last is not None
    assert last["y"] + last["height"] <= 720
    page.get_by_role("link", name="Begin").click()
    page.wait_for_url("**/lessons/1?**")


def test_stations_lead_to_their_pages_with_the_sentence(still: Visit) -> None:
    page = still("start")
    page.get_by_label("Your sentence").fill("the error in the file")
    page.wait_for_url("**/start?text=the+error+in+the+file")
    page.get_by_role("link", name="3. Ids").click()
    page.wait_for_url("**/pipeline?stage=2&text=the+error+in+the+file")
    expect(page.get_by_label("Text", exact=True)).to_have_value("the error in the file")
    page.go_back()
    page.get_by_role("link", name="6. Nearest words").click()
    page.wait_for_url("**/words?*word=file*")
    expect(page.get_by_role("region", name="Row of file", exact=True)).to_be_visible()


@pytest.mark.long
def test_stations_lead_to_their_pages_before_the_reply_about_the_sentence(page: Page, still: Visit) -> None:
    still("start")
    page.route("**/api/pipeline/forward?**", lambda _: None)  # no reply
    page.get_by_label("Your sentence").fill("the error in the file")
    page.wait_for_url("**/start?text=the+error+in+the+file")
    page.get_by_role("link", name="3. Ids").click()
    page.wait_for_url("**/pipeline?stage=2&text=the+error+in+the+file")


def test_text_without_known_words_ends_at_its_pieces(still: Visit) -> None:
    page = still("start?table=six-words&text=zebra+quagga")
    stations = page.get_by_role("list", name="Stations").get_by_role("listitem")
    expect(stations.nth(1)).to_contain_text("2 without a row")
    expect(stations.nth(4)).to_contain_text("No piece of this text has a row in the table.")
    expect(stations.last).to_contain_text("Needs a row.")


@pytest.mark.refused
def test_stations_without_pytorch_say_what_to_install(page: Page, still: Visit) -> None:
    message = "rowspace.layers needs PyTorch: pip install 'rowspace[torch]'"
    refusal = {"status": 400, "json": {"kind": "MissingExtraError", "error": message}}
    page.route("**/api/pipeline/matrix*", lambda request: request.fulfill(**refusal))  # PyTorch is installed here
    stations = still("start").get_by_role("list", name="Stations").get_by_role("listitem")
    expect(stations.nth(3)).to_contain_text("Each id picks its row of 20 numbers.")
    expect(stations.nth(4)).to_contain_text(message)
    expect(page.get_by_role("alert").filter(has_text="PyTorch")).to_have_count(0)


def test_pages_and_tables_are_listed(still: Visit) -> None:
    page = still("start?text=the+cat")
    page.get_by_role("heading", name="The pages and the tables").click()
    listed = page.get_by_role("region", name="The pages").get_by_role("link")
    assert listed.count() == len(PAGES)  # without the start page, with the claims
    page.get_by_role("button", name="Six words").click()
    page.wait_for_url("**/start?table=six-words&text=the+cat")
    expect(page.get_by_role("button", name="Six words")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("list", name="Stations")).to_contain_text("out of 6")


def test_name_of_the_workbench_leads_to_the_start_page(visit: Visit) -> None:
    page = visit("words?word=sin")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="rowspace", exact=True).click()
    page.wait_for_url("**/start?**")  # with the word, which every page shares
    expect(page.get_by_role("heading", name="See how text", level=1)).to_be_visible()
