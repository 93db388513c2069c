"""The Pipeline page in a browser."""

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from rowspace.layers import SinusoidPosition

pytestmark = pytest.mark.browser

LOADED = "section[aria-label=Figure][aria-busy=false]"
TEXT = "list list write"


def numbers(page: Page) -> np.ndarray:
    """The numbers of the table below the figure, without its first column."""
    expect(page.locator(LOADED)).to_be_attached()
    rows = page.get_by_role("table").last.locator("tbody tr").all()
    return np.array(
        [[float(cell.replace("\u2212", "-")) for cell in row.get_by_role("cell").all_inner_texts()[1:]] for row in rows]
    )


def stage(page: Page) -> Locator:
    return page.get_by_role("navigation", name="Stages").locator("[aria-current=step]")


def test_arrow_keys_go_forward_and_back(visit) -> None:
    page = visit(f"pipeline?text={TEXT}&stage=0")
    names = ["Text", "Tokens", "Ids", "Rows", "One-hot", "Position", "X", "Gradient"]
    for name in names:
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
        expect(stage(page)).to_have_text(name)
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(stage(page)).to_have_text("X")
    page.wait_for_url(f"**/pipeline?text={TEXT.replace(' ', '+')}&stage=6")
    page.reload()
    expect(page.get_by_role("heading", name="X", exact=True)).to_be_visible()


def test_buttons_go_forward_and_back(visit) -> None:
    page = visit("pipeline?stage=6")
    page.get_by_role("button", name="Next →").click()
    expect(stage(page)).to_have_text("Gradient")
    expect(page.get_by_role("button", name="Next →")).to_be_disabled()
    page.get_by_role("button", name="← Back").click()
    page.get_by_role("button", name="Tokens", exact=True).click()
    expect(stage(page)).to_have_text("Tokens")


def test_ids_and_rows_match_the_table(visit, lab) -> None:
    page = visit(f"pipeline?stage=2&text={TEXT} zyzzyva")
    expect(page.get_by_text("One token has no row in this table")).to_be_visible()
    ids = [f"{id:,}" for id in lab.table.ids(TEXT.split())]
    expect(page.get_by_role("table").locator("tbody tr td:nth-child(3)")).to_have_text([*ids, "–"])
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("table")).to_contain_text("The rows")
    np.testing.assert_allclose(numbers(page), lab.table[TEXT.split()].T[:12], atol=6e-4)


def test_one_hot_product_equals_the_lookup(visit, lab) -> None:
    page = visit(f"pipeline?stage=4&text={TEXT}")
    expect(page.get_by_text("Both are exactly equal.")).to_be_visible()
    ones = page.get_by_role("region", name="The one-hot matrix H").get_by_role("cell", name="1", exact=True)
    expect(ones).to_have_count(3)
    np.testing.assert_allclose(numbers(page), lab.table[TEXT.split()].T[:12], atol=6e-4)


def test_x_is_the_sum_of_rows_and_positions(visit, lab) -> None:
    import torch

    page = visit(f"pipeline?stage=6&text={TEXT}")
    expect(page.get_by_role("table")).to_contain_text("dimension")
    expected = lab.table[TEXT.split()] + SinusoidPosition(20)(torch.zeros(1, 3)).numpy()
    np.testing.assert_allclose(numbers(page), expected.T[:12], atol=6e-4)
    page.get_by_text("learned", exact=True).click()
    expect(page.get_by_text("These positions are untrained")).to_be_visible()
    page.wait_for_url("**&position=learned")


def test_row_gradient_is_the_sum_over_its_tokens(visit, lab) -> None:
    page = visit(f"pipeline?stage=7&text={TEXT}")
    figure = page.get_by_role("region", name="Figure")
    expect(figure).to_contain_text("list has gradient g₁ + g₂ = 3.0")
    expect(figure).to_contain_text(f"the other {len(lab.table) - 2:,} rows have gradient zero")
    expect(figure.get_by_text("By PyTorch's autograd: equal")).to_be_visible()
    page.get_by_label("g₁ list").focus()
    page.keyboard.press("ArrowRight")
    expect(figure).to_contain_text("list has gradient g₁ + g₂ = 3.5")
    page.wait_for_url("**&g=1.5%2C2%2C3")
    assert set(numbers(page).flat) == {3.5, 3.0}


def test_long_tokens_and_markup_are_shown_as_text(visit) -> None:
    page = visit("pipeline?stage=1&text=%3Cscript%3Ealert(1)%3C/script%3E+" + "q" * 1000)
    expect(page.get_by_role("region", name="Figure")).to_contain_text("script")
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_text_without_known_words_reports_omitted_tokens(visit) -> None:
    page = visit("pipeline?stage=3&text=zyzzyva")
    expect(page.get_by_role("heading", name="Rows", exact=True)).to_be_visible()
    page.get_by_role("button", name="Tokens", exact=True).click()
    expect(page.get_by_text("One token has no row in this table and is omitted.")).to_be_visible()


@pytest.mark.parametrize("number", [pytest.param(n, marks=[pytest.mark.long] if n % 4 else []) for n in range(8)])
def test_every_stage_is_accessible(visit, number: int) -> None:
    page = visit(f"pipeline?stage={number}&text={TEXT} zyzzyva")
    page.wait_for_load_state("networkidle")
    found = Axe().run(page).response["violations"]
    assert [(rule["id"], [node["html"][:200] for node in rule["nodes"]]) for rule in found] == []
