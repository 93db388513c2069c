"""The Cost page in a browser."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect
from tests.browser.at_rest import box_at_rest

from rowspace.layers import CATALOGUE, cost

pytestmark = pytest.mark.browser

LOADED = "section[aria-label=Figure][aria-busy=false]"


def test_costs_match_python(visit) -> None:
    page = visit("cost?vocabulary=32000&dimension=4096&dtype=bfloat16&optimizer=adam&tied=false")
    expected = cost({"vocab_size": 32000, "hidden_size": 4096, "tie_word_embeddings": False})
    expect(page.get_by_role("region", name="Figure")).to_contain_text(f"{expected.num_parameters:,} parameters")
    expect(page.locator(LOADED)).to_be_attached()
    rows = page.get_by_role("table", name="Costs and their formulas").get_by_role("row").all_inner_texts()
    values = dict(row.split("\t")[::3][:2] for row in rows[1:])
    training = expected.training_bytes("adam", dtype="bfloat16")
    assert values["weights"] == f"{training.weights:,}"
    assert values["gradient"] == f"{training.gradient:,}"
    assert values["state of adam"] == f"{training.state:,}"
    assert values["head"] == f"{expected.head_flops(1024):,}"


def test_click_on_a_model_applies_its_sizes(visit) -> None:
    page = visit("cost")
    known = CATALOGUE["pythia-70m"].cost
    page.get_by_role("button", name="pythia-70m", exact=True).click()
    page.wait_for_url(re.compile(f"vocabulary={known.num_embeddings}&dimension={known.row_dim}&tied=false"))
    figure = page.get_by_role("region", name="Figure")
    expect(figure).to_contain_text(f"{known.num_parameters:,} parameters, as in pythia-70m")
    expect(figure.get_by_role("link", name="pythia-70m")).to_have_attribute("href", CATALOGUE["pythia-70m"].source)
    expect(figure).to_contain_text(f"{known.share:.1%}".replace("%", " %"))


@pytest.mark.long
def test_known_models_are_labeled_without_overlap(visit) -> None:
    page = visit("cost")
    page.set_viewport_size({"width": 1280, "height": 720})
    labels = page.locator("text.model")
    expect(labels.first).to_be_visible()
    known = {"GPT-2", "GPT-3", "BERT", "BLOOM", "Llama 2 70B", "Llama 3.1 405B", "Qwen3 8B", "Gemma 3 27B"}
    assert known <= set(labels.all_text_contents())
    boxes = [box_at_rest(label) for label in labels.all()]
    for at, one in enumerate(boxes):
        for other in boxes[:at]:
            assert (
                one["x"] + one["width"] <= other["x"]
                or other["x"] + other["width"] <= one["x"]
                or abs(one["y"] - other["y"]) >= 12
            )


def test_arrow_keys_step_through_models(visit) -> None:
    page = visit("cost")
    page.get_by_role("application", name="published models").focus()
    page.keyboard.press("ArrowRight")
    models = [model for model in CATALOGUE.values() if model.num_embeddings and not model.cost.ngrams]
    smallest = min(models, key=lambda model: model.num_embeddings * model.cost.row_dim)
    expect(page.get_by_text(f"{smallest.num_embeddings:,} × {smallest.cost.row_dim:,}").first).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(f"vocabulary={smallest.num_embeddings}&dimension={smallest.cost.row_dim}"))


def test_arrow_keys_move_sliders(visit) -> None:
    page = visit("cost?vocabulary=50257&dimension=768")
    page.get_by_label("Dimension d").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**dimension=1024")
    page.get_by_label("Dimension d").press("End")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("12,288", exact=True)).to_be_visible()
    dimension = 12_288
    expect(page.get_by_role("region", name="Figure")).to_contain_text(f"{50257 * dimension:,} parameters")


def test_integer_dtypes_have_no_training_costs(visit) -> None:
    page = visit("cost?dtype=int4")
    expect(page.get_by_text("models are not trained in int4")).to_be_visible()
    expect(page.get_by_role("table", name="Costs and their formulas")).not_to_contain_text("gradient")


@pytest.mark.long
def test_matrix_zooms_in_to_numbers(visit, lab) -> None:
    page = visit("cost?figure=matrix")
    picture = page.get_by_role("application", name="Rows 0")
    picture.focus()
    for _ in range(12):
        page.keyboard.press("+")
    numbers = page.get_by_role("region", name="Numbers of the table")
    expect(numbers).to_be_focused()
    expect(numbers.get_by_role("row")).to_have_count(13)
    edges = "search => ['bottom', 'top'].map(name => new URLSearchParams(location.search).get(name))"
    page.wait_for_function(f"(([bottom, top]) => bottom - top === 12)(({edges})())")  # the URL follows with a delay
    top, left = (int(re.search(rf"{name}=(\d+)", page.url)[1]) for name in ("top", "left"))
    cells = numbers.get_by_role("cell")
    shown = lab.table.rows[top : top + 12, left : left + 8]
    expect(cells).to_have_text([f"{value:.3f}".replace("-", "\u2212") for value in np.ravel(shown)])
    tokens = numbers.get_by_role("rowheader").all_inner_texts()
    assert [token.split()[-1] for token in tokens] == lab.table.vocabulary[top : top + 12]
    before = cells.all_inner_texts()
    page.reload()
    expect(cells).to_have_text(before)


@pytest.mark.long
def test_arrow_keys_move_the_matrix_and_a_button_shows_all(visit) -> None:
    page = visit("cost?figure=matrix&top=100&bottom=112&right=8")
    numbers = page.get_by_role("region", name="Numbers of the table")
    numbers.focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_url(re.compile("top=103&bottom=115"))
    page.get_by_role("button", name="Show all").click()
    page.wait_for_url(re.compile("cost[?]figure=matrix$"))
    expect(page.get_by_role("application", name="Rows 0")).to_be_visible()


@pytest.mark.long
def test_matrix_is_dragged_and_zoomed_by_the_wheel(visit) -> None:
    page = visit("cost?figure=matrix&top=1000&bottom=2000&left=4&right=14")
    picture = page.get_by_role("application", name="Rows 1,000")
    picture.scroll_into_view_if_needed()
    box = box_at_rest(picture)
    page.mouse.move(box["x"] + 50, box["y"] + 300)
    page.mouse.down()
    page.mouse.move(box["x"] + 50, box["y"] + 300 - box["height"] / 4, steps=3)
    page.mouse.up()
    page.wait_for_url(re.compile("top=1[12][0-9]{2}&"))
    page.mouse.wheel(0, -100)
    page.wait_for_url(lambda url: int(re.search(r"bottom=(\d+)", url)[1]) - int(re.search(r"top=(\d+)", url)[1]) == 800)


@pytest.mark.parametrize("by", ["the mean", "one number"])
@pytest.mark.long
def test_caption_explains_a_cell(visit, by: str) -> None:
    page = visit("cost?figure=matrix")
    page.get_by_text(by, exact=True).click()
    caption = {"the mean": "shows the mean of them", "one number": "shows the first of them"}[by]
    expect(page.get_by_role("region", name="Figure")).to_contain_text(caption)


def test_page_opens_on_the_open_table_and_names_what_is_left_out(visit, lab) -> None:
    page = visit("cost")
    figure = page.get_by_role("region", name="Figure")
    expect(figure).to_contain_text(f"{lab.table.rows.size:,} parameters")
    expect(figure).to_contain_text(
        "Models whose sizes were never published, such as GPT-4, Claude and Gemini, are left"
    )
    expect(page.get_by_role("region", name="The numbers")).to_contain_text(f"{lab.table.rows.size:,} parameters")
    expect(page.get_by_role("table", name="Published models by the share")).to_be_visible()


@pytest.mark.long
def test_gpt3_is_applied_with_its_sizes(visit) -> None:
    page = visit("cost")
    page.get_by_role("button", name="rows; show more").click()
    page.get_by_role("button", name="GPT-3", exact=True).click()
    figure = page.get_by_role("region", name="Figure")
    expect(figure.get_by_role("link", name="GPT-3")).to_have_attribute("href", "https://arxiv.org/abs/2005.14165")
    expect(figure).to_contain_text("617,558,016 parameters")
    row = page.get_by_role("row").filter(has=page.get_by_role("button", name="GPT-3", exact=True))
    expect(row.get_by_role("cell").nth(3)).to_have_text("96")
    expect(row.get_by_role("cell").nth(4)).to_have_text("learned")


def test_second_tables_are_listed_with_disk_and_memory(visit) -> None:
    page = visit("cost?tokens=1&dtype=int8")
    table = page.get_by_role("table", name="Second tables, kept in a file as bfloat16")
    row = table.get_by_role("row").filter(has_text="gemma-3n-E4B/text")
    cells = row.get_by_role("cell").all_inner_texts()
    assert cells[1:6] == ["tokens, for each layer", "262,144", "8,960", "1", "2,348,810,240"]
    assert cells[7:] == ["4.4 GiB", "24.0 KiB"]


def test_matrix_takes_the_shape_of_the_sliders(visit, lab) -> None:
    page = visit("cost?figure=matrix&vocabulary=50000&dimension=32")
    figure = page.get_by_role("region", name="Figure")
    expect(figure).to_contain_text("V × d is 50,000 × 32")
    expect(figure).to_contain_text(
        f"The open table has {len(lab.table):,} rows of {lab.table.dim} numbers, at the top left"
    )
    page.get_by_label("Dimension d").focus()
    page.keyboard.press("Home")
    expect(figure).to_contain_text("V × d is 50,000 × 8")
    expect(page.get_by_role("application", name="Rows 0–49,999, columns 0–7")).to_be_visible()


@pytest.mark.long
def test_width_grows_more_slowly_than_the_square_root(visit) -> None:
    fitted = {name: each for name, each in CATALOGUE.items() if each.num_embeddings and not each.cost.second}
    text = [model for model in fitted.values() if model.cost.model_type != "albert"]
    slope = np.polyfit(np.log([each.parameters for each in text]), np.log([each.hidden_dim for each in text]), 1)[0]
    page = visit("cost")
    page.get_by_text("model size", exact=True).click()
    figure = page.get_by_role("region", name="Figure")
    expect(figure).to_contain_text(f"fit: d ∝ N{slope:.2f} over {len(text)} models")
    expect(figure).to_contain_text(f"{10**slope:.2f} times as large, not 3.16 times")
    page.get_by_role("application", name="d and the number of parameters N").press("ArrowRight")
    smallest = min(fitted, key=lambda name: fitted[name].parameters)
    expect(figure).to_contain_text(f"{smallest}: d = {CATALOGUE[smallest].hidden_dim:,}")


def test_share_of_the_token_table_is_the_same_at_every_dimension(visit) -> None:
    page = visit("cost?dimension=768")
    page.get_by_role("region", name="Controls").get_by_text("BERT", exact=True).click()
    figure = page.get_by_role("region", name="Figure")
    for number in ("23,440,896", "393,216", "1,536", "23,835,648", "98.34 %"):
        expect(figure).to_contain_text(number)
    page.get_by_label("Dimension d").press("ArrowRight")
    expect(figure).to_contain_text(f"{30_522 * 1024:,}")
    expect(figure).to_contain_text("98.34 %")


@pytest.mark.parametrize(
    ("figure", "labels"),
    [
        ("memory", {"Vocabulary V", "Dimension d", "Tokens per step n"}),
        ("matrix", {"Vocabulary V", "Dimension d"}),
        ("widths", set()),
        ("tables", {"Dimension d"}),
    ],
)
def test_each_figure_has_the_sliders_that_change_it(visit, figure: str, labels: set[str]) -> None:
    page = visit(f"cost?figure={figure}")
    if figure != "widths":  # which has no other controls
        page.get_by_text("More controls").click()
    sliders = page.get_by_role("region", name="Controls").get_by_role("slider")
    expect(sliders).to_have_count(len(labels))
    for label in labels:
        expect(page.get_by_role("slider", name=label)).to_be_visible()
