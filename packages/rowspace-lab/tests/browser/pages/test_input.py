"""The Input page in a browser."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch
import transformers as tf
from playwright.sync_api import Page, expect
from tests.browser.conftest import serving, url_of
from tests.browser.whole_page import expect_accessible
from tests.checkpoints import SIZES, WORDS, save_model

from rowspace_lab.app import make_app

pytestmark = pytest.mark.browser

LOADED = "section[aria-label=Figure][aria-busy=false]"
TEXT = "read the list"


def column(page: Page, name: str) -> np.ndarray:
    """A column of the table under the figure."""
    expect(page.locator(LOADED)).to_be_attached()
    table = page.get_by_role("table").first
    at = table.locator("thead th").all_inner_texts().index(name)
    cells = table.locator(f"tbody tr td:nth-child({at + 1})").all_inner_texts()
    return np.array([float(cell.replace("\u2212", "-").replace(",", "")) for cell in cells])


def shown(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}")


@pytest.mark.long
def test_parts_can_be_switched_off(visit, lab) -> None:
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


@pytest.mark.long
def test_norm_and_dropout_can_be_switched(visit) -> None:
    page = visit(f"input?text={TEXT}&recipe=bert&dropout=true&seed=3")
    before, after = column(page, "after LayerNorm"), column(page, "after dropout")
    np.testing.assert_allclose(after, np.where(after != 0, before / 0.9, 0), atol=2e-3)
    page.get_by_role("button", name="Draw again").click()
    page.wait_for_url("**&seed=4")
    expect(page.get_by_label("Seed of dropout")).to_have_value("4")
    assert (column(page, "after dropout") != after).any()
    page.get_by_label("LayerNorm", exact=True).uncheck()
    page.wait_for_url("**&norm=false**")
    expect(page.get_by_role("table").first).not_to_contain_text("after LayerNorm")
    dropped, total = column(page, "after dropout"), column(page, "sum")
    np.testing.assert_allclose(dropped, np.where(dropped != 0, total / 0.9, 0), atol=2e-3)
    page.get_by_role("checkbox", name="dropout of training").uncheck()
    expect(page.get_by_label("Seed of dropout")).to_have_count(0)


@pytest.mark.long
def test_every_recipe_lists_its_steps(visit, unfold) -> None:
    page = visit(f"input?text={TEXT}")
    unfold("More controls")
    recipe = page.get_by_label("Recipe")
    names = recipe.locator("option").all_inner_texts()
    assert len(names) == 16
    for name in names:
        recipe.select_option(name)
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
        expect(page.get_by_text("the token's row").first).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.long
def test_recipe_without_added_positions_explains_where_they_are(visit) -> None:
    page = visit("input?recipe=llama")
    expect(
        page.get_by_text("no position embedding: attention rotates queries and keys by their positions")
    ).to_be_visible()
    expect(page.get_by_label("Position of the first token")).to_have_count(0)


@pytest.mark.long
def test_arrow_keys_move_the_position(visit) -> None:
    page = visit(f"input?text={TEXT}&recipe=transformer")
    expect(page.get_by_label("Position of the first token")).to_have_value("0")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**&start=1")
    expect(page.get_by_role("table").locator("tbody td").nth(3)).to_have_text(f"{np.sin(1):.3f}")
    page.reload()
    expect(page.get_by_label("Position of the first token")).to_have_value("1")


@pytest.mark.long
def test_click_chooses_a_token(visit, lab) -> None:
    page = visit(f"input?text={TEXT}&recipe=gpt2")
    page.get_by_role("button", name="list").click()
    expect(page.get_by_role("table")).to_contain_text("The parts of “list”")
    np.testing.assert_allclose(column(page, "token"), lab.table["list"][:12], atol=6e-4)


def test_concatenation_is_wider_and_needs_a_projection(visit) -> None:
    page = visit(f"input?text={TEXT}&view=concatenation&width=6")
    expect(page.get_by_role("heading", name="Concatenation: 20 + 6 = 26 numbers")).to_be_visible()
    expect(page.get_by_text("Here both are exactly equal.")).to_be_visible()
    assert column(page, "width").tolist() == [20, 26, 20]
    assert column(page, "projection").tolist() == [0, 0, 26 * 20]
    page.get_by_label("Width of the position").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="Concatenation: 20 + 8 = 28 numbers")).to_be_visible()


def test_norms_match_the_lesson(visit, unfold) -> None:
    page = visit("input?view=scale&rows=drawn")
    figure = page.get_by_role("region", name="Figure")
    expect(figure).to_contain_text("16.0 : 1")
    expect(figure).to_contain_text("√(d/2) = 16.00")
    unfold("More controls")
    page.get_by_role("button", name="√d").click()
    expect(figure).to_contain_text("1 : 1.4")
    page.wait_for_url("**&scale=22.627")


@pytest.mark.long
def test_first_loss_of_initial_rows(visit, lab, ask, unfold) -> None:
    page = visit("input?view=initial")
    loss = page.get_by_label("First loss", exact=True).first
    expect(loss).to_have_text("87.5")
    unfold("More controls")
    page.get_by_role("button", name="0.02").click()
    page.wait_for_url("**&std=0.02")
    expect(loss).to_have_text(f"{ask(lab, 'input/initial', std=0.02).meta['loss']:.1f}")
    expect(page.get_by_label("Loss of blind guessing")).to_have_text("9.21")


def test_norms_match_the_table(visit, lab) -> None:
    page = visit(f"input?view=scale&text={TEXT}&scale=2")
    expect(page.get_by_role("table").first).to_contain_text("mean of all rows")
    norms = [lab.table.norms.mean(), *lab.table.norms[lab.table.ids(TEXT.split())]]
    np.testing.assert_allclose(column(page, "norm"), norms, atol=6e-4)
    np.testing.assert_allclose(column(page, "position : row × s"), 10**0.5 / np.multiply(norms, 2), rtol=2e-3)


@pytest.mark.long
def test_example_of_four_numbers(visit, unfold) -> None:
    page = visit("input?view=scale")
    unfold("More controls")
    page.get_by_role("button", name="Example with d = 4").click()
    expect(page.get_by_label("Cosine with the row")).to_have_text("0.691")
    expect(page.get_by_label("Cosine with the position")).to_have_text("0.927")
    page.get_by_role("button", name="√d", exact=True).click()  # 2
    expect(page.get_by_label("Cosine with the row")).to_have_text("0.835")
    expect(page.get_by_label("Cosine with the position")).to_have_text("0.820")
    expect(page.get_by_text("One row cannot be compared with others.")).to_be_visible()


def test_single_row_has_one_curve_and_one_name(visit, unfold) -> None:
    page = visit("input?view=scale&rows=example")
    expect(page.get_by_text("One row cannot be compared with others.")).to_be_visible()
    expect(page.get_by_text("one token, two positions")).to_be_visible()
    expect(page.get_by_text("two tokens, one position")).to_have_count(0)


def test_tokens_look_alike_below_the_scale_of_positions(visit, lab, ask, unfold) -> None:
    page = visit(f"input?view=scale&text={TEXT}")
    slider = page.get_by_label("Scale s of the rows")
    slider.focus()
    page.keyboard.press("Home")
    page.wait_for_url("**&scale=0.01")
    expect(page.get_by_text("Yes: the position drowns the token.")).to_be_visible()
    unfold("More controls")
    for button in ("1", "√(d/2)"):
        page.get_by_role("button", name=button, exact=True).click()
    page.wait_for_url("**&scale=3.162")
    reply = ask(lab, "input/scale", text=TEXT, scale=3.162)
    expect(page.get_by_label("Different tokens")).to_have_text(f"{reply.meta['alike_tokens']:.3f}")
    expect(page.get_by_label("Different positions")).to_have_text(f"{reply.meta['alike_positions']:.3f}")
    scalers = page.get_by_role("table", name="Who scales the rows, and why")
    expect(scalers.get_by_role("row", name="gemma")).to_contain_text("× √d")


@pytest.mark.refused
def test_text_without_known_words_shows_an_error(visit) -> None:
    page = visit(f"input?text={TEXT}")
    page.get_by_label("Text", exact=True).fill("zyzzyva")
    expect(page.get_by_role("alert")).to_contain_text("no token of this text has a row in the table")


@pytest.mark.long
@pytest.mark.parametrize("state", ["recipe=bert", "view=concatenation&position=learned", "view=scale&rows=drawn"])
def test_every_view_is_accessible(visit, state: str) -> None:
    page = visit(f"input?{state}")
    expect_accessible(page, dark=False)


class TestOpenCheckpoint:
    """With a tiny BERT of transformers open."""

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls) -> tf.BertModel:
        config = tf.BertConfig(**SIZES, vocab_size=len(WORDS), hidden_size=8, max_position_embeddings=16)
        return tf.BertModel(config)

    @pytest.fixture(scope="class")
    @classmethod
    def lab_url(cls, model: tf.BertModel, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
        with serving(make_app(save_model(model, tmp_path_factory.mktemp("bert")))) as server:
            yield url_of(server)

    def test_parts_and_their_sum_are_those_of_transformers(self, visit, model: tf.BertModel) -> None:
        page = visit("input?text=the cat sat")
        expect(page.get_by_role("heading", name="The open checkpoint")).to_be_visible()
        page.get_by_role("button", name="sat").click()
        page.keyboard.press("ArrowRight")
        page.wait_for_url("**&start=1")  # so "sat" is at position 3; it is in the second segment
        ids = torch.tensor([[WORDS.index(word) for word in ("the", "cat", "sat")]])
        segments, positions = torch.tensor([[0, 1, 1]]), torch.tensor([[1, 2, 3]])
        tables = model.embeddings
        with torch.no_grad():
            token, segment, position, output = (
                tables.word_embeddings(ids)[0, 2],
                tables.token_type_embeddings(segments)[0, 2],
                tables.position_embeddings(positions)[0, 2],
                tables(ids, token_type_ids=segments, position_ids=positions)[0, 2],
            )
        parts = page.get_by_role("table", name="The parts of “sat”")
        names = parts.locator("thead th").all_inner_texts()
        for name, values in {
            "token": token,
            "segment": segment,
            "position": position,
            "sum": token + segment + position,
            "after LayerNorm": output,
        }.items():
            cells = parts.locator(f"tbody td:nth-child({names.index(name) + 1})")
            expect(cells).to_have_text([shown(value) for value in values.tolist()])

    @pytest.mark.long
    def test_tables_have_their_sizes_norms_and_angle(self, visit, unfold, model: tf.BertModel) -> None:
        page = visit("input?text=the cat sat")
        own = page.get_by_role("table", name="The tables of the open bert checkpoint")
        tables = model.embeddings
        token, segment, position = (
            each.weight.detach().numpy()
            for each in (tables.word_embeddings, tables.token_type_embeddings, tables.position_embeddings)
        )
        expected = []
        for name, rows in (("tokens", token), ("segments", segment), ("positions", position)):
            mean_norm = np.linalg.norm(rows, axis=1).mean()
            expected += [name, str(len(rows)), str(rows.size), shown(mean_norm, 2)]
        expect(own.get_by_role("cell")).to_have_text(expected)
        unit_token, unit_position = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (token, position))
        cosine = np.abs(unit_token @ unit_position.T).mean()
        expect(page.get_by_label("Mean cosine", exact=True)).to_have_text(shown(cosine))
        expect(page.get_by_text(f"random directions of 8 numbers have {(2 / (8 * np.pi)) ** 0.5:.3f}")).to_be_visible()
        unfold("More controls")
        page.get_by_label("Recipe").select_option("bert")
        expect(page.get_by_text("The segments and positions are untrained")).to_be_visible()
        expect(own).to_have_count(0)
