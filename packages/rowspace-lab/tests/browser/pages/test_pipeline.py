"""The Pipeline page in a browser."""

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.whole_page import expect_accessible, expect_fits_phone

from rowspace.layers import SinusoidPosition
from rowspace_lab.tables.examples import FIVE_ITEMS, SIX_WORDS

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


@pytest.mark.long
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
    table = page.get_by_role("table").filter(has=page.get_by_role("columnheader", name="token", exact=True))
    expect(table.locator("tbody tr td:nth-child(3)")).to_have_text([*ids, "–"])
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("table", name="The rows")).to_be_visible()
    np.testing.assert_allclose(numbers(page), lab.table[TEXT.split()].T[:12], atol=6e-4)


def test_renumbering_changes_only_the_distances_by_id(visit, lab) -> None:
    page = visit("pipeline?stage=2&text=read the list write")
    words = ["read", "the", "list", "write"]
    rows = lab.table[words].astype(float)
    by_row = page.get_by_role("region", name="Distances by row")
    shown = by_row.get_by_role("row").nth(1).get_by_role("cell").all_inner_texts()
    assert shown == ["·", *(f"{np.linalg.norm(rows[0] - row):.3f}" for row in rows[1:])]
    by_id = page.get_by_role("region", name="Distances by id")
    before = by_id.get_by_role("row").nth(1).get_by_role("cell").all_inner_texts()
    first = lab.table.ids(words)
    assert before == ["·", *(f"{abs(first[0] - id):,}".replace(",", "") for id in first[1:])]
    page.get_by_role("button", name="Renumber the vocabulary").click()
    expect(by_id).to_contain_text("of 6 distances changed")
    for region in (by_row, page.get_by_role("region", name="Distances by one-hot")):
        expect(region).to_contain_text("0 of 6 distances changed")
    new = np.random.default_rng(1).permutation(len(lab.table))[first]
    after = by_id.get_by_role("row").nth(1).get_by_role("cell").all_inner_texts()
    assert after == ["·", *(str(abs(new[0] - id)) for id in new[1:])]
    page.wait_for_url("**&renumbered=1")
    page.get_by_role("button", name="Original ids").click()
    expect(by_id.get_by_role("row").nth(1).get_by_role("cell")).to_have_text(before)


@pytest.mark.long
def test_lookup_is_played_scrubbed_and_stops(visit) -> None:
    page = visit(f"pipeline?text={TEXT}")
    scrubber = page.get_by_label("Rows copied")
    expect(scrubber).to_have_attribute("aria-valuetext", "3 of 3 rows copied")  # it is played once
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    scrubber.fill("1.7")
    expect(scrubber).to_have_attribute("aria-valuetext", "1 of 3 rows copied")
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()


@pytest.mark.long
def test_lookup_does_not_move_under_reduced_motion(visit, page) -> None:
    page.emulate_media(reduced_motion="reduce")
    visit(f"pipeline?text={TEXT}")
    scrubber = page.get_by_label("Rows copied")
    expect(scrubber).to_have_attribute("aria-valuetext", "3 of 3 rows copied")
    for copied in (1, 2, 3):
        page.get_by_role("button", name="Next row").click()
        expect(scrubber).to_have_attribute("aria-valuetext", f"{copied} of 3 rows copied")
        assert float(scrubber.input_value()) == copied


def test_one_hot_product_equals_the_lookup_and_has_a_price(visit, lab) -> None:
    page = visit(f"pipeline?stage=4&text={TEXT}")
    expect(page.get_by_text("Both are exactly equal.")).to_be_visible()
    ones = page.get_by_role("region", name="The one-hot matrix H").get_by_role("cell", name="1", exact=True)
    expect(ones).to_have_count(3)
    V = len(lab.table)
    figure = page.get_by_role("region", name="Figure")
    expect(figure).to_contain_text(f"{2 * 3 * V * 20:,} operations = 2 · 3 · {V:,} · 20")
    expect(figure).to_contain_text("0 operations, 60 numbers are read")
    np.testing.assert_allclose(numbers(page), lab.table[TEXT.split()].T[:12], atol=6e-4)


@pytest.mark.long
def test_the_one_of_a_small_table_can_be_moved(visit, page) -> None:
    visit("pipeline?table=five-items&stage=4&text=item3 item1")
    matrix = page.get_by_role("region", name="The one-hot matrix H")
    expect(matrix.get_by_role("row").nth(1).get_by_role("cell")).to_have_text(["0", "0", "0", "1", "0"])
    matrix.get_by_role("row").nth(1).get_by_role("button", name="Move the one to item4").click()
    expect(page.get_by_role("textbox", name="Text", exact=True)).to_have_value("item4 item1")
    expect(matrix.get_by_role("row").nth(1).get_by_role("cell")).to_have_text(["0", "0", "0", "0", "1"])
    np.testing.assert_allclose(numbers(page), np.array([FIVE_ITEMS["item4"], FIVE_ITEMS["item1"]]).T, atol=6e-4)


@pytest.mark.long
def test_x_scales_and_adds_as_the_recipe_does(visit, lab) -> None:
    import torch

    page = visit(f"pipeline?stage=6&text={TEXT}")
    rows = lab.table[TEXT.split()]
    positions = SinusoidPosition(20)(torch.zeros(1, 3)).numpy()
    np.testing.assert_allclose(numbers(page), (rows * 20**0.5 + positions).T[:12], atol=6e-4)
    norms = page.get_by_label("Norms of the parts")
    expect(norms).to_contain_text(f"{np.linalg.norm(rows * 20**0.5, axis=1).mean():.3f}")
    ratio = 10**0.5 / np.linalg.norm(rows, axis=1).mean()
    expect(page.get_by_text(f"Without the scale it would be {ratio:.2f} times.")).to_be_visible()
    page.get_by_text("sinusoids, no scale").click()
    expect(page.get_by_text(f"{ratio:.2f} times as long as the token’s part")).to_be_visible()
    page.wait_for_url("**&recipe=plain")
    np.testing.assert_allclose(numbers(page), (rows + positions).T[:12], atol=6e-4)
    page.get_by_text("GPT-2").click()
    expect(page.get_by_text("The added vectors are untrained here")).to_be_visible()
    page.get_by_text("Llama").click()
    expect(page.get_by_text("This model adds nothing to the rows")).to_be_visible()


@pytest.mark.long
def test_tied_head_gives_every_row_a_gradient(visit, lab) -> None:
    page = visit(f"pipeline?stage=7&text={TEXT}")
    page.get_by_text("a loss, separate head").click()
    figure = page.get_by_role("region", name="Figure")
    V = len(lab.table)
    expect(figure).to_contain_text(f"2 of {V:,} rows have a gradient")
    page.get_by_text("a loss, tied head").click()
    expect(figure).to_contain_text(f"{V:,} of {V:,} rows have a gradient")
    page.wait_for_url("**&head=tied")


@pytest.mark.long
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


@pytest.mark.long
def test_adamw_steps_move_rows_without_a_gradient(visit) -> None:
    import torch

    page = visit("pipeline?table=six-words&stage=7&text=cat dog&g=1,1&optimizer=AdamW")
    table = torch.tensor(list(SIX_WORDS.values()), requires_grad=True)
    optimizer = torch.optim.AdamW([table], lr=0.1)
    rows = page.get_by_role("list", name="How far each row moved").get_by_role("listitem")
    for ids in ([1, 2], [4]):
        if ids == [4]:
            page.get_by_role("textbox", name="Text", exact=True).fill("house")
            expect(page.get_by_role("slider", name="g₁ house")).to_be_visible()
        page.get_by_role("button", name="One step").click()
        before = table.detach().clone()
        optimizer.zero_grad()
        table[ids].sum().backward()
        optimizer.step()
        moved = (table.detach() - before).norm(dim=1).tolist()
        expect(page.get_by_text(f"{len(ids)} of 6 rows had a gradient, 6 moved.")).to_be_visible()
        expect(rows).to_contain_text([f"{distance:.3f}" for distance in moved])
        expect(rows).to_contain_text(["gradient 1.73" if id in ids else "no gradient" for id in range(6)])
    page.wait_for_url("**&read_g=1%2C1&read=cat+dog&read_g=1&read=house")
    page.reload()
    expect(rows).to_contain_text([f"{distance:.3f}" for distance in moved])
    page.get_by_text("SGD", exact=True).click()
    expect(page.get_by_text("1 of 6 rows had a gradient, 1 moved.")).to_be_visible()
    page.get_by_role("button", name="Start again").click()
    expect(rows).to_have_count(0)


def test_long_tokens_and_markup_are_shown_as_text(visit) -> None:
    page = visit("pipeline?stage=1&text=%3Cscript%3Ealert(1)%3C/script%3E+" + "q" * 1000)
    expect(page.get_by_role("region", name="Figure")).to_contain_text("script")
    expect_fits_phone(page)


@pytest.mark.long
def test_text_without_known_words_reports_omitted_tokens(visit) -> None:
    page = visit("pipeline?stage=3&text=zyzzyva")
    expect(page.get_by_role("heading", name="Rows", exact=True)).to_be_visible()
    page.get_by_role("button", name="Tokens", exact=True).click()
    expect(page.get_by_text("One token has no row in this table and is omitted.")).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize("number", range(8))
def test_every_stage_is_accessible(visit, number: int) -> None:
    page = visit(f"pipeline?stage={number}&text={TEXT} zyzzyva")
    expect_accessible(page, dark=False)
