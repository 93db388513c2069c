"""The Compare page: another table of the list, a null, and the neighbors of a word in both tables."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.conftest import pages_with, serving, url_of
from tests.three_tables import three_tables

from rowspace_lab.app import make_app

pytestmark = pytest.mark.browser


@pytest.fixture(scope="session")
def lab_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(make_app(three_tables(tmp_path_factory.mktemp("tables")), pages=pages_with())) as server:
        yield url_of(server)


def test_a_chosen_table_and_null_show_what_changed_beyond_chance(visit: Callable[[str], Page]) -> None:
    page = visit("compare?other=recent-other")
    figure = page.get_by_role("region", name="Figure")
    expect(figure.get_by_role("heading", name="word7", exact=True)).to_be_visible()
    expect(figure).to_contain_text("300 words are in both tables")
    expect(figure).to_contain_text("Two fits of one text differ, too")
    assert figure.locator("path.band").count() == 0
    page.get_by_label("Chance: a refit of the first").select_option("recent-refit")
    expect(figure.locator("path.band")).to_be_attached()
    expect(figure).to_contain_text("that is beyond chance")
    expect(page.get_by_text("words changed by more than chance explains")).to_be_visible()
    expect(page).to_have_url(re.compile("null=recent-refit"))
    page.get_by_label("Compare with").select_option("recent-refit")
    page.get_by_label("Chance: a refit of the first").select_option("recent-other")
    expect(page).to_have_url(re.compile("other=recent-refit.*null=recent-other"))
    expect(figure).to_contain_text("recent-refit")


def test_a_chosen_word_has_its_neighbors_side_by_side(visit: Callable[[str], Page]) -> None:
    page = visit("compare?other=recent-other&by=neighbors")
    figure = page.get_by_role("region", name="Figure")
    before, after = (figure.get_by_role("list", name=f"Neighbors in {name}") for name in ("This table", "recent-other"))
    expect(before.get_by_role("listitem")).to_have_count(10)
    second = figure.locator(".words button").nth(1).inner_text()
    figure.locator(".words button").nth(1).click()
    expect(figure.get_by_role("heading", name=second, exact=True)).to_be_visible()
    shared = before.locator("li.both")
    expect(figure).to_contain_text(f"in both lists: {shared.count()} of 10")
    assert shared.count() == after.locator("li.both").count() > 0
    chart = figure.get_by_role("application")
    chart.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")  # the first step is to the most changed word
    expect(figure.get_by_role("heading", name="word7", exact=True)).to_be_visible()
    page.get_by_role("combobox", name="Word", exact=True).fill("word12")
    page.keyboard.press("Enter")
    expect(figure.get_by_role("heading", name="word12", exact=True)).to_be_visible()


def saturation(mark: Locator, of: str) -> int:
    """The difference of the largest and the smallest of red, green and blue in a style of a mark."""
    color: str = mark.evaluate(f"(mark) => getComputedStyle(mark).{of}")
    channels = [int(channel) for channel in re.findall(r"\d+", color)[:3]]
    return max(channels) - min(channels)


def test_only_the_chosen_word_is_saturated(visit: Callable[[str], Page]) -> None:
    chart = visit("compare?other=recent-other").get_by_role("region", name="Figure").get_by_role("application")
    assert saturation(chart.locator("circle.chosen"), "fill") > 100
    assert saturation(chart.locator(".dots:not(.beyond, .chance)"), "stroke") < 30


def test_a_word_that_a_table_does_not_have_is_replaced(visit: Callable[[str], Page]) -> None:
    page = visit("compare?other=recent-other&word=nowhere")
    expect(page.get_by_role("status").filter(has_text="“nowhere” has no row in one of the tables")).to_be_visible()
    expect(page.get_by_role("heading", name="word7", exact=True)).to_be_visible()


def test_only_controls_that_these_tables_use_are_shown(visit: Callable[[str], Page]) -> None:
    for other, number in (("everyday-words", 0), ("small-world", 1)):  # the former has no counts
        page = visit(f"compare?table=english-words&other={other}")
        expect(page.get_by_role("region", name="Figure")).to_contain_text("Most changed")
        more = page.get_by_text("More controls")
        expect(more).to_have_count(number)
        if number:
            more.click()
            expect(page.get_by_role("slider", name="Lowest count")).to_be_visible()


@pytest.mark.long
def test_a_table_of_the_workbench_is_learned_again_for_the_null(visit: Callable[[str], Page]) -> None:
    page = visit("compare?table=small-world&other=english-words&min_count=0&refits=2")
    figure = page.get_by_role("region", name="Figure")
    expect(figure).to_contain_text("The null is 2 refits of Small world")
    expect(figure.locator("path.range")).to_be_attached()
    page.get_by_label("Chance: refits learned here").fill("0")
    expect(figure).to_contain_text("There is no null.")
    expect(figure.locator("path.chance")).to_have_attribute("d", "")
