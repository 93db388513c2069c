"""The page that shows a lesson, on two lessons that are made for these tests."""

import json
import re
from collections.abc import Iterator
from io import BytesIO

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from pypdf import PdfReader
from tests import made_lessons
from tests.browser.conftest import pages_with, serving, url_of
from tests.browser.held_requests import hold

from rowspace.table import Table
from rowspace_lab import page as lab_page
from rowspace_lab.app import make_app
from rowspace_lab.lab import Lab
from rowspace_lab.lessons.lesson import Lesson
from rowspace_lab.lessons.routes import lesson_routes
from rowspace_lab.lessons.source import parse_document
from rowspace_lab.tables.examples import FIVE_ITEMS, FOUR_WORDS, SIX_WORDS

pytestmark = pytest.mark.browser

MADE = {
    number: Lesson(number, parse_document(text), made_lessons)
    for number, text in {1: made_lessons.FIRST, 2: made_lessons.SECOND}.items()
}
IDS = "/lessons/1?table=six-words&step=1&page=pipeline&stage=2&text=the+cat+dog"
ROWS = "/lessons/1?table=six-words&step=2&page=pipeline&stage=3&text=the+cat+dog"


@pytest.fixture(scope="module")
def lab_url(learned: tuple[Table, str]) -> Iterator[str]:
    """The URL of a server with these lessons instead of the package's, whose texts may change without these tests."""
    pages = pages_with(lab_page.Page("lessons", lesson_routes(MADE)))
    with serving(make_app(Lab(*learned), pages=pages)) as server:
        yield url_of(server)


@pytest.fixture
def reader(page: Page, lab_url: str) -> Page:
    """A page with the first lesson."""
    page.goto(f"{lab_url}/lessons/1")
    page.wait_for_url(f"**{IDS}")
    page.locator("section[aria-label=Figure][aria-busy=false]").wait_for()
    return page


def active(page: Page) -> Locator:
    return page.locator("section.step[aria-current=step]")


def question(page: Page, name: str) -> Locator:
    return page.locator(f"[data-name='{name}']")


def entries(page: Page) -> int:
    return int(page.evaluate("history.length"))


def go_to_end(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")  # a step is in its place at once
    for step in (2, 3, 4):  # the last one is the end of the lesson
        page.keyboard.press("ArrowRight")
        page.wait_for_url(f"**step={step}&**")


def progress(page: Page) -> dict[str, object]:
    saved: dict[str, object] = json.loads(page.evaluate("localStorage.getItem('rowspace-lessons')"))
    return saved


def test_steps_are_history_entries_and_drags_are_not(reader: Page) -> None:
    before = entries(reader)
    reader.keyboard.press("ArrowRight")
    reader.wait_for_url(f"**{ROWS}")
    expect(active(reader)).to_contain_text("A second step")
    assert entries(reader) == before + 1
    reader.go_back()
    reader.wait_for_url(f"**{IDS}")
    expect(active(reader)).to_contain_text("There are 3 numbers")
    reader.go_forward()
    expect(active(reader)).to_contain_text("A second step")


def test_next_during_a_scroll_does_not_return_to_a_step_that_passes(reader: Page) -> None:
    reader.set_viewport_size({"width": 1280, "height": 600})
    before = entries(reader)
    for _ in range(2):
        reader.keyboard.press("ArrowRight")
    reader.wait_for_url("**step=3**")
    step = reader.get_by_role("region", name="Step 3 of 4")
    reader.wait_for_function("step => Math.abs(step.getBoundingClientRect().top - 84) < 3", arg=step.element_handle())
    expect(step).to_have_attribute("aria-current", "step")
    assert entries(reader) == before + 2


def test_scrolling_moves_the_figure(reader: Page) -> None:
    step = reader.get_by_role("region", name="Step 2 of 4")
    reader.mouse.move(200, 400)
    while active(reader).get_attribute("aria-label") != "Step 2 of 4":
        reader.mouse.wheel(0, 60)
        reader.evaluate("new Promise(requestAnimationFrame)")
    reader.wait_for_url(f"**{ROWS}")
    assert 0 < step.bounding_box()["y"] <= 0.36 * reader.viewport_size["height"]


def test_scroll_that_is_not_the_readers_does_not_move_the_figure(reader: Page) -> None:
    reader.evaluate(
        """new Promise((done) => {
          addEventListener("scrollend", () => setTimeout(done, 200), { once: true });
          document.querySelector("[aria-label='Step 3 of 4']").scrollIntoView();
        })"""
    )
    expect(active(reader)).to_have_attribute("aria-label", "Step 1 of 4")


def test_arrow_keys_belong_to_the_figure_while_it_has_the_focus(reader: Page) -> None:
    reader.get_by_role("navigation", name="Stages").get_by_role("button", name="Ids").focus()
    reader.keyboard.press("ArrowRight")
    reader.wait_for_url(
        "**/lessons/1?table=six-words&step=1&page=pipeline&text=the+cat+dog"
    )  # the stage is the default
    reader.get_by_role("button", name="Next →").first.focus()
    reader.keyboard.press("ArrowRight")
    reader.wait_for_url(f"**{ROWS}")


def test_reader_takes_the_figure_over_and_gives_it_back(reader: Page) -> None:
    line = reader.get_by_text("You changed the figure.")
    expect(line).to_have_count(0)
    reader.get_by_role("navigation", name="Stages").get_by_role("button", name="One-hot").click()
    reader.wait_for_url("**stage=4**")
    expect(line).to_be_visible()
    reader.reload()
    expect(line).to_be_visible()
    expect(reader.get_by_role("heading", name="One-hot")).to_be_visible()
    reader.get_by_role("button", name="Back to the lesson’s state").click()
    reader.wait_for_url(f"**{IDS}")
    expect(line).to_have_count(0)


@pytest.mark.long
def test_step_without_a_table_shows_that_of_the_reader(page: Page, lab_url: str) -> None:
    page.goto(f"{lab_url}/lessons/2?table=five-items")
    page.wait_for_url("**/lessons/2?table=six-words&step=1**")
    page.get_by_role("navigation", name="Pages").get_by_text("Pages", exact=True).click()
    page.get_by_role("link", name="Lessons", exact=True).first.click()
    page.wait_for_url("**/lessons?table=five-items")
    page.get_by_role("link", name="Made for a test").click()
    page.wait_for_url("**/lessons/1?table=six-words&step=1**")
    expect(question(page, "counted")).to_contain_text("How often was the first word read?")
    table = page.get_by_role("combobox", name="Table")
    table.select_option("four-words")
    expect(page.get_by_text("You changed the figure.")).to_be_visible()
    page.wait_for_url("**table=four-words&step=1**")


def test_links_show_their_state_in_the_figure(reader: Page) -> None:
    before = reader.evaluate("performance.timeOrigin")
    go_to_end(reader)
    reader.get_by_role("link", name="See it").click()
    reader.wait_for_url("**/lessons/1?table=six-words&step=4&page=pipeline&stage=4&text=the+cat")
    expect(reader.get_by_role("heading", name="One-hot")).to_be_visible()
    reader.get_by_role("link", name="Open this page").click()
    reader.wait_for_url("**/pipeline?table=six-words&stage=4&text=the+cat")
    expect(reader.get_by_role("heading", name="Pipeline", level=1)).to_be_visible()
    reader.go_back()
    expect(reader.get_by_role("heading", name="One-hot")).to_be_visible()
    assert reader.evaluate("performance.timeOrigin") == before  # no reload


def test_lesson_has_no_title_and_folded_code_of_its_page(reader: Page) -> None:
    expect(reader.get_by_role("heading", level=1)).to_have_text("Made for a test")
    expect(reader).to_have_title("Made for a test · rowspace")
    folds = reader.locator(".live details").filter(has_text="The numbers")
    expect(folds).not_to_have_attribute("open", "")


def test_nothing_gives_the_answer_away_before_it_is_checked(page: Page, lab_url: str) -> None:
    requested: list[str] = []
    page.on("request", lambda request: requested.append(f"{request.method} {request.url}"))
    page.goto(f"{lab_url}/lessons/1")
    asked = question(page, "norm")
    asked.get_by_role("button", name="Check").click()
    expect(asked.get_by_role("status")).to_have_text("Type a number first, such as 0.5.")
    assert not [url for url in requested if "lessons/answer" in url]
    asked.get_by_label("Your answer").last.fill("0,5")
    asked.get_by_role("button", name="Check").click()
    expect(asked.locator(".verdict")).to_be_focused()
    norm = sum(value**2 for value in list(SIX_WORDS.values())[1]) ** 0.5
    expect(asked.locator(".computed")).to_have_text(f"{norm:.4g}")
    expect(asked.locator(".verdict")).to_contain_text(f"It is {norm:.4g}, from 3 numbers.")
    asked.get_by_text("The code that computed it").click()
    expect(asked.get_by_label("Python")).to_contain_text("def norm_figure")
    assert not [url for url in requested if not url.startswith("GET ")]  # progress is not sent
    assert not [url for url in requested if "rowspace-lessons" in url or "missed" in url]


def test_answer_can_be_shown_without_a_guess(reader: Page) -> None:
    asked = question(reader, "larger")
    asked.get_by_role("button", name="Show the answer").click()
    expect(asked.locator(".verdict")).to_contain_text("The answer: ")
    assert [each["name"] for each in progress(reader)["missed"]] == ["larger"]


def test_question_that_a_table_cannot_answer_offers_others(reader: Page) -> None:
    asked = question(reader, "counted")
    expect(asked.get_by_role("status").first).to_have_text("the table is too large for this question")
    asked.get_by_role("button", name="Six words").click()
    expect(asked).to_contain_text("How often was the first word read?")
    asked.get_by_label("Your answer").last.fill("6")
    asked.get_by_role("button", name="Check").click()
    expect(asked.locator(".verdict")).to_have_text(re.compile(r"Right\.\s+6 times\."))


def test_another_table_asks_again(page: Page, lab_url: str) -> None:
    page.goto(f"{lab_url}/lessons/1?table=four-words")
    asked = question(page, "share")
    asked.get_by_role("slider").fill("40")
    asked.get_by_role("button", name="Check").click()
    truth = f"{np.mean(np.array(list(FOUR_WORDS.values())) > 0) * 100:.4g}"
    expect(asked.get_by_role("img", name=f"You 40 %, it is {truth} %")).to_be_visible()
    expect(asked.locator(".verdict")).to_be_visible()
    page.get_by_role("combobox", name="Table").select_option("five-items")
    expect(asked.locator(".verdict")).to_have_count(0)
    expect(asked.get_by_role("slider")).to_have_attribute("aria-valuetext", "not moved")
    expect(asked.get_by_role("slider")).to_be_enabled()  # which it is when the question about the other table is there
    asked.get_by_role("slider").press("ArrowRight")
    expect(asked.get_by_role("slider")).to_have_attribute("aria-valuetext", "51 %")
    asked.get_by_role("button", name="Check").click()
    positive = np.mean(np.array(list(FIVE_ITEMS.values())) > 0) * 100
    expect(asked.locator(".verdict")).to_contain_text(f"{positive:.4g} percent.")


@pytest.mark.long
def test_text_of_another_table_that_arrives_late_keeps_the_answer(page: Page, lab_url: str) -> None:
    page.goto(f"{lab_url}/lessons/1?table=four-words")
    expect(question(page, "share").get_by_role("slider")).to_be_enabled()
    page.wait_for_load_state("networkidle")
    held = hold(page, "**/api/lessons/lesson?**")
    with page.expect_response(lambda response: "name=share" in response.url and "five-items" in response.url):
        page.get_by_role("combobox", name="Table").select_option("five-items")
    slider = question(page, "share").get_by_role("slider")
    expect(slider).to_be_enabled()
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "51 %")
    with page.expect_response("**/api/lessons/lesson?**"):
        held.pop().continue_()
    page.wait_for_load_state("networkidle")
    expect(slider).to_have_attribute("aria-valuetext", "51 %")


@pytest.mark.long
def test_figure_is_held_back_until_it_plays_the_answer(reader: Page) -> None:
    reader.keyboard.press("ArrowRight")
    reader.wait_for_url(f"**{ROWS}")
    figure, asked = reader.get_by_role("region", name="Figure"), question(reader, "larger")
    for first, second in (("the", "sat"), ("cat", "house")):
        expect(reader.get_by_text("Predict first.")).to_be_visible()
        expect(figure).to_have_count(0)
        asked.get_by_role("radio").first.check()
        asked.get_by_role("button", name="Check").click()
        reader.wait_for_url(f"**step=2&page=pipeline&stage=3&text={first}+{second}")
        expect(figure).to_be_visible()
        expect(reader.get_by_text("You changed the figure.")).to_have_count(0)
        asked.get_by_role("button", name="Ask again with other numbers").click()
    expect(figure).to_have_count(0)


def test_answers_survive_a_reload(reader: Page) -> None:
    reader.keyboard.press("ArrowRight")
    asked = question(reader, "larger")
    asked.get_by_role("radio").first.check()
    asked.get_by_role("button", name="Check").click()
    expect(asked.locator(".verdict")).to_be_visible()
    question(reader, "norm").get_by_label("Your answer").last.fill("40")
    question(reader, "norm").get_by_role("button", name="Check").click()
    expect(question(reader, "norm").locator(".verdict")).to_be_visible()
    missed = progress(reader)["missed"]
    reader.reload()
    expect(asked.locator(".verdict")).to_be_visible()
    expect(asked.get_by_role("radio").first).to_be_checked()
    expect(question(reader, "norm").get_by_text("You 40, it is 0.842.")).to_be_visible()
    expect(reader.get_by_role("region", name="Figure")).to_be_visible()
    assert progress(reader)["missed"] == missed


def test_end_says_which_questions_are_open(reader: Page) -> None:
    go_to_end(reader)
    end = reader.locator("section.end")
    expect(end.get_by_text("0 of 4 questions answered.")).to_be_visible()
    end.get_by_role("button", name="Go to the next open one").click()
    expect(active(reader)).to_contain_text("There are 3 numbers")


def test_slider_that_was_not_moved_is_no_answer(reader: Page) -> None:
    asked = question(reader, "share")
    asked.get_by_role("button", name="Check").click()
    expect(asked.get_by_text("Move the slider first.")).to_be_visible()
    asked.get_by_role("slider").press("ArrowLeft")
    asked.get_by_role("button", name="Check").click()
    expect(asked.locator(".verdict")).to_be_focused()


def test_questions_are_requested_once(page: Page, lab_url: str) -> None:
    requested: list[str] = []
    page.on("request", lambda request: "question?" in request.url and requested.append(request.url.split("name=")[1]))
    page.goto(f"{lab_url}/lessons/1")
    page.wait_for_url(f"**{IDS}")  # the first step selected another table
    page.locator("section[aria-label=Figure][aria-busy=false]").wait_for()
    for name in ("norm", "larger", "share", "counted"):
        expect(question(page, name).get_by_role("status").first).to_be_attached()
    page.wait_for_load_state("networkidle")
    assert sorted(requested) == ["counted&seed=0", "larger&seed=0", "norm&seed=0", "share&seed=0"]


def test_missed_question_returns_until_it_is_answered_right(reader: Page) -> None:
    lengths = {word: sum(value**2 for value in row) ** 0.5 for word, row in SIX_WORDS.items()}
    words = list(SIX_WORDS)
    first, second = words[0], words[3]
    wrong = min(first, second, key=lengths.__getitem__)
    question(reader, "larger").get_by_label(wrong, exact=True).check()
    question(reader, "larger").get_by_role("button", name="Check").click()
    expect(question(reader, "larger").locator(".verdict")).to_contain_text("Not right.")
    missed = {"lesson": 1, "name": "larger", "table": "six-words", "at": 2}
    assert progress(reader)["missed"] == [missed]
    reader.get_by_role("link", name="Next: 2 · The next one").click()
    again = reader.get_by_role("region", name="Again, with other numbers")
    expect(again.locator("[data-name=larger]")).to_have_attribute("data-seed", "2")
    right = max(words[2], words[5], key=lengths.__getitem__)  # those of seed 2
    again.get_by_label(right, exact=True).check()
    again.get_by_role("button", name="Check").click()
    expect(again.locator(".verdict")).to_have_text(re.compile(rf"Right\.\s+It is {right}\."))
    assert progress(reader)["missed"] == []
    reader.reload()
    expect(active(reader)).to_contain_text("Its only step.")
    expect(again).to_have_count(0)


@pytest.mark.long
def test_missed_question_that_no_lesson_asks_again_returns_in_the_list(reader: Page) -> None:
    lengths = {word: sum(value**2 for value in row) ** 0.5 for word, row in SIX_WORDS.items()}
    words = list(SIX_WORDS)
    again = reader.get_by_role("region", name="Again, with other numbers")
    for seed in (0, 2, 5):  # in its lesson, in the next one, and in the list
        asked = again if seed else reader
        asked = asked.locator(f"[data-name=larger][data-seed='{seed}']")
        pair = (words[seed % 3], words[3 + seed % 3])
        chosen = (max if seed == 5 else min)(pair, key=lengths.__getitem__)
        asked.get_by_label(chosen, exact=True).check()
        asked.get_by_role("button", name="Check").click()
        expect(asked.locator(".verdict strong")).to_have_text("Right." if seed == 5 else "Not right.")
        if seed == 0:
            reader.get_by_role("link", name="Next: 2 · The next one").click()
        elif seed == 2:
            reader.get_by_role("link", name="All lessons").click()
    assert progress(reader)["missed"] == []
    reader.once("dialog", lambda dialog: dialog.accept())
    reader.get_by_role("button", name="Start over").click()
    expect(again).to_have_count(0)


def test_lesson_is_done_when_all_questions_are_answered(reader: Page) -> None:
    for name in ("norm", "larger", "share", "counted"):
        asked = question(reader, name)
        if name == "counted":
            asked.get_by_role("button", name="Six words").click()
        assert "1" not in progress_of_done(reader)
        asked.get_by_role("button", name="Show the answer").click()
        expect(asked.locator(".verdict")).to_be_visible()
    assert progress_of_done(reader) == {"1": True}
    reader.get_by_role("link", name="All lessons").click()
    expect(reader.get_by_text("1 of 2 done")).to_be_visible()
    expect(reader.get_by_role("listitem").filter(has_text="Made for a test")).to_contain_text("done")
    reader.once("dialog", lambda dialog: dialog.accept())
    reader.get_by_role("button", name="Start over").click()
    expect(reader.get_by_text("1 of 2 done")).to_have_count(0)


def progress_of_done(page: Page) -> dict[str, bool]:
    done: dict[str, bool] = page.evaluate("JSON.parse(localStorage.getItem('rowspace-lessons') ?? '{}').done ?? {}")
    return done


@pytest.mark.long
def test_narrow_screen_shows_one_step_at_a_time(reader: Page) -> None:
    reader.set_viewport_size({"width": 390, "height": 800})
    expect(reader.locator("section.step:visible")).to_have_count(1)
    expect(reader.get_by_role("heading", name="Exercise")).to_have_count(0)
    steps = reader.get_by_role("navigation", name="Steps")
    steps.get_by_role("button", name="Next →").click()
    step = reader.locator("section.step:visible")
    expect(step).to_contain_text("A second step")
    step.get_by_role("button", name="Show the answer").click()
    places = [
        each.bounding_box()["y"]
        for each in (
            step.locator("[data-name=larger]"),
            step.get_by_role("region", name="Figure"),
            step.get_by_text("A second step"),
        )
    ]
    assert places == sorted(places)  # the figure is where the text speaks of it
    for _ in range(2):
        steps.get_by_role("button", name="Next →").click()
    expect(reader.get_by_role("heading", name="Exercise")).to_be_visible()
    expect(reader.locator(".live")).to_have_count(0)
    reader.get_by_role("link", name="See it").click()
    expect(reader.get_by_role("region", name="Figure")).to_be_in_viewport()
    for _ in range(2):
        steps.get_by_role("button", name="← Back").click()
    reader.wait_for_url("**step=2&page=pipeline&stage=3&text=the+sat")


def test_values_say_where_they_come_from(reader: Page) -> None:
    value = active(reader).locator("data")
    expect(value).to_have_attribute("title", "Computed by tests.made_lessons.sizes")
    reader.get_by_role("button", name="Next →").first.focus()
    value.focus()
    reader.keyboard.press("Shift+Tab")
    reader.keyboard.press("Tab")
    expect(reader.locator(".source")).to_have_text("Computed by tests.made_lessons.sizes")


def test_cards_are_printed_without_the_navigation(page: Page, lab_url: str) -> None:
    page.goto(f"{lab_url}/lessons/cards")
    card = page.get_by_role("region", name="Card 1: Made for a test")
    expect(card).to_contain_text("A row is a vector.")
    expect(card.get_by_label("Python")).to_have_text("import numpy as np\n\nnp.ones(3)")
    expect(page.get_by_role("table")).to_have_count(2)
    page.emulate_media(media="print")
    for width in (718, 1062):  # CSS pixels across a sheet of A4, upright and turned
        page.set_viewport_size({"width": width, "height": 800})
        expect(page.get_by_role("navigation", name="Pages")).to_be_hidden()
        expect(page.get_by_role("button", name="Print")).to_be_hidden()
        expect(card).to_be_visible()
    printed = PdfReader(BytesIO(page.pdf(prefer_css_page_size=True))).pages  # one sheet, both sides
    assert ["A row is a vector." in each.extract_text() for each in printed] == [True, False]
