"""The Claims page: verdicts, the filter, links to what they speak about, and experiments that the reader starts."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.whole_page import expect_accessible, expect_fits_phone

from rowspace_lab.lessons.computed.claims import JOBS, MODULES

pytestmark = pytest.mark.browser

MEASURED = re.compile("true|false|it depends")


def claim(page: Page, statement: str) -> Locator:
    return page.get_by_role("article", name=statement)


def measured(page: Page) -> Page:
    """Wait until each claim has a verdict, also those that are hidden."""
    expect(page.locator("article")).to_have_count(len(MODULES))
    verdicts = page.locator("article > p:first-child")
    expect(verdicts.filter(has_text=MEASURED)).to_have_count(len(MODULES))
    return page


@pytest.mark.long
def test_filter_shows_the_claims_with_a_verdict(visit: Callable[[str], Page]) -> None:
    page = measured(visit("claims?table=small-world"))
    expect(claim(page, "Antonyms are far apart.")).to_contain_text(re.compile("false.*pairs", re.DOTALL))
    shown = page.get_by_role("article").filter(visible=True)
    page.get_by_role("group", name="Verdict").get_by_text("it depends").click()
    expect(claim(page, "Llama ties its head")).to_be_visible()
    expect(claim(page, "Antonyms are far apart.")).to_be_hidden()
    count = shown.count()
    expect(page.get_by_role("radio", name=f"it depends ({count})")).to_be_checked()
    expect(page.get_by_role("status").filter(has_text="are shown")).to_have_text(
        f"{count} of {len(MODULES)} claims are shown."
    )
    page.wait_for_url("**verdict=it+depends")
    page.reload()
    measured(page)
    expect(shown).to_have_count(count)


@pytest.mark.long
def test_claim_about_tables_has_a_verdict_for_each(visit: Callable[[str], Page]) -> None:
    page = measured(visit("claims?table=six-words"))
    queen = claim(page, "King − man + woman gives queen")
    for title, verdict in (("English words", "false"), ("Everyday words", "false"), ("Small world", "true")):
        row = queen.get_by_role("row", name=title)
        expect(row).to_contain_text(re.compile(r"comes first; [\d.]+% of \d+ such questions"))
        expect(row.get_by_role("cell").last).to_have_text(re.compile(verdict))
    expect(queen.locator("p").first).to_contain_text("it depends")
    expect(queen.get_by_role("row", name="Your table")).to_contain_text("not measured: the table has no rows for king")


@pytest.mark.long
def test_links_show_a_table_that_can_test_the_claim(visit: Callable[[str], Page]) -> None:
    page = measured(visit("claims?table=six-words"))
    antonyms = claim(page, "Antonyms are far apart.")
    expect(antonyms.get_by_role("row", name="Your table")).to_contain_text("the table has 0 of the pairs")
    antonyms.get_by_role("link", name="See it").click()
    page.wait_for_url("**/words?table=english-words&tab=two")
    expect(page.get_by_role("heading", name="Words", level=1)).to_be_visible()
    page.go_back()
    page.wait_for_url("**/claims?table=six-words")
    expect(page.get_by_role("heading", name="Claims", level=1)).to_be_visible()


@pytest.mark.long
def test_link_with_a_table_of_its_own_opens_that_table(visit: Callable[[str], Page]) -> None:
    page = measured(visit("claims?table=small-world"))
    claim(page, "Token ids are numbers already").get_by_role("link", name="See it").click()
    page.wait_for_url("**/pipeline?table=six-words&stage=2&text=the+cat+dog&renumbered=1")


def test_rule_and_code_are_folded(visit: Callable[[str], Page]) -> None:
    page = measured(visit("claims?table=small-world"))
    row = claim(page, "Llama ties its head")
    expect(row.get_by_label("Python")).to_have_count(0)
    row.get_by_text("Rule and code").click()
    expect(row).to_contain_text("True if all models of the family tie, false if none does.")
    exec(row.get_by_label("Python").inner_text(), {})  # as pasted by a user


@pytest.mark.long  # test_experiment_can_be_stopped_and_started_again starts one
def test_width_experiment_shows_its_stored_result_until_it_is_started(visit: Callable[[str], Page]) -> None:
    page = measured(visit("claims?table=small-world&size=quick"))
    row = claim(page, "A larger d is always better.")
    expect(row).to_contain_text(re.compile("(true|false|it depends).*From d = 2 to 64.*Computed on", re.DOTALL))
    expect(row.get_by_role("region", name="The open table, cut")).to_be_hidden()
    row.get_by_role("button", name="Measure again").click()
    expect(row.get_by_role("region", name="Held-out loss")).to_be_visible()
    expect(row).to_contain_text("From d = 4 to 64")
    expect(row).to_contain_text(MEASURED)
    expect(row).not_to_contain_text("Computed on")
    expect(row.get_by_role("region", name="Neighbors of another seed")).to_be_visible()
    expect(row.get_by_role("region", name="The open table, cut")).to_be_visible()
    expect(row.get_by_role("button", name="Measure")).to_be_hidden()


def test_link_shows_one_claim_and_a_button_all_of_them(visit: Callable[[str], Page]) -> None:
    page = visit("claims?table=small-world&claim=tying")
    expect(page.get_by_role("article")).to_have_count(1)
    expect(claim(page, "Tying the head to the table only saves memory.")).to_contain_text("Computed on")
    expect(page.get_by_role("group", name="Verdict")).to_be_hidden()
    page.get_by_role("button", name="Show all claims").click()
    page.wait_for_url("**/claims?table=small-world")
    expect(page.get_by_role("article")).to_have_count(len(MODULES))
    page.go_back()
    expect(page.get_by_role("article")).to_have_count(1)


def test_experiment_can_be_stopped_and_started_again(visit: Callable[[str], Page]) -> None:
    page = measured(visit("claims?table=small-world"))
    row = claim(page, "Sinusoids and RoPE extrapolate")
    row.get_by_role("button", name="Measure").click()
    expect(row).to_contain_text(re.compile("as job|step"))  # the events of the job arrive
    row.get_by_role("button", name="Stop").click()
    expect(row.get_by_role("alert")).to_have_text("this job was cancelled")
    expect(row.get_by_role("button", name="Measure")).to_be_visible()
    assert len(JOBS) == 3


@pytest.mark.long
def test_page_is_accessible_and_fits_a_phone(visit: Callable[[str], Page]) -> None:
    page = measured(visit("claims?table=six-words"))
    expect_accessible(page)
    expect_fits_phone(page)
    box = page.get_by_role("region", name="Figure").bounding_box()
    assert box is not None
    assert box["y"] <= 500
