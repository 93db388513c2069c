"""Every lesson: its steps move the figure, its questions agree with Python, and it is accessible and fits a phone."""

import re
from itertools import pairwise
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.whole_page import expect_accessible, expect_fits_phone

from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.lessons.lesson import NUMBERS, Lesson, lesson
from rowspace_lab.lessons.question import Question
from rowspace_lab.lessons.source.values import number_text
from rowspace_lab.tables.tables import Tables

pytestmark = pytest.mark.browser

LESSONS = [pytest.param(n, marks=[] if n == NUMBERS[0] else [pytest.mark.long]) for n in NUMBERS]
NEXT_SEED = 1  # that of "Ask again with other numbers"


@pytest.fixture
def tables(lab: Lab) -> Tables:
    """The tables that the server offers."""
    return Tables(lab)


def open_lesson(page: Page, url: str) -> Page:
    """Open a lesson and wait for its figure, if it has one."""
    page.goto(url)
    page.locator("article.lesson").wait_for()
    page.wait_for_load_state("networkidle")
    return page


def figures(found: Lesson) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the page and the state of each figure, as (name, value) pairs."""
    addresses = [urlsplit(block.argument) for block in found.document.of("figure")]
    return [(address.path.strip("/"), parse_qsl(address.query, keep_blank_values=True)) for address in addresses]


def shown_in_url(url: str) -> tuple[int, str, list[tuple[str, str]]]:
    """Return the step, the page of the figure and its state."""
    state = parse_qsl(urlsplit(url).query, keep_blank_values=True)
    at = next(index for index, (name, _) in enumerate(state) if name == "step")
    (_, step), (_, name) = state[at : at + 2]
    return int(step), name, sorted(state[:at] + state[at + 2 :])


@pytest.mark.long
@pytest.mark.parametrize("number", LESSONS)
def test_steps_move_the_figure_to_the_end_and_back(page: Page, lab_url: str, number: int) -> None:
    expected = figures(lesson(number))
    open_lesson(page, f"{lab_url}/lessons/{number}")
    for index, (name, state) in enumerate(expected, 1):
        page.wait_for_url(f"**step={index}&**")
        expect(page.get_by_role("region", name=f"Step {index} of {len(expected) + 1}")).to_have_attribute(
            "aria-current", "step"
        )
        page.locator(".held, section[aria-label=Figure][aria-busy=false]").wait_for()
        assert shown_in_url(page.url) == (index, name, sorted(state))
        expect(page.get_by_text("You changed the figure.")).to_have_count(0)
        if index < len(expected):
            page.get_by_role("navigation", name="Steps").get_by_role("button", name="Next →").click()
    for index in range(len(expected) - 1, 0, -1):
        page.go_back()
        page.wait_for_url(f"**step={index}&**")


@pytest.mark.parametrize("number", LESSONS)
def test_questions_agree_with_python(page: Page, lab_url: str, tables: Tables, number: int) -> None:
    open_lesson(page, f"{lab_url}/lessons/{number}")
    for block in lesson(number).document.of("question"):
        table = tables.lab(block.options.get("table", "opened")).table
        shown = page.locator(f"[data-name='{block.argument}']")
        for seed, right in ((0, False), (NEXT_SEED, True)):
            try:
                question = lesson(number).question(block.argument, table, seed)
            except UsageError as error:
                expect(shown).to_contain_text(str(error))
                break
            expect(shown).to_have_attribute("data-seed", str(seed))
            answer = question.computed(table)["answer"]
            if question.kind == "slider":  # an unmoved slider is not an answer
                shown.get_by_role("button", name="Check").click()
                expect(shown.get_by_text("Move the slider first.")).to_be_visible()
                expect(shown.get_by_role("slider")).to_have_attribute("aria-valuetext", "not moved")
            give(shown, question, float(answer), right=right)
            shown.get_by_role("button", name="Check").click()
            verdict = shown.locator(".verdict")
            expect(verdict.get_by_role("strong")).to_have_text("Right." if right else "Not right.")
            expect(verdict.locator(".computed")).to_have_text(number_text(question.written(answer)))
            if not right:
                shown.get_by_role("button", name="Ask again with other numbers").click()


def give(shown: Locator, question: Question, answer: float, *, right: bool) -> None:
    """Enter the right answer or a wrong one."""
    shown.locator("fieldset:not([disabled])").wait_for()  # until then it shows the options of the question before
    if question.kind == "choice":
        index = int(answer) if right else (int(answer) + 1) % len(question.options)
        shown.get_by_role("radio").nth(index).check()
        return
    candidates = [*question.range[:2]] if question.kind == "slider" else [3 * answer + 1 + 9 * question.tolerance]
    given = answer if right else next(each for each in candidates if not question.accepts(each, answer))
    if question.kind == "slider":
        shown.get_by_role("slider").fill(str(nearest_step(question, given)))
    else:
        shown.get_by_label("Your answer").last.fill(repr(given))


def nearest_step(question: Question, value: float) -> float:
    """Return the value of the slider next to a number."""
    low, high, step = question.range
    return round(min(high, low + round((value - low) / step) * step), 9)


@pytest.mark.long
@pytest.mark.parametrize("number", LESSONS)
def test_lesson_is_accessible_and_fits_a_phone(page: Page, lab_url: str, number: int) -> None:
    open_lesson(page, f"{lab_url}/lessons/{number}")
    expect_accessible(page)
    expect_fits_phone(page)
    count = len(lesson(number).document.of("figure"))
    for index in range(1, count + 1):
        page.wait_for_load_state("networkidle")
        step = page.locator("section.step:visible")
        expect(step).to_have_count(1)
        for answer in step.get_by_role("button", name="Show the answer").all():
            answer.click()  # which shows the figure
        expect(step.get_by_role("region", name="Figure")).to_have_attribute("aria-busy", "false")
        expect_fits_phone(page)
        page.get_by_role("navigation", name="Steps").get_by_role("button", name="Next →").click()
        page.wait_for_url(f"**step={index + 1}&**")
    expect_fits_phone(page)


@pytest.mark.parametrize("numbers", [NUMBERS[-2:], pytest.param(NUMBERS, marks=pytest.mark.long)], ids=["last", "all"])
def test_next_alone_leads_through_all_lessons(page: Page, lab_url: str, numbers: range) -> None:
    open_lesson(page, f"{lab_url}/lessons/{numbers[0]}")
    steps = page.get_by_role("navigation", name="Steps")
    for number in numbers:
        expect(page.get_by_role("heading", level=1)).to_have_text(lesson(number).title)
        for index in range(1, len(figures(lesson(number))) + 1):
            page.wait_for_url(f"**/lessons/{number}?*step={index}&*")
            steps.get_by_role("button", name="Next →", exact=True).click()
        end = page.locator("section.end[aria-current=step]")
        expect(end.get_by_role("region", name=f"Card {number}: {lesson(number).title}")).to_be_attached()
        if number < NUMBERS[-1]:
            expect(end.get_by_role("link", name=f"Next: {number + 1} · {lesson(number + 1).title}")).to_be_attached()
            steps.get_by_role("button", name=f"Next: lesson {number + 1} →").click()
    expect(steps.get_by_role("button", name="Next")).to_be_disabled()
    tries = end.get_by_role("heading", name="What you can do now").locator("xpath=../ul").get_by_role("link")
    expect(tries).to_have_count(3)
    tries.first.click()
    page.wait_for_url("**/start")


@pytest.mark.parametrize("number", LESSONS)
def test_no_figure_shows_the_answer_before_the_check(page: Page, lab_url: str, tables: Tables, number: int) -> None:
    blocks = lesson(number).document.blocks
    asked = [block for block in blocks if block.kind in {"figure", "question"}]
    page.emulate_media(reduced_motion="reduce")  # a step is in its place at once
    open_lesson(page, f"{lab_url}/lessons/{number}")
    for before, block in pairwise(asked):
        if block.kind != "question":
            continue
        index = sum(each.kind == "figure" for each in asked[: asked.index(block)])
        go_to_step(page, index)
        live, shown = page.locator(".live"), page.locator(f"section.step [data-name='{block.argument}']")
        table = tables.lab(block.options.get("table", "opened")).table
        question = lesson(number).question(block.argument, table, 0)
        answer = number_text(question.written(question.computed(table)["answer"]))
        expect(live.get_by_text("Predict first.")).to_be_visible()
        assert live.get_by_role("region").count() == 0  # neither figure nor numbers
        assert not re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", live.locator(".caption").inner_text())
        expect(shown).not_to_contain_text(re.compile("The answer:|Right|Not right"))
        shown.get_by_role("button", name="Show the answer").click()
        expect(live.get_by_role("region", name="Figure")).to_be_visible()
        expect(page.get_by_text("You changed the figure.")).to_have_count(0)
        path, state = urlsplit(before.argument).path.strip("/"), block.options.get("shows", "")
        assert shown_in_url(page.url)[:2] == (index, path)
        names = {name for name, _ in parse_qsl(state, keep_blank_values=True)}
        assert names <= {name for name, _ in shown_in_url(page.url)[2]}


def go_to_step(page: Page, index: int) -> None:
    """Press Next until a step is the current one."""
    steps = page.get_by_role("navigation", name="Steps")
    while f"step={index}&" not in page.url:
        before = page.url
        steps.get_by_role("button", name="Next →", exact=True).click()
        page.wait_for_function("before => location.href !== before", arg=before)


@pytest.mark.parametrize("path", ["lessons", pytest.param("lessons/cards", marks=pytest.mark.long)])
def test_list_and_cards_are_accessible_and_fit_a_phone(page: Page, lab_url: str, path: str) -> None:
    page.goto(f"{lab_url}/{path}")
    expect_accessible(page)
    expect_fits_phone(page)


def test_list_has_every_lesson(page: Page, lab_url: str) -> None:
    page.goto(f"{lab_url}/lessons")
    expect(page.get_by_role("main").get_by_role("heading", level=2)).to_have_text([lesson(n).title for n in NUMBERS])
