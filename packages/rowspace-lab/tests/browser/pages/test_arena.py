"""The Arena page in a browser: a saved result and its cells, and runs that are started, stopped and continued."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from tests.arena_results import save_arena
from tests.browser.conftest import pages_with, serving
from tests.browser.held_requests import hold
from tests.browser.whole_page import expect_accessible, expect_fits_phone

import rowspace as rs
from rowspace_lab.app import make_app
from rowspace_lab.experiments import read_arena
from rowspace_lab.lab import Lab
from rowspace_lab.pages.arena import arena_page
from rowspace_lab.pages.arena.saved import own_folder

pytestmark = pytest.mark.browser

TINY = {
    "quick": True, "seconds": 0.02, "layers": 1, "megabytes": 0.05, "strategies": ["bytes", "patches-32"],
    "tasks": ["images"], "curve": False, "workers": 1,
}  # fmt: skip


@pytest.fixture(scope="session")
def lab_url() -> Iterator[str]:
    """A separate server over a small table, with budgets for two short runs and for one that does not end."""
    lab = Lab(rs.Table(["a", "b"], np.eye(2, dtype=np.float32), np.array([2, 1])), "some-table")
    arena = arena_page({"quick": TINY, "60": TINY | {"seconds": 1000.0}})
    with serving(make_app(lab, pages=pages_with(arena))) as server:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"


@pytest.fixture(autouse=True)
def cache_of_the_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def document() -> dict[str, Any]:
    """The document of a saved arena of three strategies and two tasks."""
    failed = {"failed": "the loss became nan before step 7", "diverged": True}
    return save_arena(own_folder() / "saved", {"images/bytes/3": failed})


def cell(page: Page, name: str) -> Any:
    return page.get_by_role("button", name=re.compile(f"^{name}:"))


def test_table_has_each_result_with_its_spread_and_mark(visit, document: dict[str, Any]) -> None:
    page = visit("arena")
    expect(cell(page, "bpe on next-bytes")).to_contain_text("3.100 ± 0.100")
    expect(cell(page, "patches-16 on images")).to_contain_text("91.0 ± 1.0 %")
    expect(cell(page, "bpe on images")).to_contain_text("not learned")
    expect(cell(page, "bytes on images")).to_contain_text("diverged")
    headline, _, details = document["verdict"].partition(". ")
    expect(page.get_by_role("table").first.locator("caption")).to_contain_text(headline)
    if details:
        expect(page.get_by_role("region", name="Figure").get_by_text(details)).to_be_visible()
    lengths = [
        cell(page, f"{strategy} on next-bytes").locator(".bar").bounding_box()["width"]
        for strategy in ("bpe", "bytes", "patches-16")
    ]
    assert lengths[0] > lengths[1] > lengths[2]  # fewer bits, longer bar
    sizes = page.get_by_role("table", name="Rows or side of a patch")
    expect(sizes.get_by_role("row", name="bpe")).to_contain_text("24,576,000")
    expect(page.get_by_role("application", name=re.compile("^Byte pairs at several vocabulary sizes"))).to_be_visible()


def test_winner_of_a_task_is_marked(visit) -> None:
    save_arena(own_folder() / "saved")
    page = visit("arena")
    expect(cell(page, "bpe on next-bytes")).to_contain_text("wins")
    expect(page.get_by_role("table").first.get_by_text("wins", exact=True)).to_have_count(2)


def test_pressed_cell_is_in_the_url_and_has_its_reason_curves_and_wrong_inputs(visit, document: dict[str, Any]) -> None:
    page = visit("arena")
    cell(page, "patches-16 on images").click()
    page.wait_for_url("**/arena?cell=images%2Fpatches-16")
    details = page.get_by_role("region", name="patches-16 on images", exact=True)
    entry = next(e for e in document["entries"] if (e["task"], e["strategy"]) == ("images", "patches-16"))
    expect(details).to_contain_text(entry["why"])
    expect(details.get_by_role("application", name=re.compile("^Learning curves: 3 curves"))).to_be_visible()
    wrong = details.get_by_role("list", name="Wrong inputs").get_by_role("listitem")
    expect(wrong).to_have_count(3)
    expect(wrong.first).to_contain_text("temple")
    expect(wrong.first.get_by_role("img", name="The image, 16 × 16 pixels")).to_be_visible()
    black, white = wrong.first.locator("canvas").evaluate(
        "c => { const { data } = c.getContext('2d').getImageData(0, 9, c.width, 1);"
        " return [0.5, 1.5].map(at => data[4 * Math.floor(c.width / 16 * at)]); }"
    )
    assert black < white
    page.go_back()
    expect(details).to_be_hidden()

    page = visit("arena?cell=next-bytes/bpe")
    details = page.get_by_role("region", name="bpe on next-bytes", exact=True)
    expect(details.get_by_role("list", name="Wrong inputs").get_by_role("listitem").first).to_contain_text("40.5")
    expect(details.locator("mark").first).to_have_text("naïve ")
    expect(cell(page, "bpe on next-bytes")).to_have_attribute("aria-pressed", "true")


@pytest.mark.long
def test_page_with_a_chosen_cell_is_accessible_and_fits_a_phone(visit, document: dict[str, Any]) -> None:
    page = visit("arena?cell=images/patches-16")
    expect(page.get_by_role("region", name="patches-16 on images", exact=True)).to_be_visible()
    expect_accessible(page)
    expect_fits_phone(page)


def test_code_computes_what_is_shown(visit, document: dict[str, Any]) -> None:
    page = visit("arena?cell=images/bytes")
    code, names = page.get_by_label("Python", exact=True), dict[str, Any]()
    expect(code).to_contain_text("cell = cell_figure(")
    exec(code.inner_text(), names)  # as pasted by a user
    assert names["arena"]["verdict"] == document["verdict"]
    assert names["cell"]["qualities"] == [0.3, 0.4]


@pytest.mark.long
def test_page_shows_a_full_run_and_fills_while_one_of_the_reader_runs(visit, unfold) -> None:
    page = visit("arena")
    expect(page.get_by_label("Result")).to_contain_text("full run: 20 s, 3 seeds, scale 32")
    unfold("The strategies and the tasks")
    expect(page.get_by_text("2 runs: more than 0 s on 1 core")).to_be_visible()
    expect(page.get_by_role("definition").filter(has_text="a byte, one of 256")).to_be_visible()
    expect(page.get_by_label("Python", exact=True)).to_contain_text("# the call that made this result: run_arena()")
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url("**/arena?result=*")
    expect(cell(page, "patches-32 on images")).to_contain_text("waiting")
    expect(page.get_by_text("The run has finished.")).to_be_visible()
    (folder,) = own_folder().iterdir()
    for entry in read_arena(folder)["entries"]:
        expect(cell(page, f"{entry['strategy']} on images")).to_contain_text(f"{100 * entry['quality']:.1f} ± ")
    expect(page.get_by_label("Result")).to_contain_text("run of this page: 0.02 s, 1 seed, scale 32")
    expect(page.get_by_label("Python", exact=True)).to_contain_text("run_arena(quick=True, seconds=0.02,")


@pytest.mark.long
def test_stopped_run_ends_its_processes_and_continues(visit, page: Page) -> None:
    visit("arena?budget=60")
    page.get_by_role("button", name="Run", exact=True).click()
    begun = page.get_by_text("0 of 6 runs; the first ones have begun")
    expect(begun).to_be_visible()
    page.reload()  # the tab follows its run
    expect(begun).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped; finished runs are kept.")).to_be_visible()
    expect(cell(page, "bytes on images")).to_contain_text("not run")
    page.get_by_role("button", name="Continue").click()
    expect(cell(page, "bytes on images")).to_contain_text("waiting")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped; finished runs are kept.")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()


@pytest.mark.long
def test_run_that_is_stopped_before_its_first_event_is_stopped(visit, page: Page) -> None:
    visit("arena?budget=60")
    held = hold(page, "**/api/jobs/*/events")
    with page.expect_request("**/api/jobs/*/events"):
        page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Stop").click()
    held.pop().continue_()
    expect(page.get_by_text("Stopped; finished runs are kept.")).to_be_visible()


@pytest.mark.refused
def test_result_that_cannot_be_read_says_why(visit, lab_url: str) -> None:
    folder = own_folder() / "old"
    folder.mkdir(parents=True)
    (folder / "arena.json").write_text('{"format": 1, "settings": {}, "cells": {}}')
    page = visit("arena")
    expect(page.get_by_label("Result")).to_contain_text("run of this page (cannot be opened)")
    page.goto(f"{lab_url}/arena?result=ffffffffffff")
    expect(page.get_by_role("alert").filter(has_text="there is no saved arena 'ffffffffffff'")).to_be_visible()
