"""The Words page in a browser."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from tests.browser.at_rest import box_at_rest
from tests.browser.conftest import pages_with, serving, url_of
from tests.browser.held_requests import hold

from rowspace import space
from rowspace.table import Table
from rowspace_lab.app import make_app
from rowspace_lab.lab import Lab
from rowspace_lab.pages.words import words_page

pytestmark = pytest.mark.browser

STILL = """async (canvas) => {
  let picture = "";
  for (let frames = 0; frames < 20; frames += 1) {
    await new Promise(requestAnimationFrame);
    if (canvas.toDataURL() !== picture) [picture, frames] = [canvas.toDataURL(), 0];
  }
  return picture;
}"""
LOADED = "section[aria-label=Figure][aria-busy=false]"


def shown_in(page: Page, label: str) -> list[list[str]]:
    """The tokens and numbers of a list of bars."""
    expect(page.locator(LOADED)).to_be_attached()
    items = page.get_by_role("list", name=label, exact=True).get_by_role("listitem")
    return [item.split() for item in items.all_inner_texts()]


def wait_for_words(page: Page, test: str, argument: object = None) -> None:
    """Wait until the words in the URL pass a test."""
    page.wait_for_function(
        f"given => (words => {test})(new URLSearchParams(location.search).getAll('word'))", arg=argument
    )


def test_word_search_by_keyboard_shows_neighbors_that_match_python(visit, unfold, lab) -> None:
    page = visit("words")
    expect(page.get_by_role("list", name="Nearest neighbors of typeerror")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("unicodeenc")
    options = page.get_by_role("listbox").get_by_role("option")
    expect(options.first).to_contain_text("unicodeencodeerror")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(options).to_have_count(0)
    expect(page.get_by_role("list", name="Nearest neighbors of unicodeencodeerror")).to_be_visible()
    expected = [[token, f"{score:.3f}"] for token, score in lab.table.neighbors("unicodeencodeerror")]
    assert shown_in(page, "Nearest neighbors of unicodeencodeerror") == expected
    unfold("The numbers")
    table = page.get_by_role("table", name="Nearest neighbors of unicodeencodeerror")
    ids = lab.table.ids([token for token, _ in expected])
    rows = [row.get_by_role("cell").all_inner_texts() for row in table.get_by_role("row").all()[1:]]
    assert [(row[0], row[2]) for row in rows] == [(lab.table.vocabulary[id], f"{lab.table.counts[id]:,}") for id in ids]


@pytest.mark.long
def test_search_lists_matches_and_their_number(visit, lab) -> None:
    page = visit("words")
    page.get_by_label("Word", exact=True).fill("error")
    matching = sum("error" in token for token in lab.table)
    expect(page.get_by_text(f"12 of {matching:,} matches")).to_be_visible()
    page.get_by_role("listbox").get_by_role("option").nth(1).click()
    expect(page.get_by_role("listbox").get_by_role("option")).to_have_count(0)
    wait_for_words(page, "words[0]?.includes('error')")


@pytest.mark.refused
def test_unknown_word_suggests_similar_spellings(visit) -> None:
    page = visit("words?word=sin")
    page.get_by_label("Word", exact=True).fill("typeerorr")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").first).to_contain_text("did you mean 'typeerror'")


def test_click_on_a_neighbor_opens_it(visit, lab) -> None:
    page = visit("words?word=sin&metric=euclidean")
    nearest = lab.table.neighbors("sin", metric="euclidean")[0][0]
    page.get_by_role("list", name="Nearest neighbors of sin").get_by_role("button", name=nearest, exact=True).click()
    page.wait_for_url(f"**/words?word={nearest}&metric=euclidean&viewport=*")
    expect(page.get_by_role("list", name=f"Nearest neighbors of {nearest}")).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize(
    "metric", ["euclidean", *(pytest.param(metric, marks=pytest.mark.long) for metric in ("cosine", "dot"))]
)
def test_comparison_of_words_matches_python(visit, unfold, lab, metric: str) -> None:
    page = visit(f"words?word=sin&word=cos&metric={metric}&tab=two")
    unfold("More controls")
    page.get_by_label("Compare with").fill("json")
    page.get_by_role("option", name="json").first.click()
    words = ["sin", "cos", "json"]
    wait_for_words(page, "String(words) === String(given)", words)
    cells = page.get_by_role("region", name="Pairwise").locator("td.number")
    expect(cells).to_have_count(9)
    scores = [lab.table.similarity(a, b, metric=metric) for a in words for b in words]
    assert [float(text.replace("\u2212", "-")) for text in cells.all_inner_texts()] == pytest.approx(scores, abs=0.0051)
    apart = space.euclidean(lab.table["sin"], lab.table[["cos", "json"]])
    expect(page.get_by_role("list", name="Distances").get_by_role("listitem")).to_have_count(2)
    assert shown_in(page, "Distances") == [["cos", f"{apart[0]:.3f}"], ["json", f"{apart[1]:.3f}"]]
    expect(page.get_by_text(f"is {apart.max() / apart.min():.1f} times closer than")).to_be_visible()
    page.get_by_role("tab", name="Row").click()
    page.get_by_role("button", name="Remove cos").click()
    page.get_by_role("tab", name="Two words").click()
    expect(cells).to_have_count(4)
    wait_for_words(page, "String(words) === 'sin,json'")


@pytest.mark.long
def test_map_quality_matches_python(visit, lab) -> None:
    page = visit("words")
    found = space.pca(lab.table.rows)
    kept = space.neighborhood_preservation(lab.table.rows, found.positions)
    expect(page.get_by_text(f"two axes explain {100 * found.share.sum():.1f} % of the variance")).to_be_visible()
    sentence = re.compile(r"preserves ([\d.]+)\s% of a word’s 10 nearest neighbors")
    expect(page.get_by_text(sentence)).to_be_visible()
    shown = sentence.search(page.get_by_text(sentence).inner_text())
    assert float(shown[1]) == pytest.approx(100 * kept.share, rel=0.05)  # two significant digits


@pytest.mark.long
def test_code_of_the_page_runs_as_one_script(visit, unfold, lab) -> None:
    page = visit("words?word=sin&word=cos&color=norm&tab=two")
    unfold("The code")
    code = page.get_by_label("Python", exact=True)
    for title in ("# the nearest neighbors", "# distances", "# the quality of the map", "# the colors", "# two words"):
        expect(code).to_contain_text(title)
    names: dict[str, Any] = {}
    exec(code.inner_text(), names)  # as pasted by a user
    assert names["neighbors"]["tokens"] == [token for token, _ in lab.table.neighbors("sin")]
    assert (
        names["map_quality"]["preserved"]
        == space.neighborhood_preservation(lab.table.rows, names["pca"]["positions"]).share
    )
    np.testing.assert_array_equal(names["norms"]["values"], lab.table.norms.astype(np.float32))


@pytest.mark.long
def test_lasso_lists_its_words_and_survives_a_reload(visit, lab) -> None:
    page = visit("words")
    canvas = page.get_by_role("application", name="PCA")
    canvas.scroll_into_view_if_needed()
    expect(page.get_by_text(f"PCA of {len(lab.table):,} rows")).to_be_visible()
    page.get_by_role("button", name="Lasso").click()
    box = box_at_rest(canvas)
    corners = [(0.01, 0.12), (0.99, 0.12), (0.99, 0.99), (0.01, 0.99), (0.01, 0.13)]
    places = [(box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x, y in corners]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=5)
    page.mouse.up()
    inside = page.get_by_text("words inside the lasso, most frequent first.")
    expect(inside).to_be_visible()
    caption = inside.inner_text()
    assert int(caption.split()[0].replace(",", "")) > 2000
    page.wait_for_url("**lasso=pca**")
    page.reload()
    expect(inside).to_have_text(caption)
    page.get_by_role("button", name="Clear the lasso").click()
    expect(page.get_by_text("All words, most frequent first")).to_be_visible()
    page.wait_for_function("!location.search.includes('lasso')")


def test_click_on_the_map_opens_a_word(visit) -> None:
    page = visit("words")
    canvas = page.get_by_role("application", name="PCA")
    canvas.focus()
    for key in ["-", "-", "-", "-", "Enter"]:
        page.keyboard.press(key)
    wait_for_words(page, "words.length === 4 && words[0] !== 'typeerror'")


@pytest.mark.parametrize(
    ("color", "legend"),
    [
        ("norm", "norm of the row"),
        pytest.param("count", "count, on a log scale", marks=pytest.mark.long),
        ("cluster", "…"),
    ],
)
def test_legend_explains_the_colors(visit, color: str, legend: str) -> None:
    page = visit(f"words?color={color}")
    expect(page.get_by_text(legend).first).to_be_visible()


@pytest.mark.long
def test_map_job_shows_progress_and_can_be_stopped(visit) -> None:
    page = visit("words")
    started: list[str] = []
    page.on("request", lambda request: started.extend([request.url] if request.method == "POST" else []))
    page.get_by_role("radio", name="t-SNE").check()
    page.wait_for_url("**map=tsne**")
    expect(page.get_by_text("step ", exact=False).first).to_be_visible()
    expect(page.get_by_text("t-SNE of ", exact=False).first).to_be_visible()
    page.get_by_role("application", name="t-SNE").focus()
    page.keyboard.press("+")
    page.wait_for_url("**viewport=**")
    assert len(started) == 1  # other changes of the URL do not restart it
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("alert").filter(has_text="t-SNE: this job was cancelled")).to_be_visible()
    page.get_by_role("button", name="Start again").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Start again")).to_be_visible()


def test_url_restores_the_whole_state(visit, unfold) -> None:
    page = visit("words?word=sin&word=cos&metric=dot&color=norm")
    page.get_by_role("application", name="PCA").focus()
    page.keyboard.press("+")
    page.wait_for_url("**viewport=**")
    address = page.url
    page.reload()
    expect(page.get_by_text("norm of the row")).to_be_visible()
    unfold("More controls")
    expect(page.get_by_role("radio", name="dot")).to_be_checked()
    expect(page.get_by_role("list", name="Nearest neighbors of sin")).to_be_visible()
    expect(page.get_by_role("region", name="Row of cos")).to_be_visible()
    page.wait_for_url(address)
    page.get_by_role("button", name="Show all").click()
    page.wait_for_function("!location.search.includes('viewport')")


class TestMapsInBackground:
    """With a server that computes UMAP while the page shows PCA."""

    @pytest.fixture(scope="class")
    @classmethod
    def lab_url(cls, learned: tuple[Table, str]) -> Iterator[str]:
        with serving(make_app(Lab(*learned), pages=pages_with(words_page()))) as server:
            yield url_of(server)

    @pytest.mark.long  # computes UMAP
    def test_umap_follows_pca_when_it_is_ready_unless_pca_was_chosen(self, visit) -> None:
        page = visit("words?table=small-world")
        expect(page.get_by_text("PCA of 109 rows")).to_be_visible()
        expect(page.get_by_text("UMAP of 109 rows")).to_be_visible()
        expect(page.get_by_role("radio", name="UMAP")).to_be_checked()
        assert "map=" not in page.url
        page.get_by_role("group", name="Map").get_by_text("PCA", exact=True).click()
        page.wait_for_url("**map=pca**")
        expect(page.get_by_text("PCA of 109 rows")).to_be_visible()


@pytest.mark.long
def test_names_of_regions_are_drawn_again_in_their_font(visit: Callable[[str], Page], page: Page) -> None:
    fonts = hold(page, "**/source-serif-4-latin-wght-italic.woff2")
    visit("words?table=english-words")
    expect(page.get_by_role("application", name=re.compile("^UMAP of 10,000 rows"))).to_be_visible()
    page.wait_for_function("() => document.fonts.status === 'loading'")  # a name of a region needs it
    names = page.locator(".map canvas").nth(1)
    before = names.evaluate(STILL)
    fonts.pop().continue_()
    page.wait_for_function("([canvas, before]) => canvas.toDataURL() !== before", arg=[names.element_handle(), before])
