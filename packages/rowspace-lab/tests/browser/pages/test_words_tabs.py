"""The tabs of the Words page, its map of chosen words and its palette, with numbers that equal Python's."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from tests.browser.at_rest import box_at_rest
from tests.browser.whole_page import expect_accessible, expect_fits_phone

from rowspace_lab.lab import Lab

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]


def shown(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}")


def scores(page: Page) -> list[str]:
    """The dot product, cosine and distance next to the slider."""
    return [
        page.locator(f"dl output[data-name='{name}']").inner_text() for name in ("dot product", "cosine", "distance")
    ]


@pytest.mark.long
def test_stretched_row_changes_dot_and_distance(visit: Visit, lab: Lab) -> None:
    page = visit("words?word=sin&word=cos&tab=two")
    a, b = np.float64(lab.table["sin"]), np.float64(lab.table["cos"])
    cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    expect(page.locator("output[data-name=dot]")).to_have_text(shown(a @ b))
    assert scores(page) == [shown(a @ b), shown(cosine), shown(float(np.linalg.norm(a - b)))]
    slider = page.get_by_label("Factor")
    slider.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    page.wait_for_url("**stretch=2")
    assert scores(page) == [shown(2 * a @ b), shown(cosine), shown(float(np.linalg.norm(a - 2 * b)))]
    page.reload()
    expect(page.locator("dl output[data-name='dot product']")).to_have_text(shown(2 * a @ b))
    expect(page.get_by_role("img", name="The rows of sin and cos as arrows")).to_be_visible()


def test_products_of_two_rows_are_bars(visit: Visit, lab: Lab) -> None:
    page = visit("words?word=sin&word=cos&tab=two")
    bars = page.get_by_role("application", name="The products of sin and cos")
    bars.focus()
    page.keyboard.press("ArrowRight")
    product = float(lab.table["sin"][0]) * float(lab.table["cos"][0])
    expect(bars.locator("[aria-live]")).to_have_text(f"0: {shown(product)}")


@pytest.mark.long
def test_turned_table_changes_every_bar_and_no_neighbor(visit: Visit, lab: Lab) -> None:
    page = visit("words?word=sin")
    expect(page.get_by_role("figure", name="PCA of")).to_be_visible()  # it moves what is below it
    page.get_by_role("button", name="Turn the table").click()
    result = page.get_by_role("status").filter(has_text="bars of")
    expect(result).to_contain_text(f"{lab.table.dim} of {lab.table.dim} bars of sin changed")
    expect(result).to_contain_text("0 of 10 neighbors changed")
    expect(page.get_by_role("application", name="The turned row of sin")).to_be_visible()
    page.wait_for_url("**turn=1")
    page.get_by_role("button", name="Turn back").click()
    expect(result).to_have_count(0)


@pytest.mark.long
def test_counts_are_drawn_and_rare_rows_counted(visit: Visit, lab: Lab) -> None:
    page = visit("words?tab=counts")
    rare = int((lab.table.counts < 10).sum())
    expect(page.get_by_text(f"{rare:,} of {len(lab.table):,} rows")).to_be_visible()
    for name in ("Count by rank", "Norm by count", "Known pairs found by count"):
        expect(page.get_by_role("application", name=name)).to_be_visible()
    chart = page.get_by_role("application", name="Count by rank")
    chart.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".charts figcaption output").first).to_have_text(str(lab.table.counts.max()))


@pytest.mark.refused
@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("counts", "words?tab=counts"),
        pytest.param("compare", "words?word=sin&word=cos&word=tau&tab=two", marks=pytest.mark.long),
        pytest.param("distances", "words?word=sin&word=cos&word=tau&tab=two", marks=pytest.mark.long),
    ],
)
def test_request_that_fails_is_reported_in_its_tab(visit: Visit, page: Page, path: str, address: str) -> None:
    page.route(f"**/words/{path}*", lambda route: route.fulfill(status=500, json={"error": "the disk was removed"}))
    visit(address)
    expect(page.get_by_role("alert").filter(has_text="the disk was removed")).to_be_visible()


@pytest.mark.long
def test_text_is_learned_four_ways(visit: Visit) -> None:
    page = visit("words?tab=learned")
    for name in ("CBOW, window 1", "CBOW, window 10", "skip-gram, window 1", "skip-gram, window 10"):
        expect(page.get_by_role("region", name=name, exact=True)).to_be_visible()
    word = page.get_by_label("Word of the text")
    word.fill("tuple")
    word.press("Tab")
    neighbors = page.get_by_role("list", name="Neighbors of tuple by skip-gram with window 10").get_by_role("listitem")
    expect(neighbors).to_have_count(8)
    word.fill("nosuchword")
    expect(page.get_by_text("“nosuchword” does not occur 5 times")).to_be_visible()


def test_probe_shows_its_accuracy_beside_control_and_majority(
    visit: Visit, lab: Lab, ask: Callable[..., object]
) -> None:
    page = visit("words?tab=probe")
    page.get_by_role("radio", name="frequent or rare").check()
    expected = ask(lab, "words/probe", property="frequent").meta
    accuracies = page.get_by_label("Accuracies").locator("output")
    for at, name in enumerate(("accuracy", "control", "majority")):
        expect(accuracies.nth(at)).to_have_text(f"{100 * expected[name]:.1f} %")
    page.get_by_role("radio", name="starts with a capital").check()
    expect(page.get_by_text("0 words of this table have the property")).to_be_visible()


@pytest.mark.long
def test_the_tabs_can_be_shown_without_the_map(visit: Visit) -> None:
    page = visit("words?tab=list")
    expect(page.get_by_role("application")).to_be_visible()
    page.get_by_role("radio", name="none").check()
    expect(page.get_by_role("application", name="chosen words")).to_have_count(0)
    expect(page).to_have_url(re.compile("nomap=true"))
    expect(page.get_by_text("choose a map above")).to_be_visible()
    page.get_by_role("radio", name="PCA").check()
    expect(page.get_by_role("application")).to_be_visible()
    expect(page).not_to_have_url(re.compile("nomap"))


@pytest.mark.long
def test_groups_of_chosen_words_have_a_map_and_a_legend(visit: Visit, unfold: Callable[[str], None]) -> None:
    page = visit("words")
    unfold("More controls")
    page.get_by_label("Groups of words").fill("angles: sin cos\nformats: json xml nosuchword")
    expect(page.get_by_text("PCA of 4 chosen words")).to_be_visible()
    legend = page.get_by_role("list", name="Groups").get_by_role("listitem")
    expect(legend.nth(0)).to_have_text("angles")
    expect(legend.nth(1)).to_have_text("formats")
    expect(page.get_by_text("Not in the table: nosuchword")).to_be_visible()
    page.get_by_label("Analogy on the map").fill("read write reader")
    expect(page.get_by_text("PCA of 8 chosen words")).to_be_visible()
    expect(legend.nth(2)).to_have_text("analogy")
    page.get_by_role("radio", name="PCA").check()
    expect(page.get_by_role("application", name=re.compile("^PCA of [0-9,]+ rows"))).to_be_visible()


def test_groups_without_known_words_have_no_map(visit: Visit) -> None:
    page = visit("words?chosen=true&groups=nosuchword")
    expect(page.get_by_text("None of these words is in the table")).to_be_visible()
    expect(page.get_by_text("Not in the table: nosuchword")).to_be_visible()
    expect(page.get_by_role("application", name="chosen words")).to_have_count(0)


def test_palette_opens_a_word_and_lights_it_with_its_neighbors(visit: Visit, lab: Lab) -> None:
    page = visit("words")
    words = page.get_by_role("list", name="Words to open").get_by_role("button")
    expect(words).to_have_count(30)
    expect(page.get_by_text("The map preserves")).to_be_visible()
    box_at_rest(words.nth(4))  # what appears above it moves it
    chosen = words.nth(4).inner_text()
    words.nth(4).click()
    expect(page.get_by_role("list", name=f"Nearest neighbors of {chosen}", exact=True)).to_be_visible()
    nearest = lab.table.neighbors(chosen)[0][0]
    expect(page.get_by_role("list", name=f"Nearest neighbors of {chosen}").locator("li").first).to_contain_text(nearest)


def test_tabs_move_by_arrow_keys_and_are_kept_in_the_url(visit: Visit) -> None:
    page = visit("words")
    page.get_by_role("tab", name="Row").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("tab", name="List")).to_be_focused()
    page.wait_for_url("**tab=list")
    expect(page.get_by_role("table", name="All words, most frequent first")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("tab", name="Row")).to_have_attribute("aria-selected", "true")


@pytest.mark.long
@pytest.mark.parametrize(
    "address",
    ["words?tab=two", "words?tab=counts", "words?tab=probe&chosen=true", "words?tab=list&turn=1",
     "analogies?view=move", "analogies?view=pairs"],
)  # fmt: skip
def test_every_view_is_accessible_and_fits_a_phone(visit: Visit, unfold: Callable[[str], None], address: str) -> None:
    page = visit(address)
    unfold("More controls")
    expect_accessible(page, dark=False)
    expect_fits_phone(page)


@pytest.mark.long
def test_figure_in_a_narrow_page_of_the_documentation_is_short(visit: Visit, page: Page) -> None:
    page.set_viewport_size({"width": 358, "height": 700})
    panel = page.get_by_role("tabpanel")
    for address, last in (
        ("words?table=english-words&word=cat&word=dog", "Turn the table"),
        ("words?table=small-world&tab=counts&nomap=true", "Known pairs found by count"),
        ("words?table=small-world&word=cat&word=dog&word=house&chosen=true", "Turn the table"),
    ):
        visit(f"{address}&embed=light")
        expect(panel.get_by_text(last, exact=True)).to_be_attached()
        page.wait_for_load_state("networkidle")  # the map, too
        assert 600 < page.locator(".embedded").first.bounding_box()["height"] <= 800, address
    assert panel.evaluate("panel => panel.scrollHeight > panel.clientHeight")
    page.get_by_text("More controls").click()
    expect(page.get_by_role("combobox", name="Word", exact=True)).to_be_visible()
