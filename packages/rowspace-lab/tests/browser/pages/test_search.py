"""The Search page: a question over files that are indexed, and a folder that is indexed on request."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.conftest import pages_with, serving, url_of
from tests.browser.held_requests import hold
from tests.browser.whole_page import expect_accessible, expect_fits_phone
from tests.search.samples import FILES, make_table, write_files

import rowspace as rs
from rowspace.search import Hit, Index
from rowspace.table import Table
from rowspace_lab.app import make_app
from rowspace_lab.lab import Lab
from rowspace_lab.pages.search import SearchSource
from rowspace_lab.pages.search.source import encoder_of

pytestmark = pytest.mark.browser

QUESTION = "raise an error for a wrong file"
ADDRESS = f"search?text={QUESTION.replace(' ', '+')}"


@pytest.fixture(scope="session")
def index(learned: tuple[Table, str], searched_folder: Path) -> Index:
    """The index that the page uses."""
    encoder = encoder_of(Lab(*learned))
    return Index.open(SearchSource(searched_folder).place(encoder).path, encoder)


def place_of(hit: Hit) -> str:
    """The path and the line as the page writes them."""
    return f"{hit.path.partition('/files/')[2]}:{hit.first_line}"


def passages(page: Page) -> Locator:
    return page.get_by_role("list", name="Passages").locator("> li")


def expect_hits(page: Page, hits: list[Hit]) -> None:
    """Expect these passages in this order, with their ranks."""
    expect(passages(page)).to_have_count(len(hits))
    for item, hit in zip(passages(page).all(), hits, strict=True):
        expect(item.locator(".place")).to_have_text(place_of(hit))


def test_results_appear_as_one_types(visit: Callable[[str], Page], index: Index) -> None:
    page = visit("search")
    expect(page.get_by_text("Type a question above.")).to_be_visible()
    expect(page.get_by_text(f"4 files, {len(index)} passages, indexed")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type(QUESTION)
    hits = index.search(QUESTION)
    expect_hits(page, hits)
    page.wait_for_url(f"**/{ADDRESS}")
    (why,) = index.evidence(QUESTION, hits[:1])
    first = passages(page).first
    expect(first).to_contain_text(f"words {hits[0].lexical_rank} · vectors {hits[0].dense_rank}")
    expect(first).to_contain_text(f"cosine {why.cosine:.3f} = “")
    expect(first).to_contain_text(f"BM25 {why.scores.sum():.2f}")
    largest = max(zip(why.shares, why.spans.tolist(), strict=True))
    assert first.locator("mark").first.evaluate("mark => getComputedStyle(mark).backgroundColor") != "rgba(0, 0, 0, 0)"
    begin, end = largest[1]
    encoded = f"{hits[0].name}\n{hits[0].text}"
    expect(
        first.locator(f'mark[title^="{encoded[begin:end]} adds {largest[0]:.4f} to the cosine"]').first
    ).to_be_attached()
    page.get_by_label("Question", exact=True).fill("")
    expect(page.get_by_text("Type a question above.")).to_be_visible()


def test_mode_changes_the_order_and_the_lit_words(visit: Callable[[str], Page], index: Index) -> None:
    page = visit(ADDRESS)
    expect_hits(page, index.search(QUESTION))
    for name, mode, sums in (("vectors", "dense", "cosine"), ("words (BM25)", "lexical", "BM25")):
        page.get_by_role("radio", name=name).check()
        hits = index.search(QUESTION, mode=mode)
        expect_hits(page, hits)
        page.wait_for_url(f"**mode={mode}**")
        expect(page.get_by_role("list", name=f"Ranking by {name}").get_by_role("button")).to_have_count(len(hits))
        expect(passages(page).first.locator(".sums")).to_have_text(re.compile(f"^ *{sums}"))
    expect(passages(page).first.locator("mark.counts").first).to_have_text(re.compile("raise|error|file|wrong", re.I))


def test_passages_are_quoted_without_marks_of_the_glossary(visit: Callable[[str], Page]) -> None:
    page = visit("search?text=norm+of+a+vector")
    expect(passages(page).first).to_contain_text("The norm of a vector")
    page.wait_for_function("CSS.highlights.get('glossary')?.size > 0")
    marked = "[...CSS.highlights.get('glossary')].map((range) => range.toString())"
    assert "norm" not in page.evaluate(marked)


def test_code_prints_what_is_shown(visit: Callable[[str], Page], index: Index, capsys: Any) -> None:
    page = visit(f"{ADDRESS}&path=*.md&mode=dense")
    hits = index.search(QUESTION, path="*.md", mode="dense")
    expect_hits(page, hits)
    code = page.get_by_label("Python", exact=True)
    expect(code).to_contain_text("path='*.md', mode='dense'")
    names = dict[str, Any]()
    exec(code.inner_text(), names)  # as pasted by a user
    assert names["hits"] == hits
    assert len(capsys.readouterr().out.splitlines()) == len(hits)
    expect(page.get_by_role("table", name="Ranks and scores").locator("tbody tr")).to_have_count(len(hits))


@pytest.mark.long
@pytest.mark.both_lanes
def test_hovered_passage_is_marked_in_the_rankings_and_on_the_map(visit: Callable[[str], Page], index: Index) -> None:
    page = visit(ADDRESS)
    hits = index.search(QUESTION)
    expect_hits(page, hits)
    second = place_of(hits[1])
    passages(page).nth(1).hover()
    ladder = page.get_by_role("group", name="The ranks side by side")
    expect(ladder.locator("button.lit")).to_have_count(3)  # in each ranking, since all are short
    expect(ladder.locator("line.lit")).to_have_count(2)
    ladder.get_by_role("list", name="Ranking by vectors").locator("button").first.hover()
    best = place_of(index.search(QUESTION, mode="dense")[0])
    expect(page.locator("li.lit .place")).to_have_text(best)
    assert best != second or len(hits) == 1
    figure = page.get_by_role("application", name=re.compile("^PCA of the vectors"))
    expect(figure).to_have_accessible_name(
        re.compile(rf"^PCA of the vectors of {len(index)} passages: {len(index) + 1} ")
    )


@pytest.mark.long
def test_late_answer_to_an_earlier_question_is_dropped(page: Page, lab_url: str, index: Index) -> None:
    held = hold(page, "**/api/search/results?*text=math*")
    page.goto(f"{lab_url}/search")
    page.locator("section[aria-label=Figure][aria-busy=false]").wait_for()
    with page.expect_request(lambda request: "text=math" in request.url):
        page.get_by_label("Question", exact=True).fill("math")
    page.get_by_label("Question", exact=True).fill(QUESTION)
    expect_hits(page, index.search(QUESTION))
    for route in held:
        route.continue_()
    page.wait_for_load_state("networkidle")
    expect_hits(page, index.search(QUESTION))


@pytest.mark.long
def test_page_with_results_is_accessible_and_fits_a_phone(visit: Callable[[str], Page], index: Index) -> None:
    page = visit(ADDRESS)
    expect_hits(page, index.search(QUESTION))
    expect_accessible(page)
    expect_fits_phone(page)
    box = page.get_by_role("region", name="Figure").bounding_box()
    assert box is not None
    assert box["y"] <= 500


@pytest.mark.refused
def test_page_says_why_nothing_is_shown(visit: Callable[[str], Page]) -> None:
    page = visit("search?text=zzzqqq")
    expect(page.get_by_text("No word of this question has a row in the table")).to_be_visible()
    expect(page.get_by_text("No passage was found.")).to_be_visible()
    page = visit(f"{ADDRESS}&path=*.tex")
    expect(page.get_by_text("No passage was found in files that match *.tex.")).to_be_visible()
    page.get_by_label("Only files").fill("!")
    expect(
        page.get_by_role("alert").filter(has_text="path must be a pattern such as '*.md' or 'docs/'")
    ).to_be_visible()
    page = visit("search?table=six-words")
    expect(page.get_by_text("This table has no tokenizer")).to_be_visible()
    expect(page.get_by_label("Python", exact=True)).to_have_count(0)


class TestIndexing:
    """A folder without an index, on a server of its own."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        return write_files(tmp_path / "files")

    @pytest.fixture
    def lab_url(self, folder: Path, tmp_path: Path) -> Iterator[str]:
        make_table().save(tmp_path / "table")
        lab = Lab(rs.load(tmp_path / "table"), str(tmp_path / "table"))
        with serving(make_app(lab, pages=pages_with(), search=SearchSource(folder))) as server:
            yield url_of(server)

    def test_folder_is_indexed_on_request_and_updated(self, visit: Callable[[str], Page], folder: Path) -> None:
        page = visit("search")
        expect(page.get_by_text(f"{folder} has {len(FILES)} files and no index with this table yet.")).to_be_visible()
        expect(page.get_by_label("Python", exact=True)).to_contain_text(f"Index.build('{folder}', encoder, 'my-index')")
        notes = page.get_by_role("table", name=re.compile("The place of each note"))
        expect(notes.get_by_role("row").nth(3)).to_be_visible()  # of the lesson, until there is an index
        page.get_by_label("Question", exact=True).fill("what is E17")
        expect(notes).to_contain_text("E17")
        page.get_by_role("button", name="Index these files").click()
        expect(page.get_by_text("5 files, 5 passages, indexed")).to_be_visible()
        expect(notes).to_have_count(0)
        page.get_by_label("Question", exact=True).fill("Tulips grow bulbs spring")
        expect(passages(page).first.locator(".place")).to_have_text("garden.txt:1")
        (folder / "new.txt").write_text("Roses, roses, roses.")
        page.get_by_role("button", name="Update").click()
        expect(page.get_by_text("6 files, 6 passages, indexed")).to_be_visible()
        page.get_by_label("Question", exact=True).fill("Roses")
        expect(page.get_by_role("list", name="Ranking by words").locator("button").first).to_contain_text("new.txt:1")

    @pytest.mark.long
    def test_stopped_run_is_continued_on_request(self, visit: Callable[[str], Page], folder: Path, page: Page) -> None:
        for number in range(3000):
            (folder / f"{number}.txt").write_text(f"Roses need water. {number}")
        visit("search")
        page.get_by_role("button", name="Index these files").click()
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_text("Stopped; what was read is kept.")).to_be_visible()
        page.reload()
        page.get_by_role("button", name=re.compile("Index these files|Continue")).click()
        expect(page.get_by_text("3,005 files, 3,005 passages, indexed")).to_be_visible()

    @pytest.mark.long
    def test_another_table_starts_no_run(self, visit: Callable[[str], Page], page: Page) -> None:
        visit("search")
        page.get_by_role("button", name="Index these files").click()
        expect(page.get_by_text("5 files, 5 passages, indexed")).to_be_visible()
        started: list[str] = []
        page.on("request", lambda request: request.method == "POST" and started.append(request.url))
        page.get_by_role("combobox", name="Table").select_option("small-world")
        expect(page.get_by_role("button", name="Index these files")).to_be_visible()
        page.wait_for_load_state("networkidle")
        assert started == []
