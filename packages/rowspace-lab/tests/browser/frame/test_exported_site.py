"""An exported site, opened from a plain file server below a path, with all other network blocked.

The site of the first tests has few replies; those of every page and lesson are tested with all of them.
"""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.browser.conftest import TIMEOUT
from tests.browser.file_server import served
from tests.browser.whole_page import expect_accessible, expect_fits_phone

from rowspace.space.similarity import METRICS
from rowspace_lab.app import STATIC
from rowspace_lab.export import export_site
from rowspace_lab.export.recording import all_requests
from rowspace_lab.lessons.lesson import NUMBERS, lesson
from rowspace_lab.pages import PAGES
from rowspace_lab.server.reply import Reply
from rowspace_lab.tables.tables import first_lab

pytestmark = pytest.mark.browser

CHECKOUT = Path(__file__).parents[5]
MOST_BYTES = 15_000_000
"""Of a site without the documentation."""
NEEDS_SERVER = "This needs the workbench on your own machine: pip install rowspace-lab, then rowspace lab."
ONLY_WITH_A_SERVER = {"search"}
FEW = ("tables", "words/", "lessons/list", "pipeline/forward", "lessons/why")
OF_A_RUN = ("tables", "training/", "jobs/", "lessons/why")
ANSWER = """async ([path, query]) => {
  const { answer } = await import("./exported.js");
  const { meta, arrays, shapes } = await answer(path, new URLSearchParams(query));
  const lists = Object.entries(arrays).map(([name, array]) => [name, [...array]]);
  return { meta, arrays: Object.fromEntries(lists), shapes };
}"""
WORDS = ("king", "village", "seven", "slowly", "don't", "cat")
COMPUTED = [
    *(("words/neighbors", {"word": word, "metric": metric}) for word in WORDS for metric in METRICS),
    *(("words/compare", {"word": list(WORDS), "metric": metric}) for metric in METRICS),
    *(("words/search", {"part": part}) for part in ("king", "Ing", "zzz", "'")),
    ("words/tokens", {"ids": "0,17,9999"}),
    ("words/rows", {"word": list(WORDS)}),
    ("words/distances", {"word": list(WORDS)}),
    ("words/pair", {"a": "king", "b": "slowly"}),
    *(
        ("analogies/answers", {"a": "man", "b": "king", "c": "woman", "expected": "queen", **options})
        for options in ({}, {"keep_inputs": "true"}, {"method": "3cosmul"}, {"expected": "slowly"}, {"b": "man"})
    ),
]
"""Requests whose replies a site computes."""


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site with the first views of some pages."""
    folder = tmp_path_factory.mktemp("few")
    (folder / "course").mkdir()
    requests = [each for each in all_requests() if not each.table and each.route.startswith(FEW)]
    export_site(folder / "course" / "site", STATIC, requests=requests)
    yield from served(folder)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site with the run of the Training page."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "course").mkdir()
    requests = [each for each in all_requests() if not each.table and each.route.startswith(OF_A_RUN)]
    export_site(folder / "course" / "site", STATIC, requests=requests)
    yield from served(folder)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site with all replies, which the command exports without the tests' small tokenizer."""
    folder = tmp_path_factory.mktemp("whole")
    site = folder / "course" / "site"
    site.parent.mkdir()
    environment = os.environ | {"XDG_CACHE_HOME": str(folder / "cache")}
    subprocess.run([sys.executable, "-m", "rowspace", "lab", "--export", site], env=environment, check=True)
    files = [file for file in site.rglob("*") if file.is_file() and "docs" not in file.relative_to(site).parts]
    assert sum(file.stat().st_size for file in files) <= MOST_BYTES
    yield from served(folder)


@pytest.fixture
def open_page(browser: Browser, lane: str) -> Iterator[Callable[[str], Page]]:
    """`open_page(url)`: open a page in a browser that reaches the site only; another request fails the test."""
    problems: list[str] = []
    with browser.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce") as context:
        page = context.new_page()
        page.set_default_timeout(TIMEOUT)
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))

        def opened(url: str) -> Page:
            site = url.partition("#")[0]

            def guard(route: Route) -> None:
                if route.request.url.startswith((site, "data:", "blob:")):
                    return route.continue_()
                problems.append(f"requested {route.request.url}")
                return route.abort()

            page.unroute_all()
            page.route("**/*", guard)
            page.goto("about:blank")
            page.goto(url)
            page.wait_for_load_state("networkidle")
            return page

        yield opened
    assert problems == []


def messages(page: Page) -> list[str]:
    """Return the errors that a page shows, and its sentences about what needs a server."""
    shown = page.locator("main [role=alert], main .needs-server, main .message, main .failure")
    return [text for text in shown.all_inner_texts() if text]


def expect_at_rest(page: Page) -> None:
    """Wait until nothing loads; nothing may wait for a reply."""
    expect(page.locator("main [aria-busy=true]")).to_have_count(0)
    expect(page.locator("main .skeleton")).to_have_count(0)


def test_site_computes_what_python_does(few: str, open_page: Callable[[str], Page], ask: Callable[..., Reply]) -> None:
    page, lab = open_page(f"{few}#/words"), first_lab()
    for route, parameters in COMPUTED:
        expected = ask(lab, route, **parameters)
        found = page.evaluate(ANSWER, [route, urlencode(parameters, doseq=True)])
        name = f"{route} {parameters}"
        if route != "words/tokens":  # whose code no page shows
            assert ast.dump(ast.parse(found["meta"]["code"])) == ast.dump(ast.parse(expected.meta["code"])), name
        for field, value in expected.meta.items():
            assert field == "code" or found["meta"][field] == approximately(value), f"{name}: {field}"
        assert {field: tuple(shape) for field, shape in found["shapes"].items()} == {
            field: array.shape for field, array in expected.arrays.items()
        }, name
        for field, array in expected.arrays.items():
            np.testing.assert_allclose(
                np.array(found["arrays"][field]).reshape(array.shape), array, rtol=1e-6, atol=1e-6, err_msg=name
            )


def approximately(value: Any) -> Any:
    """Return what equals a JSON value up to the rounding of its numbers."""
    if isinstance(value, dict):
        return {key: approximately(item) for key, item in value.items()}
    if isinstance(value, list):
        return [approximately(item) for item in value]
    return pytest.approx(value, rel=1e-6) if isinstance(value, float) else value


@pytest.mark.long
def test_typed_word_shows_its_neighbors(few: str, open_page: Callable[[str], Page]) -> None:
    page = open_page(f"{few}#/words")
    search = page.get_by_role("combobox", name="Word", exact=True)
    search.fill("villag")
    page.get_by_role("option", name="village", exact=False).first.wait_for()
    search.press("Enter")
    page.wait_for_url(re.compile(r"/#/words\?word=village"))
    nearest = [token for token, _ in first_lab().table.neighbors("village", k=3)]
    inspector = page.locator(".inspector")
    for token in nearest:
        expect(inspector.get_by_text(token, exact=True).first).to_be_visible()
    expect_at_rest(page)
    assert messages(page) == []


def test_what_is_not_recorded_says_what_it_needs(few: str, open_page: Callable[[str], Page]) -> None:
    page = open_page(f"{few}#/head")
    expect(page.locator(".needs-server")).to_have_text(NEEDS_SERVER)
    expect_at_rest(page)
    page.get_by_role("link", name="Words", exact=True).first.click()
    page.wait_for_url("**/course/site/#/words")
    expect(page.locator(".needs-server")).to_have_count(0)
    field = page.get_by_label("Sentence on all pages")
    expect(field).to_be_disabled()
    expect(field).to_have_attribute("title", NEEDS_SERVER)
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Head")


@pytest.mark.long
def test_recorded_run_is_played_back(trained: str, open_page: Callable[[str], Page]) -> None:
    page = open_page(f"{trained}#/training")
    expect(page.get_by_text("A run on the 264 sentences of Small world is recorded; play it back")).to_be_visible()
    slider, row = page.get_by_role("slider", name="Step"), page.get_by_role("heading", name=re.compile("^cat"))
    expect(row).to_contain_text("at step 300")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(slider).not_to_have_attribute("aria-valuetext", "step 300")
    expect(slider).to_have_attribute("aria-valuetext", "step 300")  # at the end of the film
    slider.fill("1")
    expect(row).to_contain_text("at step 12")
    for tab in ("What moves rows", "Gradients"):
        page.get_by_role("tab", name=tab).click()
        expect_at_rest(page)
    assert messages(page) == []
    page.get_by_text("The code", exact=True).click()
    code = page.get_by_role("region", name="The code").locator("pre").inner_text()
    assert set(re.findall(r"run='([^']*)'", code)) == {"training-run"}
    page.get_by_role("radio", name="untied").check()
    expect(page.locator(".needs-server")).to_have_text(NEEDS_SERVER)
    expect(row).to_have_count(0)


@pytest.mark.long
def test_every_page_of_a_site_rests_without_an_error(whole: str, open_page: Callable[[str], Page]) -> None:
    for name in [*(page.name for page in PAGES), "claims", "lessons", "lessons/cards", "adapting?table=six-words"]:
        page = open_page(f"{whole}#/{name}")
        expect_at_rest(page)
        assert messages(page) == ([NEEDS_SERVER] if name in ONLY_WITH_A_SERVER else []), name
        expect_accessible(page)
        expect_fits_phone(page)
        page.set_viewport_size({"width": 1280, "height": 720})


@pytest.mark.long
def test_every_figure_of_the_documentation_rests_without_an_error(whole: str, open_page: Callable[[str], Page]) -> None:
    texts = (path.read_text(encoding="utf-8") for path in (CHECKOUT / "docs").rglob("*.md"))
    places = {place for text in texts for place in re.findall(r"In the workbench: `(/[^`]*)`", text)}
    for place in sorted(place for place in places if not place.startswith("/lessons")):
        page = open_page(f"{whole}#{place}{'&' if '?' in place else '?'}embed=light")
        expect(page.get_by_role("region", name="Figure").first).to_be_visible()
        expect_at_rest(page)
        assert messages(page) == [], place


@pytest.mark.long
def test_every_step_of_every_lesson_of_a_site_rests_without_an_error(
    whole: str, open_page: Callable[[str], Page]
) -> None:
    for number in NUMBERS:
        page = open_page(f"{whole}#/lessons/{number}")
        for step in range(1, 1 + len(lesson(number).document.of("figure"))):
            page.wait_for_url(re.compile(rf"step={step}&"))
            region = page.get_by_role("region", name=re.compile(rf"^Step {step} of"))
            unanswered = region.get_by_role("button", name="Show the answer")
            while left := unanswered.count():
                unanswered.first.click()
                expect(unanswered).to_have_count(left - 1)
            page.wait_for_load_state("networkidle")
            expect_at_rest(page)
            assert messages(page) == [], f"lesson {number}, step {step}"
            page.get_by_role("navigation", name="Steps").get_by_role("button", name="Next →", exact=True).click()
