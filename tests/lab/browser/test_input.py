"""The Input page, as a person goes through it."""

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

ANSWERED = "section[aria-label=Figure][aria-busy=false]"  # all that the page has asked has come
TEXT = "read the list"


def column(page: Page, name: str) -> np.ndarray:
    """A column of the table under the figure."""
    expect(page.locator(ANSWERED)).to_be_attached()
    table = page.get_by_role("table")
    at = table.locator("thead th").all_inner_texts().index(name)
    cells = table.locator(f"tbody tr td:nth-child({at + 1})").all_inner_texts()
    return np.array([float(cell.replace("\u2212", "-").replace(",", "")) for cell in cells])


def test_parts_are_switched_off_and_on(visit, lab) -> None:
    page = visit(f"input?text={TEXT}&recipe=bert")
    expect(page.get_by_role("table")).to_contain_text("after LayerNorm")
    np.testing.assert_allclose(column(page, "token"), lab.table["read"][:12], atol=6e-4)
    parts = [column(page, name) for name in ("token", "segment", "position")]
    np.testing.assert_allclose(column(page, "sum"), np.add.reduce(parts), atol=2e-3)
    page.get_by_label("position", exact=True).uncheck()
    page.get_by_label("segment", exact=True).uncheck()
    expect(page.get_by_label("token", exact=True)).to_be_disabled()
    page.wait_for_url("**&positions=false&segments=false")
    np.testing.assert_allclose(column(page, "sum"), lab.table["read"][:12], atol=6e-4)


def test_every_recipe_is_there_and_says_what_it_does(visit) -> None:
    page = visit(f"input?text={TEXT}")
    recipe = page.get_by_label("Recipe")
    names = recipe.locator("option").all_inner_texts()
    assert len(names) == 16
    for name in names:
        recipe.select_option(name)
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
        expect(page.get_by_text("the token's row").first).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_recipe_without_positions_says_where_they_are(visit) -> None:
    page = visit("input?recipe=llama")
    expect(page.get_by_text("no position here: attention turns queries and keys by it")).to_be_visible()
    expect(page.get_by_label("Position of the first token")).to_have_count(0)


def test_arrow_keys_move_the_position(visit) -> None:
    page = visit(f"input?text={TEXT}&recipe=transformer")
    expect(page.get_by_label("Position of the first token")).to_have_value("0")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**&start=1")
    expect(page.get_by_role("table").locator("tbody td").nth(3)).to_have_text(f"{np.sin(1):.3f}")
    page.reload()
    expect(page.get_by_label("Position of the first token")).to_have_value("1")


def test_another_token_is_chosen(visit, lab) -> None:
    page = visit(f"input?text={TEXT}&recipe=gpt2")
    page.get_by_role("button", name="list").click()
    expect(page.get_by_role("table")).to_contain_text("The parts of list")
    np.testing.assert_allclose(column(page, "token"), lab.table["list"][:12], atol=6e-4)


def test_side_by_side_is_wider_and_its_map_costs(visit) -> None:
    page = visit(f"input?text={TEXT}&view=beside&width=6")
    expect(page.get_by_role("heading", name="Side by side: 20 + 6 = 26 numbers")).to_be_visible()
    expect(page.get_by_text("Here the two are equal, number by number.")).to_be_visible()
    assert column(page, "width").tolist() == [20, 26, 20]
    assert column(page, "numbers in the map").tolist() == [0, 0, 26 * 20]
    page.get_by_label("Width of the position").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="Side by side: 20 + 8 = 28 numbers")).to_be_visible()


def test_the_lessons_norms(visit) -> None:
    page = visit("input?view=scale&rows=drawn")
    figure = page.get_by_role("region", name="Figure")
    expect(figure).to_contain_text("16.0 : 1")
    expect(figure).to_contain_text("√(d/2) = 16.00")
    page.get_by_role("button", name="√d").click()
    expect(figure).to_contain_text("1 : 1.4")
    page.wait_for_url("**&scale=22.627")


def test_norms_are_the_tables(visit, lab) -> None:
    page = visit(f"input?view=scale&text={TEXT}&scale=2")
    expect(page.get_by_role("table")).to_contain_text("the mean row")
    norms = [lab.table.norms.mean(), *lab.table.norms[lab.table.ids(TEXT.split())]]
    np.testing.assert_allclose(column(page, "norm"), norms, atol=6e-4)
    np.testing.assert_allclose(column(page, "position : row × s"), 10**0.5 / np.multiply(norms, 2), rtol=2e-3)


@pytest.mark.refused
def test_a_text_without_known_words_is_refused_in_a_sentence(visit) -> None:
    page = visit(f"input?text={TEXT}")
    page.get_by_label("Text", exact=True).fill("zyzzyva")
    expect(page.get_by_role("alert")).to_contain_text("no token of this text has a row in the table")


@pytest.mark.parametrize("state", ["recipe=bert", "view=beside&position=learned", "view=scale&rows=drawn"])
def test_axe_finds_nothing_in_any_view(visit, state: str) -> None:
    page = visit(f"input?{state}")
    page.wait_for_load_state("networkidle")
    found = Axe().run(page).response["violations"]
    assert [(rule["id"], [node["html"][:200] for node in rule["nodes"]]) for rule in found] == []
