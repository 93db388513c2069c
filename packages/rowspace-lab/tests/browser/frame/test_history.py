"""History entries, the Back button, and restored page states."""

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.at_rest import box_at_rest

pytestmark = pytest.mark.browser


def neighbors_of(page: Page, word: str) -> Locator:
    return page.get_by_role("list", name=f"Nearest neighbors of {word}", exact=True)


def entries(page: Page) -> int:
    return int(page.evaluate("history.length"))


def test_back_and_forward_switch_words(visit, lab) -> None:
    page = visit("words?word=sin")
    nearest = lab.table.neighbors("sin")[0][0]
    neighbors_of(page, "sin").get_by_role("button", name=nearest, exact=True).click()
    expect(neighbors_of(page, nearest)).to_be_visible()
    page.go_back()
    expect(neighbors_of(page, "sin")).to_be_visible()
    page.wait_for_url("**/words?word=sin")
    page.go_forward()
    expect(neighbors_of(page, nearest)).to_be_visible()


def test_each_stage_makes_a_history_entry(visit) -> None:
    page = visit("pipeline?stage=4")
    before = entries(page)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="Gradient", exact=True)).to_be_visible()
    assert entries(page) == before + 3
    page.go_back()
    expect(page.get_by_role("heading", name="X", exact=True)).to_be_visible()
    page.wait_for_url("**/pipeline?stage=6")


def test_slider_drag_makes_one_history_entry(visit) -> None:
    page = visit("head")
    slider = page.get_by_label("Temperature")
    initial, before = slider.input_value(), entries(page)
    box = box_at_rest(slider)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    for share in (0.6, 0.7, 0.8, 0.95):
        page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)
    page.mouse.up()
    page.wait_for_url("**temperature=**")
    assert entries(page) == before + 1
    page.go_back()
    expect(slider).to_have_value(initial)
    page.wait_for_url("**/head")


def test_moving_the_map_makes_no_history_entry(visit) -> None:
    page = visit("words?word=sin")
    before = entries(page)
    page.get_by_role("application", name="PCA").focus()
    page.keyboard.press("+")
    page.wait_for_url("**viewport=**")
    assert entries(page) == before


def test_page_restores_its_last_state(visit, unfold) -> None:
    page = visit("words?word=cos&metric=dot")
    pages = page.get_by_role("navigation", name="Pages")
    expect(neighbors_of(page, "cos")).to_be_visible()
    pages.get_by_role("link", name="Head").click()
    page.wait_for_url("**/head?word=cos")
    page.reload()
    pages.get_by_role("link", name="Words").click()
    page.wait_for_url("**/words?word=cos&metric=dot")
    expect(neighbors_of(page, "cos")).to_be_visible()
    unfold("More controls")
    expect(page.get_by_role("radio", name="dot")).to_be_checked()


def test_back_restores_the_state_of_the_previous_page(visit) -> None:
    page = visit("words?word=cos")
    page.get_by_role("navigation", name="Pages").locator("a[href^='/tokens']").click()
    expect(page.get_by_role("heading", name="Tokens", level=1)).to_be_visible()
    page.go_back()
    expect(neighbors_of(page, "cos")).to_be_visible()
    page.wait_for_url("**/words?word=cos")


def test_link_to_the_current_page_resets_it(visit) -> None:
    page = visit("words?word=cos")
    page.get_by_role("navigation", name="Pages").locator("a[href='/words']").click()
    page.wait_for_url("**/words")
    expect(neighbors_of(page, "cos")).to_have_count(0)
    page.go_back()
    expect(neighbors_of(page, "cos")).to_be_visible()


def test_back_and_a_reload_restore_the_scroll_position(visit) -> None:
    page = visit("cost")
    page.set_viewport_size({"width": 1280, "height": 400})
    page.wait_for_load_state("networkidle")
    page.evaluate("scrollTo(0, 800)")
    page.wait_for_function("() => history.state?.top === 800")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Head").click()
    page.wait_for_url("**/head")
    page.wait_for_function("() => scrollY === 0")
    page.go_back()
    page.wait_for_function("() => scrollY === 800")
    page.reload()
    page.wait_for_function("() => scrollY === 800")
