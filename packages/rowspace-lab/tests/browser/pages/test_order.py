"""The Order page in a browser."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.at_rest import box_at_rest
from tests.browser.whole_page import expect_accessible, expect_fits_phone

from rowspace.layers import CATALOGUE, Alibi, LearnedPosition, RelativeBias, RotaryPosition, SinusoidPosition
from rowspace_lab.lab import Lab
from rowspace_lab.server.reply import Reply

pytestmark = pytest.mark.browser

TEXT = "read the list"
Visit = Callable[[str], Page]
Ask = Callable[..., Reply]


def shown(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}")


def cells(table: Locator) -> list[str]:
    return table.locator("tbody td").all_inner_texts()


def scores_at(distance: int, reply: Reply) -> dict[str, str]:
    """The scores of the view at a distance: by formula, and of drawn parameters by the reply."""
    at = reply.arrays["distances"].tolist().index(distance)
    sinusoid = np.cos(distance / 10000 ** (np.arange(32) / 32)).mean()  # also rotary, as all contents are equal
    learned, bias = (shown(reply.arrays["scores"][row, at], 3) for row in (1, 4))
    return {
        "Sinusoid": shown(sinusoid, 3),
        "Learned": learned if distance < reply.meta["trained"] else "–",
        "Rotary": shown(sinusoid, 3),
        "ALiBi": shown(-distance / 2, 3),  # the first of 8 heads has slope 1/2 (Press 2022)
        "T5’s bias": bias,
    }


def readout(page: Page, scheme: str) -> Locator:
    """The score and the distance under the crosshair of a chart."""
    return page.locator("figure").filter(has_text=scheme).locator("output")


def expect_scores(page: Page, scores: dict[str, str]) -> None:
    for scheme, score in scores.items():
        expect(readout(page, scheme).first).to_have_text(score)


def test_tokens_are_moved_by_keyboard(visit: Visit, lab: Lab, ask: Ask) -> None:
    page = visit(f"order?text={TEXT}&order=0,1,2&causal=true")
    expect(page.get_by_text("The order is that of the sentence")).to_be_visible()
    tokens = page.get_by_role("list", name="Order of the tokens").get_by_role("button")
    tokens.nth(0).focus()
    page.keyboard.press("ArrowRight")
    expect(tokens).to_have_text([re.compile("the"), re.compile("read"), re.compile("list")])
    expect(tokens.nth(1)).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**order=1%2C2%2C0**")
    reply = ask(lab, "order/attention", text=TEXT, order="1,2,0", causal="true")
    expect(page.get_by_label("Largest difference", exact=True)).to_have_text(shown(reply.meta["difference"], 3))
    weights = page.get_by_role("table", name="Attention weights of the shuffled sentence")
    assert cells(weights) == [shown(value, 2) for value in reply.arrays["shuffled_weights"].flatten()]


def test_tokens_are_dragged(visit: Visit) -> None:
    page = visit(f"order?text={TEXT}&order=0,1,2")
    tokens = page.get_by_role("list", name="Order of the tokens").get_by_role("button")
    tokens.nth(2).drag_to(tokens.nth(0))
    expect(tokens).to_have_text([re.compile("list"), re.compile("read"), re.compile("the")])
    page.wait_for_url("**order=2%2C0%2C1**")


def test_only_positions_or_the_mask_let_order_in(
    visit: Visit, lab: Lab, ask: Ask, unfold: Callable[[str], None]
) -> None:
    page = visit(f"order?text={TEXT}&order=1,0,2")
    difference = page.get_by_label("Largest difference", exact=True)
    expect(page.get_by_label("Verdict")).to_have_text("Nothing changed")
    expect(page.get_by_text("attention is equivariant")).to_be_visible()
    expect(page.get_by_text("outputs differ by no more than rounding errors.")).to_be_visible()
    expect(difference).to_have_count(0)
    weights = page.get_by_role("table", name="Attention weights of the sentence")
    assert page.get_by_label("Verdict").bounding_box()["y"] < weights.bounding_box()["y"]  # words before numbers
    for scheme in ("sinusoid", "rotary", "ALiBi"):
        page.get_by_role("radio", name=scheme).check()
        expect(page.get_by_text("The positions let order in.")).to_be_visible()
        reply = ask(lab, "order/attention", text=TEXT, order="1,0,2", scheme=scheme.lower())
        expect(difference).to_have_text(shown(reply.meta["difference"], 3))
    page.get_by_role("radio", name="none").check()
    unfold("More controls")
    page.get_by_label("Causal mask").check()
    expect(page.get_by_text("so the mask lets order in")).to_be_visible()
    table = page.get_by_role("table", name="Largest difference of an output")
    expect(table.get_by_role("row")).to_have_count(6)


def test_rankings_match_python(visit: Visit, lab: Lab, ask: Ask) -> None:
    page = visit("order?view=ranking&word=list")
    reply = ask(lab, "order/ranking", word="list")
    by_cosine = page.get_by_role("table", name="Nearest to list by cosine")
    assert by_cosine.locator("tbody td:nth-child(1)").all_inner_texts() == reply.meta["cosine_tokens"]
    by_product = page.get_by_role("table", name="Ranked first by the query of list")
    assert by_product.locator("tbody td:nth-child(1)").all_inner_texts() == reply.meta["product_tokens"]
    values = by_product.locator("tbody td:nth-child(2)").all_inner_texts()
    assert values == [shown(value, 3) for value in reply.arrays["products"]]
    expect(page.get_by_text("No model is open: W_Q, W_K and W_V are drawn at random")).to_be_visible()
    by_product.get_by_role("button").nth(1).click()
    page.wait_for_url("**word=" + reply.meta["product_tokens"][1])


def test_rankings_of_a_whole_table_are_compared_by_rank(visit: Visit) -> None:
    page = visit("order?view=ranking&word=dog&table=six-words")
    rows = page.get_by_role("table", name="Nearest to dog by cosine").locator("tbody tr")
    ranks = [row.split()[-1] for row in rows.all_inner_texts()]
    same = sum(rank[:-2] == str(place) for place, rank in enumerate(ranks, 1))  # the rank is such as "2nd"
    expect(page.get_by_label("Tokens with the same rank")).to_have_text(f"{same} of 6")


@pytest.mark.long
def test_scores_show_the_saturation(visit: Visit, lab: Lab, ask: Ask) -> None:
    page = visit(f"order?view=scores&text={TEXT}")
    for name in ("Q = X W_Q", "K = X W_K", "V = X W_V", "q·k/√d_k"):
        expect(page.get_by_role("application", name=f"{name}: 3 rows")).to_be_visible()
    reply = ask(lab, "order/saturation")
    row = page.get_by_role("table", name="Variance of q·k").locator("tbody tr").nth(6).get_by_role("cell")
    expected = [
        shown(reply.arrays[name][6], digits) for name, digits in (("variances", 1), ("plain", 2), ("divided", 2))
    ]
    expect(row).to_have_text(["256", *expected])


@pytest.mark.long
def test_the_slider_reads_the_scale_of_a_d_k(visit: Visit, lab: Lab, ask: Ask) -> None:
    page = visit("order?view=scores&d_k=128")
    arrays = ask(lab, "order/saturation").arrays
    slider = page.get_by_role("slider", name="d_k", exact=True)

    def expect_values_of(size: int) -> None:
        at = arrays["sizes"].tolist().index(size)
        expect(slider).to_have_attribute("aria-valuetext", str(size))
        for label, name, digits in (
            ("variance of q·k", "variances", 1),
            ("largest weight, q·k", "plain", 2),
            ("largest weight, q·k/√d_k", "divided", 2),
        ):
            expect(page.get_by_label(label, exact=True)).to_have_text(shown(arrays[name][at], digits))
        expect(page.get_by_text(f"With d_k = {size}, the largest weight is {arrays['plain'][at]:.2f}")).to_be_attached()

    expect_values_of(128)
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect_values_of(256)
    page.wait_for_url("**d_k=256")
    page.reload()
    expect_values_of(256)


def test_hands_turn_with_the_offset(visit: Visit, lab: Lab, ask: Ask) -> None:
    page = visit("order?view=sinusoid")
    expect(page.get_by_label("Product", exact=True)).to_have_text("1.965")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**delta=4")
    reply = ask(lab, "order/waves", delta=4)
    expect(page.get_by_label("Product", exact=True)).to_have_text(shown(reply.meta["product"], 3))
    expect(page.get_by_role("img", name="Pair 1 turns by 0.400 radians")).to_be_visible()
    expect(page.get_by_label("Full turns")).to_have_text("2 of 4")


@pytest.mark.long
def test_learned_positions_end_and_other_schemes_continue(visit: Visit, lab: Lab, ask: Ask) -> None:
    page = visit("order")
    page.get_by_role("radio", name="Longer texts").check()
    page.get_by_label("Trained length").press("Home")
    page.wait_for_url("**/order?view=length&trained=16")
    reply = ask(lab, "order/lengths", trained=16)
    chart = page.get_by_role("application", name="Rotary by distance")
    expect(page.get_by_role("table", name="Position schemes, with the parameters for 16 positions")).to_be_visible()
    for _ in range(16):  # from distance 0 to 15, the last one trained
        chart.press("ArrowRight")
    for distance in (15, 16):
        expect_scores(page, scores_at(distance, reply))
        chart.press("ArrowRight")


@pytest.mark.long
def test_distances_from_128_on_share_the_bias_of_t5(visit: Visit, lab: Lab, ask: Ask) -> None:
    page = visit("order?view=length&trained=64")
    reply = ask(lab, "order/lengths", trained=64)
    chart = page.get_by_role("application", name="T5’s bias by distance")
    shared = []
    for share in (0.7, 0.95):  # of the width, which is four times the trained length and two margins
        box = box_at_rest(chart)
        chart.hover(position={"x": share * box["width"], "y": box["height"] / 2})
        distance = int(readout(page, "T5’s bias").nth(1).inner_text())
        assert distance >= 128
        expect_scores(page, scores_at(distance, reply))
        shared.append(readout(page, "T5’s bias").nth(0).inner_text())
    assert len(set(shared)) == 1


def test_schemes_have_parameters_and_models(visit: Visit, lab: Lab, ask: Ask) -> None:
    page = visit("order?view=length&trained=128&heads=4&dim=32")
    table = page.get_by_role("table", name="Position schemes")
    schemes = (SinusoidPosition(32), LearnedPosition(128, 32), RotaryPosition(32), Alibi(4), RelativeBias(4))
    expected = [f"{sum(weight.numel() for weight in scheme.parameters()):,}" for scheme in schemes]
    expect(table.locator("tbody td:nth-child(2)")).to_have_text(expected)
    users = {user["scheme"]: user for user in ask(lab, "order/lengths").meta["users"]}
    for name, key in (("Learned", "learned"), ("Rotary", "rotary"), ("ALiBi", "alibi"), ("T5’s bias", "relative")):
        models = users[key]["models"][:5]
        more = sum(model.position_scheme == key for model in CATALOGUE.values()) - len(models)
        ending = f", and {more} more" if more else ""
        expect(table.get_by_role("row", name=name).locator("td").nth(3)).to_have_text(f"{', '.join(models)}{ending}")
    unfinished = sum(127 / 10000 ** (pair / 16) < 2 * np.pi for pair in range(16))
    expect(page.get_by_label("Unfinished pairs")).to_have_text(f"{unfinished} of 16")
    expect(page.get_by_role("application", name=re.compile("by distance"))).to_have_count(5)


@pytest.mark.long
@pytest.mark.parametrize("view", ["ranking", "scores", "sinusoid", "length"])
def test_every_view_is_accessible_and_fits_a_phone(visit: Visit, view: str) -> None:
    page = visit(f"order?view={view}")
    expect_accessible(page, dark=False)
    expect_fits_phone(page)
