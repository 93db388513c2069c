"""The Training page in a browser: a run that is trained while it is watched, stopped, replayed."""

import re
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest
import uvicorn
from playwright.sync_api import Browser, Page, expect
from tests.browser.conftest import pages_with, serving, url_of
from tests.browser.held_requests import hold

import rowspace as rs
from rowspace_lab.app import make_app
from rowspace_lab.experiments import TrainProgress, TrainReports
from rowspace_lab.lab import Lab

pytestmark = pytest.mark.browser


def small_server() -> AbstractContextManager[uvicorn.Server]:
    """A server over a small table; the page trains its own run."""
    lab = Lab(rs.Table(["a", "b"], np.eye(2, dtype=np.float32), np.array([2, 1])), "some-table")
    return serving(make_app(lab, pages=pages_with()))


@pytest.fixture(scope="session")
def lab_url() -> Iterator[str]:
    with small_server() as server:
        yield url_of(server)


def finished(visit, address: str = "training?corpus=python") -> Page:
    """The page after the last step of its run on Python's help."""
    page = visit(address)
    expect(page.get_by_text("has finished; play it back").first).to_be_visible()
    expect(page.get_by_role("application", name="The map of 640 rows at step 50")).to_be_visible()
    return page


class TestFirstVisit:
    """With a server on which nothing was trained, also in the second lane."""

    @pytest.fixture(scope="class")
    @classmethod
    def lab_url(cls) -> Iterator[str]:
        with small_server() as server:
            yield url_of(server)

    def test_table_of_step_0_appears_before_the_run_moves_and_a_stopped_run_starts_again(self, visit) -> None:
        page = visit("training")
        table = page.get_by_role("application", name="The rows of the 24 most frequent tokens at step 0")
        expect(table).to_be_visible()
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_text("this job was cancelled")).to_be_visible()
        page.get_by_role("button", name="Start again").click()
        expect(page.get_by_role("region", name="Controls")).to_contain_text(
            re.compile(r"step \d+ of 50, loss \d\.\d\d")
        )


@pytest.mark.long
def test_words_of_sentences_move_to_words_of_their_kind(visit) -> None:
    page = visit("training")
    expect(page.get_by_text("A run on the 264 sentences of Small world")).to_be_visible()
    expect(page.get_by_role("application", name="The map of 110 rows at step 50")).to_be_visible()
    figure = page.get_by_role("region", name="Figure")
    for kind in ("animals", "people", "things and places"):
        expect(figure.get_by_text(kind, exact=True)).to_be_visible()
    nearest = page.get_by_role("table", name="Nearest tokens of the sample at step 50").locator("tbody tr")
    for word in ("dog", "kitten", "puppy"):
        expect(nearest.get_by_text(word, exact=True)).to_be_visible()


@pytest.mark.long
def test_replay_plays_pauses_and_scrubs(visit) -> None:
    page = finished(visit)
    step = page.get_by_role("slider", name="Step").first
    step.press("Home")
    expect(page.get_by_role("application", name="The map of 640 rows at step 0")).to_be_visible()
    page.get_by_text("4×").click()
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("application", name="The map of 640 rows at step 50")).to_be_visible()
    expect(page.get_by_role("button", name="Play")).to_be_visible()


@pytest.mark.long
def test_chosen_token_has_its_row_count_and_neighbors_at_the_step(visit, page: Page) -> None:
    finished(visit)
    page = finished(visit, "training?corpus=python&token=290")
    figure = page.get_by_role("region", name="Figure")
    expect(
        figure.get_by_role("table", name="Nearest tokens of the sample at step 50").locator("tbody tr")
    ).to_have_count(8)
    expect(figure).to_contain_text("times in the text, looked up in")
    expect(figure.get_by_role("application", name=re.compile("^The row of .* at step 50"))).to_be_visible()


@pytest.mark.long
def test_code_computes_what_is_shown(visit) -> None:
    page = finished(visit)
    code, names = page.get_by_label("Python", exact=True), dict[str, object]()
    for figure in ("curves", "snapshots", "row", "updates", "both_sides", "without_gradient"):
        expect(code).to_contain_text(f"{figure} = {figure}_figure(")
    exec(code.inner_text(), names)  # as pasted by a user
    assert names["curves"]["step"] == names["row"]["step"] == names["updates"]["step"] == 50
    assert names["both_sides"]["steps"][-1] == names["without_gradient"]["step"] == 50
    assert len(names["snapshots"]["tokens"]) == 640


@pytest.mark.long  # trains another run
def test_rows_are_compared_by_updates_and_one_is_chosen_by_keys(visit) -> None:
    page = finished(visit, "training?corpus=python&run=untied&tab=rows")
    figure = page.get_by_role("region", name="Figure")
    expect(figure).to_contain_text("Only looked-up rows get a gradient")
    bands = page.get_by_role("table", name="Rows by the steps in which they were looked up, at step 50").locator(
        "tbody tr"
    )
    expect(bands).to_have_count(5)
    never, *looked_up = [float(cell) for cell in bands.locator("td:last-child").all_inner_texts() if cell != "–"]
    assert never < min(looked_up)
    scatter = page.get_by_role("application", name="Updates and distance from the start of 640 rows")
    scatter.press("ArrowRight")
    expect(figure.locator("output", has_text="0 updates")).to_be_visible()
    scatter.press("Enter")
    page.wait_for_url("**/training?corpus=python&run=untied&tab=rows&token=*")
    expect(figure).to_contain_text("0 times in the text, looked up in 0 steps")


@pytest.mark.long  # trains two more runs
def test_second_run_differs_in_one_thing(visit) -> None:
    page = finished(visit)
    page.get_by_role("tab", name="Two runs").click()
    page.get_by_role("group", name="What differs").get_by_text("initial σ").click()
    page.get_by_role("group", name="0.02 and").get_by_text("1", exact=True).click()
    page.wait_for_url("**/training?corpus=python&tab=pair&differ=start&variant=std-1")
    expect(page.get_by_text("has finished; play it back")).to_have_count(3)
    runs = page.get_by_role("table", name="Both runs").locator("tbody tr")
    expect(runs).to_have_count(2)
    (_, small, uniform, _), (_, large, *_) = (line.get_by_role("cell").all_inner_texts() for line in runs.all())
    assert float(small) == pytest.approx(float(uniform), abs=0.05)
    assert float(large) > 2 * float(uniform)
    for name in ("0.02", "1"):
        expect(page.get_by_role("application", name=f"initial σ: {name}, step 50")).to_be_visible()


@pytest.mark.long
def test_second_run_has_a_width_of_the_user(visit) -> None:
    page = finished(visit, "training?corpus=python&differ=width")
    field = page.get_by_label("or another d")
    field.fill("25")
    field.press("Enter")
    page.wait_for_url("**/training?corpus=python&differ=width&variant=dim-24")  # the nearest multiple of 4
    expect(field).to_have_value("24")
    expect(page.get_by_role("application", name="width d: 24, step 50")).to_be_visible()
    page.get_by_role("group", name="32 and").get_by_text("4", exact=True).click()
    expect(field).to_have_value("")


@pytest.mark.long
def test_gradients_of_watched_tokens_are_compared(visit) -> None:
    page = finished(visit)
    page.get_by_role("tab", name="Gradients").click()
    figure = page.get_by_role("region", name="Figure")
    expect(figure.get_by_role("application", name="Cosines of summed gradients: 4 curves")).to_be_visible()
    expect(figure.get_by_role("application", name="Summed gradients of ␣may from the input, step 50")).to_be_visible()
    page.get_by_label("second token").select_option("␣will")
    expect(figure.get_by_role("application", name="Summed gradients of ␣will from the input, step 50")).to_be_visible()
    page.get_by_role("group", name="Bars of the side").get_by_text("head").click()
    expect(figure.get_by_role("application", name="Summed gradients of ␣will from the head, step 50")).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize(("tab", "run"), [("tab=gradients", "base"), ("differ=tying", "untied")])
def test_run_on_another_text_is_asked_about_its_own_tokens_only(visit, page: Page, tab: str, run: str) -> None:
    for name, address in ((run, f"training?corpus=python&{tab}"), (f"sentences-{run}", f"training?{tab}")):
        with page.expect_response(f"**/api/training/both-sides?run={name}&at=50-finished&**"):
            visit(address)
    early: list[str] = []
    held = hold(page, f"**/api/training/snapshots?run={run}&**")
    about_run = re.compile(rf"/api/training/(row|updates|without-gradient|both-sides)\?run={run}&")
    page.on("request", lambda request: early.append(request.url) if about_run.search(request.url) else None)
    with page.expect_request(f"**/api/training/snapshots?run={run}&**"):
        page.get_by_text("Python’s help", exact=True).click()
    expect(page.get_by_role("region", name="Controls")).to_contain_text("has finished; play it back")
    page.wait_for_timeout(300)
    assert early == []
    with page.expect_response(f"**/api/training/both-sides?run={run}&**"):
        held.pop().continue_()


@pytest.mark.long
def test_rows_that_move_without_a_gradient_are_counted(visit) -> None:
    page = finished(visit, "training?corpus=python&run=untied&tab=rows")
    counts = page.get_by_role("table", name="Rows by what moves them in step 50").locator("tbody tr")
    expect(counts).to_have_count(4)
    rows = [int(row.locator("td").nth(1).inner_text()) for row in counts.all()]
    assert sum(rows) == 640
    assert min(rows[:3]) > 0
    most = page.get_by_role("table", name="Rows without a gradient that move most in step 50")
    most.get_by_role("button").first.click()
    page.wait_for_url("**/training?corpus=python&run=untied&tab=rows&token=*")
    page = finished(visit, "training?corpus=python&tab=rows")
    expect(page.get_by_role("region", name="Figure")).to_contain_text("Every row of this tied table gets a gradient")


@pytest.mark.long
def test_tying_shows_the_two_gradients_of_one_row_in_both_runs(visit) -> None:
    page = finished(visit, "training?corpus=python&differ=tying")
    figure = page.get_by_role("region", name="Figure")
    for name in ("tied", "untied"):
        for side in ("input", "head"):
            bars = figure.get_by_role("application", name=f"tying: {name}: summed gradients of ␣can from the {side}")
            expect(bars).to_be_visible()
    expect(figure).to_contain_text("from the head, of another row; cosine of both")


@pytest.mark.long
def test_rows_that_differ_most_after_a_change_of_the_text(visit) -> None:
    page = finished(visit, "training?corpus=python&differ=word")
    table = page.get_by_role("table", name="The rows that differ most between the runs")
    expect(table.locator("tbody tr")).to_have_count(12)
    distances = [float(cell) for cell in table.locator("td:last-child").all_inner_texts()]
    assert distances == sorted(distances, reverse=True)


@pytest.mark.long
def test_model_without_positions_is_blind_to_order_with_a_full_mask_only(visit) -> None:
    page = finished(visit, "training?corpus=python&differ=positions")
    table = page.get_by_role(
        "table", name="How much the prediction changes when the first two of six tokens change places"
    )
    expect(table.locator("tbody tr")).to_have_count(2)
    rotary, none = (line.get_by_role("cell").all_inner_texts() for line in table.locator("tbody tr").all())
    assert (none[0], none[2]) == ("positions: none", "0.000")
    assert "0.000" not in (rotary[2], none[1])


@pytest.mark.long
def test_opened_run_is_followed_while_it_is_trained_elsewhere(browser: Browser, tmp_path: Path) -> None:
    """The first step is shown while the training waits; the others follow without a reload."""
    begun, shown, run = threading.Event(), threading.Event(), str(tmp_path / "run")

    def wait_at_first_step(progress: TrainProgress) -> None:
        if progress.step == 1:
            begun.set()
            assert shown.wait(60)

    options = {"dim": 8, "layers": 1, "heads": 2, "steps": 4, "batch_size": 2, "context": 8, "tokens": "bytes"}
    reports = TrainReports(on_progress=wait_at_first_step)
    training = threading.Thread(
        target=lambda: rs.train(
            ["a text of some words, again and again\n" * 2000], run, reports=reports, workers=1, **options
        )
    )
    training.start()
    assert begun.wait(60)
    with serving(make_app(Lab(rs.load(run), run))) as server:
        page = browser.new_page()
        page.goto(f"{url_of(server)}/training")
        expect(page.get_by_text("Step 1 of 4; new steps appear as they are trained.")).to_be_visible()
        shown.set()
        expect(page.get_by_text("Step 4 of 4.")).to_be_visible()
        expect(page.get_by_role("application", name=re.compile("^The map of .* rows at step 4"))).to_be_visible()
        training.join()
        page.close()
