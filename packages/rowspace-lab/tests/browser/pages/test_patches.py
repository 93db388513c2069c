"""The Patches page in a browser."""

import io

import numpy as np
import pytest
import torch
from PIL import Image
from playwright.sync_api import Page, expect
from tests.browser.at_rest import box_at_rest

from rowspace.layers import PatchEmbedding, patch_cost, unfold_patches
from rowspace_lab.pages.patches.images import fit_picture
from rowspace_lab.pages.patches.pictures import photograph

pytestmark = pytest.mark.browser

LOADED = "section[aria-label=Figure][aria-busy=false]"
MINUS = "\N{MINUS SIGN}"
PIXELS = "The numbers of patch"


def column(page: Page, table: str, at: int) -> list[str]:
    expect(page.locator(LOADED)).to_be_attached()
    return page.get_by_role("table", name=table).locator(f"tbody td:nth-child({at + 1})").all_inner_texts()


def shown(values, digits: int) -> list[str]:
    return [f"{value:.{digits}f}".replace("-", MINUS) for value in values.tolist()]


def test_initial_patch_matches_python(visit) -> None:
    page = visit("patches")
    expect(page.get_by_role("heading", name="Patch 105: row 7, column 7")).to_be_visible()
    picture = fit_picture(photograph("china.jpg"), height=224, width=224, channels=3)
    images = torch.from_numpy(picture).permute(2, 0, 1)[None] / 255
    assert column(page, PIXELS, 4) == shown(unfold_patches(images, 16)[0, 105, :9], 4)
    for at, form in ((1, "linear"), (2, "convolution")):
        embed = PatchEmbedding(16, 3, 64, form=form)
        embed.reset_parameters(torch.Generator().manual_seed(0))
        assert column(page, "The vector of patch 105", at) == shown(embed(images)[0][0, 105, :6].detach(), 6)
    sides = [side for side in range(1, 65) if 224 % side == 0]
    assert column(page, "Patch sizes that divide", 2) == [f"{patch_cost(224, side).tokens:,}" for side in sides]


@pytest.mark.long
def test_small_picture_can_be_explored_by_keyboard(visit) -> None:
    page = visit("patches")
    page.get_by_role("radio", name="flower.jpg").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="Patch 0: row 0, column 0")).to_be_visible()
    assert column(page, PIXELS, 4) == shown(torch.tensor([1, 2, 3, 4, 5, 0, 7, 8, 1]), 4)
    page.get_by_role("application", name="The picture in 2 × 2 patches").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("heading", name="Patch 3: row 1, column 1")).to_be_visible()
    assert column(page, PIXELS, 4) == shown(torch.tensor([8, 7, 6, 5, 4, 3, 2, 1, 0]), 4)
    expect(page.get_by_role("table")).to_have_count(3)
    page.wait_for_url(lambda url: "&at=3&" in url)  # written with a delay
    address = page.url
    cells = page.get_by_role("cell")
    before = cells.all_inner_texts()
    page.reload()
    expect(page.get_by_role("heading", name="Patch 3: row 1, column 1")).to_be_visible()
    expect(page.get_by_role("table")).to_have_count(3)
    assert page.url == address
    expect(cells).to_have_text(before)


def test_click_chooses_a_patch(visit) -> None:
    page = visit("patches?patch=56")
    picture = page.get_by_role("application", name="The picture in 4 × 4 patches")
    box = box_at_rest(picture)
    picture.click(position={"x": box["width"] * 0.9, "y": box["height"] * 0.3})
    expect(page.get_by_role("heading", name="Patch 7: row 1, column 3")).to_be_visible()
    page.wait_for_url("**/patches?patch=56&at=7")


@pytest.mark.long
def test_arrow_keys_step_through_patches(visit) -> None:
    page = visit("patches")
    expect(page.get_by_role("heading", name="Patch 105: row 7, column 7")).to_be_visible()
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", name="Patch 112: row 8, column 0")).to_be_visible()


@pytest.mark.long
def test_order_of_numbers_can_be_chosen(visit) -> None:
    page = visit("patches?patch=2")
    page.get_by_text("More controls").click()
    assert column(page, PIXELS, 1) == ["red"] * 4 + ["green"] * 4 + ["blue"]
    page.get_by_text("channels last").click()
    expect(page.get_by_role("region", name="Figure")).to_contain_text("pixel by pixel")
    assert column(page, PIXELS, 1) == ["red", "green", "blue"] * 3


@pytest.mark.long
def test_sliders_offer_only_sizes_that_fit(visit, unfold) -> None:
    page = visit("patches?patch=15")  # 14 is the nearest size that divides 224
    expect(page.get_by_role("application", name="The picture in 16 × 16 patches")).to_be_visible()
    unfold("More controls")
    side = page.get_by_role("slider", name="Patch size")
    for key, across in (("ArrowRight", 14), ("ArrowRight", 8), ("End", 4), ("Home", 224)):
        side.press(key)
        expect(page.get_by_role("application", name=f"The picture in {across} × {across} patches")).to_be_visible()
    page.get_by_role("slider", name="Patches across").press("Home")
    expect(page.get_by_role("application", name="The picture in 4 × 4 patches")).to_be_visible()
    page.get_by_role("slider", name="Height in pixels").press("ArrowLeft")
    expect(page.get_by_role("application", name="The picture in 3 × 4 patches")).to_be_visible()
    page.get_by_label("Pad with zeros").check()
    side.press("ArrowRight")  # 57 pixels
    expect(page.get_by_role("application", name="The picture in 3 × 4 patches")).to_be_visible()
    expect(page.get_by_role("heading", name="Patch 6")).to_be_visible()
    page.get_by_label("Pad with zeros").uncheck()
    expect(side).to_have_attribute("aria-valuetext", "56")
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.refused
def test_the_picture_remains_after_an_error(visit, unfold) -> None:
    page = visit("patches")
    expect(page.get_by_role("application", name="The picture in 14 × 14 patches")).to_be_visible()
    page.route("**/api/patches/cut?**", lambda route: route.fulfill(status=400, json={"error": "no"}))
    page.get_by_role("slider", name="Patch size").press("ArrowRight")
    expect(page.get_by_role("alert")).not_to_be_empty()
    expect(page.get_by_role("application", name="The picture in 14 × 14 patches")).to_be_visible()


def test_picture_can_be_uploaded(visit, tmp_path) -> None:
    pixels = np.random.default_rng(2).integers(0, 256, (96, 224, 3), np.uint8)
    Image.fromarray(pixels).save(tmp_path / "it's <b>mine<b>.png")
    page = visit("patches")
    page.get_by_text("More controls").click()
    page.get_by_label("Your own picture").set_input_files(tmp_path / "it's <b>mine<b>.png")
    expect(page.get_by_role("application", name="The picture in 6 × 14 patches")).to_be_visible()
    page.get_by_text("0 to 255", exact=True).click()
    expect(page.get_by_label("Python", exact=True)).to_contain_text('open_picture(file="it\'s <b>mine<b>.png")')
    expect(page.get_by_role("heading", name="Patch 49: row 3, column 7")).to_be_visible()
    expect(page.get_by_role("cell", name=f"{pixels[48, 112, 0]}.0000").first).to_be_visible()
    assert column(page, PIXELS, 4) == shown(torch.tensor(pixels[48, 112:121, 0]), 4)
    page.reload()
    expect(page.get_by_role("radio", name="it's <b>mine<b>.png")).to_be_checked()


@pytest.mark.refused
@pytest.mark.long
def test_file_that_is_not_a_picture_shows_an_error(visit) -> None:
    page = visit("patches")
    page.get_by_text("More controls").click()
    page.get_by_label("Your own picture").set_input_files(
        {"name": "notes.png", "mimeType": "image/png", "buffer": io.BytesIO(b"no picture").getvalue()}
    )
    expect(page.get_by_role("alert")).to_contain_text("this file is damaged or not a picture")
    expect(page.get_by_role("application", name="The picture in 14 × 14 patches")).to_be_visible()


@pytest.mark.refused
@pytest.mark.long
def test_file_that_is_too_large_shows_an_error(visit, unfold, tmp_path) -> None:
    large = tmp_path / "large.png"
    with large.open("wb") as file:
        file.truncate(2**24 + 1)
    page = visit("patches")
    unfold("More controls")
    page.get_by_label("Your own picture, up to 16 MiB").set_input_files(large)
    expect(page.get_by_role("alert")).to_have_text("The file is too large; choose a smaller one.")


@pytest.mark.refused
def test_expired_picture_shows_an_error(page, lab_url) -> None:
    page.goto(f"{lab_url}/patches?picture=0123456789abcdef0123&patch=8")
    expect(page.get_by_role("alert")).to_contain_text("was not uploaded, or is no longer in memory; upload it again")


def test_code_computes_every_figure(visit, lab, ask) -> None:
    page = visit("patches?patch=32&at=3&pad=true&order=channels_last")
    expect(page.get_by_label("Python", exact=True)).to_contain_text("patch_cost")
    expect(page.get_by_label("Python", exact=True)).to_contain_text("unfold_patches")
    names: dict[str, dict[str, object]] = {}
    exec(page.get_by_label("Python", exact=True).inner_text(), names)  # as pasted by a user
    for name, array in ask(lab, "patches/cut", patch=32, at=3, pad="true", order="channels_last").arrays.items():
        np.testing.assert_array_equal(names["cut"][name], array)
    for name, array in ask(lab, "patches/costs", pad="true").arrays.items():
        np.testing.assert_array_equal(names["patch_costs"][name], array)


@pytest.mark.long
def test_variances_are_drawn_for_every_patch(visit) -> None:
    page = visit("patches?picture=six-by-six&height=6&width=6&patch=3&color=gray&values=bytes&at=0")
    variances = page.get_by_role("application", name="Variance of every patch")
    variances.focus()
    for key, value in (("ArrowLeft", "6.91"), ("ArrowRight", "6.67"), ("ArrowDown", "6.67"), ("ArrowLeft", "7.65")):
        variances.press(key)
        expect(page.locator("figure").filter(has=variances)).to_contain_text(f": {value}")
    variances.press("Enter")
    expect(page.get_by_role("heading", name="Patch 2: row 1, column 0")).to_be_visible()


@pytest.mark.long
def test_sequence_filters_and_numbers_of_tokens(visit, ask, lab) -> None:
    page = visit("patches?dim=768")
    figure = page.get_by_role("region", name="Figure")
    page.get_by_text("sequence", exact=True).click()
    expect(figure).to_contain_text("197 × 768 = 151,296 parameters")
    whole_sequence = page.get_by_role("application", name="= the sequence: 197 rows, 64 columns")
    whole_sequence.press("ArrowLeft")
    reply = ask(lab, "patches/sequence", dim=768)
    expect(figure).to_contain_text(
        f"class token, dimension 0: {reply.arrays['sequence'][0, 0]:.3f}".replace("-", MINUS)
    )
    page.get_by_text("filters", exact=True).click()
    shares = ask(lab, "patches/filters", dim=768)
    for name in ("learned_share", "random_share"):
        expect(figure).to_contain_text(f"{100 * shares.arrays[name][15]:.1f} %")
    expect(figure.get_by_role("img", name="Learned, filter 15")).to_be_visible()
    page.get_by_text("tokens", exact=True).first.click()
    for number in ("50,176", "2.5 billion", "150,528", "22.7 billion", "9,834,496"):
        expect(figure).to_contain_text(number)
