"""The Positions page in a browser."""

import re

import numpy as np
import pytest
import torch
from playwright.sync_api import Page, expect
from safetensors import safe_open

from rowspace.layers import Alibi, RotaryPosition, YarnScaling, relative_buckets
from rowspace.learn.default_table import encoder_folder

pytestmark = pytest.mark.browser

LOADED = "section[aria-label=Figure][aria-busy=false]"
MINUS = "\N{MINUS SIGN}"


def shown(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".replace("-", MINUS)


def line(page: Page, table: str, first: str) -> list[str]:
    """The row of a table with this first cell."""
    expect(page.locator(LOADED)).to_be_attached()
    lines = [
        row.get_by_role("cell").all_inner_texts()
        for row in page.get_by_role("table", name=table).locator("tbody tr").all()
    ]
    return next(cells for cells in lines if cells[0] == first)


def test_scores_by_offset_match_python(visit) -> None:
    page = visit("positions?length=16&heads=4&head=2")
    expect(page.get_by_role("table")).to_contain_text("of head 2")
    cells = line(page, "Mean score by offset", f"{MINUS}3")
    assert cells[4] == shown(-3 * float(Alibi(4).slopes[2]), 4)
    unit = torch.full((1, 1, 64), 64**-0.5).expand(1, 4, 64)
    turned, _ = RotaryPosition(64)(unit, unit)
    assert cells[3] == shown(float(turned[0, 0] @ turned[0, 3]), 4)
    assert cells[6] == str(int(relative_buckets(torch.tensor(-3))))


@pytest.mark.long
def test_hands_turn_with_their_token(visit) -> None:
    page = visit("positions")
    hands = page.get_by_role("list", name="Clock hands")
    slider = page.get_by_role("slider", name="Position of dog")
    slider.press("ArrowRight")
    man = hands.get_by_role("img", name="The hands of man at position 3")
    expect(man).to_be_visible()
    turns = man.locator("path").evaluate_all("hands => hands.map((hand) => parseFloat(hand.style.transform.slice(7)))")
    frequencies = 10_000.0 ** (-np.arange(0, 12, 2) / 64)
    np.testing.assert_allclose(turns, 3 * frequencies % (2 * np.pi), atol=1e-5)
    ahead = f"{2 * frequencies[1]:.2f} radians ahead"
    expect(page.get_by_text(ahead)).to_be_visible()
    slider.press("End")
    expect(hands.get_by_role("img", name="The hands of man at position 63")).to_be_visible()
    expect(page.get_by_text(ahead)).to_be_visible()
    page.wait_for_url("**start=61*")
    page.reload()
    expect(slider).to_have_value("61")


@pytest.mark.long
def test_figures_share_a_crosshair(visit) -> None:
    page = visit("positions")
    pairs = page.get_by_role("application", name="ALiBi: 64 rows")
    pairs.focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    figure = page.get_by_role("region", name="Figure")
    expect(figure.get_by_text("query 3, key 5")).to_have_count(5)
    expect(figure.get_by_text("position 3, dimension 0")).to_have_count(5)
    expect(figure.get_by_text(f"offset 2: {shown(-1, 3)}")).to_have_count(1)  # slope 1/2 times 2
    curve = page.get_by_role("application", name="Rotary: score by offset")
    curve.focus()
    page.keyboard.press("ArrowRight")
    expect(figure.get_by_text("query 3, key 6")).to_have_count(5)


def test_arrow_keys_step_through_offsets(visit) -> None:
    page = visit("positions?length=4")
    figure = page.get_by_role("region", name="Figure")
    expect(figure.get_by_text("4 × 4, color scale")).to_have_count(5)
    for _ in range(9):  # beyond the end of the text
        page.keyboard.press("ArrowLeft")
    expect(figure.get_by_text("query 3, key 0")).to_have_count(5)
    page.keyboard.press("ArrowRight")
    expect(figure.get_by_text("query 3, key 1")).to_have_count(5)


@pytest.mark.long
def test_learned_positions_are_those_of_an_open_checkpoint(visit) -> None:
    page = visit("positions?table=everyday-words")
    with safe_open(encoder_folder() / "model.safetensors", "np") as tensors:
        positions = tensors.get_tensor("embeddings.position_embeddings.weight")
    expect(page.get_by_role("application", name="Learned, of bert")).to_be_visible()
    page.keyboard.press("ArrowRight")
    readout = page.locator("figure").filter(has_text="Learned, of bert").locator("output")
    expect(readout).to_have_text(re.compile("^position "))
    place, dimension, value = re.findall(rf"{MINUS}?[0-9.]+", readout.inner_text())
    assert value == shown(float(positions[int(place), int(dimension)]), 3)


def test_crosshair_disappears_with_the_pointer(visit) -> None:
    page = visit("positions")
    figure = page.get_by_role("region", name="Figure")
    page.get_by_role("application", name="Learned, untrained").hover(position={"x": 40, "y": 40})
    expect(figure.get_by_text("position 1")).to_have_count(5)
    page.mouse.move(2, 2)
    expect(figure.get_by_text("position 1")).to_have_count(0)


@pytest.mark.long
def test_scores_of_tokens_depend_on_the_position(visit, unfold) -> None:
    page = visit("positions")
    figure = page.get_by_role("region", name="Figure")
    expect(figure.get_by_text("Also depends on the position")).to_have_count(1)  # learned
    page.keyboard.press("/")
    page.keyboard.type("sin")
    page.keyboard.press("Tab")
    unfold("More controls")
    with page.expect_response("**/api/positions/scores?*key=cos*"):
        page.get_by_label("Key: a token’s row").fill("cos")
        page.keyboard.press("Tab")
    page.wait_for_url("**/positions?query=sin&key=cos")
    expect(page.locator("section[aria-label=Figure][aria-busy=false]")).to_be_attached()
    expect(figure.get_by_text("Also depends on the position")).to_have_count(2)
    cells = page.get_by_role("table").get_by_role("cell")
    before = cells.all_inner_texts()
    page.reload()
    expect(figure.get_by_text("Also depends on the position")).to_have_count(2)
    expect(cells).to_have_text(before)
    expect(page.get_by_label("Python", exact=True)).to_contain_text("query='sin', key='cos'")


def test_causal_attention_masks_future_keys(visit, unfold) -> None:
    page = visit("positions")
    unfold("More controls")
    page.get_by_label("Causal").check()
    page.wait_for_url("**/positions?causal=true")
    expect(page.get_by_label("Python", exact=True)).to_contain_text("causal=True")
    assert line(page, "Mean score by offset", "1")[1:6] == ["–"] * 5
    assert line(page, "Mean score by offset", f"{MINUS}1")[4] == shown(-0.5, 4)


@pytest.mark.refused
def test_unknown_token_shows_an_error_and_keeps_the_rows(visit) -> None:
    page = visit("positions?query=no-such-token")
    expect(page.get_by_role("alert")).to_contain_text("no-such-token")
    expect(page.get_by_role("application", name="Sinusoid, sines first")).to_be_visible()


@pytest.mark.long
def test_scalings_match_python(visit, unfold) -> None:
    page = visit("positions")
    page.get_by_role("radio", name="schemes").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/positions?view=longer+texts")
    length = page.get_by_role("slider", name="Length of the text")
    length.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**&context=65536")
    expect(page.get_by_role("table", name="Scalings for a text of 65,536 tokens")).to_be_visible()
    yarn = YarnScaling(8.0, 4096)
    frequencies = RotaryPosition(128, scaling=yarn).frequencies_at(65536)
    cells = line(page, "Scalings for a text", "YaRN")
    assert cells[1] == shown(yarn.attention_factor, 4)
    assert cells[3] == f"{2 * torch.pi / float(frequencies[-1]):,.0f}"
    figure = page.get_by_role("region", name="Figure")
    expect(figure.get_by_text("LongRoPE", exact=True)).to_have_count(0)
    unfold("More controls")
    page.get_by_label("LongRoPE", exact=True).check()
    expect(figure.get_by_text("LongRoPE", exact=True)).to_have_count(3)


@pytest.mark.parametrize("tokens", ["", "&query=sin&key=cos"])
def test_code_computes_every_figure(visit, lab, ask, tokens) -> None:
    page = visit(f"positions?length=8&dim=16{tokens}")
    expect(page.get_by_label("Python", exact=True)).to_contain_text("scores = scores_figure(")
    names: dict[str, dict[str, object]] = {}
    exec(page.get_by_label("Python", exact=True).inner_text(), names)  # as pasted by a user
    asked = {"query": "sin", "key": "cos"} if tokens else {}
    for figure in ("rows", "scores"):
        reply = ask(lab, f"positions/{figure}", length=8, dim=16, **(asked if figure == "scores" else {}))
        for name, array in reply.arrays.items():
            np.testing.assert_array_equal(names[figure][name], array)
