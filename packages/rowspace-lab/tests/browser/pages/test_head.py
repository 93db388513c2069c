"""The Head page in a browser."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch
import transformers as tf
from playwright.sync_api import Locator, Page, expect
from scipy import special, stats
from tests.browser.conftest import serving, url_of
from tests.checkpoints import IDS, SIZES, WORDS, save_model
from tests.short_runs import train_short

import rowspace as rs
from rowspace.layers import CATALOGUE, TiedHead, UntiedHead
from rowspace.table import Table
from rowspace_lab.app import make_app
from rowspace_lab.experiments import read_events
from rowspace_lab.lab import Lab
from rowspace_lab.pages.training.runs import run_path

pytestmark = pytest.mark.browser

LOADED = "section[aria-label=Figure][aria-busy=false]"


def cells(table: Locator) -> list[list[str]]:
    """The texts of a table's cells, once the page has loaded."""
    expect(table.page.locator(LOADED)).to_be_attached()
    return [line.get_by_role("cell").all_inner_texts() for line in table.locator("tbody tr").all()]


def probabilities(page: Page) -> Locator:
    return page.get_by_role("table", name="From dot product to probability")


def shown(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}")


@pytest.mark.long
def test_four_words_show_their_numbers(visit) -> None:
    page = visit("head")
    page.get_by_text("More controls").click()
    page.get_by_text("four words", exact=True).click()
    expect(probabilities(page)).to_contain_text("on")
    vectors = {"cat": (0.8, -0.2, 0.4), "the": (0.5, 0.3, -0.1), "sat": (0.1, 0.9, 0.3), "on": (-0.3, 0.5, 0.6)}
    logits, shares = (0.58, 0.3, 0.24, 0.05), ("0.3272", "0.2473", "0.2329", "0.1926")
    assert [line[1:] for line in cells(probabilities(page))] == [
        [row, *(shown(value, 2) for value in vector), shown(logit, 3), shown(logit, 3), share]
        for (row, vector), logit, share in zip(vectors.items(), logits, shares, strict=True)
    ]
    page.wait_for_url("**/head?source=example")


def test_probabilities_match_the_head(visit, lab) -> None:
    page = visit("head?word=sin&temperature=0.5&softcap=5&k=5")
    expect(probabilities(page).locator("tbody tr")).to_have_count(5)
    head = TiedHead(torch.nn.Embedding.from_pretrained(torch.tensor(lab.table.rows)), softcap=5, temperature=0.5)
    every = head(torch.tensor(lab.table["sin"])).double()
    logits, ids = every.sort(descending=True, stable=True)
    found = cells(probabilities(page))
    assert [line[1] for line in found] == [lab.table.vocabulary[row] for row in ids[:5]]
    assert [line[3] for line in found] == [shown(logit, 3) for logit in logits[:5].tolist()]
    for line, share in zip(found, every.softmax(0)[ids[:5]].tolist(), strict=True):
        assert float(line[4]) == pytest.approx(share, abs=10.0 ** -len(line[4].split(".")[1]))


def test_slider_changes_probabilities_and_url(visit) -> None:
    page = visit("head?source=example")
    expect(probabilities(page)).to_contain_text("on")
    expect(page.get_by_label("h[1]")).to_be_hidden()
    page.get_by_text("Change it").click()
    page.get_by_label("h[1]").focus()
    for _ in range(69):  # hundredths: from 0.10 to 0.79
        page.keyboard.press("ArrowRight")
    expect(probabilities(page).locator("tbody tr").first).to_contain_text("sat")
    page.wait_for_url("**values=0.6%2C0.79%2C0.3**")
    before = cells(probabilities(page))
    assert before[0][-2] == shown(0.6 * 0.1 + 0.79 * 0.9 + 0.3 * 0.3, 3)
    page.reload()
    expect(probabilities(page).locator("tbody tr").first).to_contain_text("sat")
    assert cells(probabilities(page)) == before
    page.get_by_role("button", name="Reset to the example").press("Enter")
    page.wait_for_url("**/head?source=example&temperature=1")  # which a moved slider keeps
    expect(probabilities(page).locator("tbody tr").first).to_contain_text("cat")


@pytest.mark.long
def test_untied_head_is_untrained(visit, lab) -> None:
    page = visit("head?word=sin")
    figure = page.get_by_role("region", name="Figure")
    expect(figure).to_contain_text("The tied head uses the table as its matrix")
    page.get_by_text("More controls").click()
    page.get_by_text("untied", exact=True).first.click()
    expect(figure).to_contain_text("It is untrained")
    page.wait_for_url("**&head=untied")
    head = UntiedHead(lab.table.dim, len(lab.table))
    head.reset_parameters(torch.Generator().manual_seed(0))
    likeliest = head(torch.tensor(lab.table["sin"])).argsort(descending=True)[:10].tolist()
    expect(probabilities(page).locator("tbody td:first-child")).to_have_text([f"{row:,}" for row in likeliest])


def test_savings_of_tying_match_table_and_models(visit, lab) -> None:
    page = visit("head?figure=matrices&dtype=bfloat16")
    figure = page.get_by_role("region", name="Figure")
    expect(figure).to_contain_text(f"{lab.table.rows.size:,} parameters, {lab.table.rows.size * 2 / 2**10:.1f} KiB")
    models = page.get_by_role("table", name="The head’s matrix in published models")
    largest = cells(models)[0]
    model = CATALOGUE[largest[0]]
    assert largest[1:5] == [
        "tied",
        f"{model.num_embeddings:,}",
        f"{model.cost.row_dim:,}",
        f"{model.cost.head_matrix:,}",
    ]
    share = model.cost.head_matrix / (model.parameters + model.cost.head_matrix)
    assert largest[6] == f"{share:.1%}".replace("%", " %")


def test_click_on_a_token_stacks_its_logit(visit, lab) -> None:
    page = visit("head?word=sin")
    figure = page.get_by_role("region", name="Figure")
    expect(figure.get_by_role("heading", name="The logit of")).to_be_visible()
    second = figure.get_by_role("list").first.get_by_role("listitem").nth(1).get_by_role("button")
    token = second.inner_text()
    second.click()
    expect(figure.get_by_role("heading", name=f"The logit of {token}")).to_be_visible()
    terms = lab.table["sin"].astype(float) * lab.table[token]
    order = np.argsort(-np.abs(terms), kind="stable")
    stack = page.get_by_role("table", name="The terms of the logit of")
    expect(stack.locator("tbody td:first-child")).to_have_text([str(dim) for dim in order[:12]])
    expect(stack.locator("tbody td:nth-child(4)")).to_have_text([shown(term, 4) for term in terms[order[:12]]])
    expect(figure.get_by_role("list").nth(1).get_by_role("listitem").last).to_contain_text(shown(terms.sum(), 3))
    page.wait_for_url(f"**row={lab.table.id(token)}**")


def test_page_opens_where_one_row_wins(visit, lab) -> None:
    page = visit("head?word=sin")
    temperature = float(page.locator("label").filter(has_text="Temperature").locator("output").inner_text())
    products = lab.table.rows.astype(float) @ lab.table["sin"].astype(float)
    shares = special.softmax(products / temperature)
    assert shares.max() >= 0.5
    share = stats.entropy(shares) / np.log(len(shares))
    expect(page.get_by_role("img", name=f"Entropy: {100 * share:.1f} % of the largest")).to_be_visible()


@pytest.mark.long
def test_arrow_keys_step_through_models(visit) -> None:
    page = visit("head?figure=matrices")
    page.get_by_role("application", name="published models").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("region", name="Figure")).to_contain_text("an untied head’s matrix is 40.8 % of the model")


@pytest.mark.refused
@pytest.mark.long
def test_unknown_word_suggests_similar_spellings(visit) -> None:
    page = visit("head")
    page.keyboard.press("/")
    page.keyboard.type("typeerorr")
    expect(page.get_by_role("alert")).to_contain_text("did you mean 'typeerror'")


class TestWithoutRuns:
    """With a server on which no test has trained a model."""

    @pytest.fixture(scope="class")
    @classmethod
    def lab_url(cls, learned: tuple[Table, str]) -> Iterator[str]:
        with serving(make_app(Lab(*learned))) as server:
            yield url_of(server)

    @pytest.mark.long
    def test_parameters_follow_the_switch(self, visit, learned) -> None:
        page = visit("head")
        page.get_by_text("one matrix or two", exact=True).click()
        numbers = learned[0].rows.size
        expect(page.get_by_role("heading", name=f"One matrix, read twice: {numbers:,} parameters")).to_be_visible()
        page.get_by_text("untied", exact=True).first.click()
        expect(page.get_by_role("heading", name=f"Two matrices: {2 * numbers:,} parameters")).to_be_visible()
        page.get_by_role("link", name="Training page").click()
        page.wait_for_url("**/training**")

    @pytest.mark.long
    def test_evidence_is_missing_until_runs_differ_in_tying_only(self, visit) -> None:
        page = visit("head?figure=matrices")
        evidence = page.get_by_role("region", name="Tied or untied: what your runs say")
        expect(evidence).to_contain_text("No runs to compare yet.")
        evidence.get_by_role("link", name="Training page").click()
        page.wait_for_url("**/training")


class TestOpenCheckpoint:
    """With a tiny Phi of transformers open, whose head is untied and has a bias."""

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls) -> tf.PhiForCausalLM:
        return tf.PhiForCausalLM(tf.PhiConfig(**SIZES, **IDS, vocab_size=len(WORDS), hidden_size=8))

    @pytest.fixture(scope="class")
    @classmethod
    def lab_url(cls, model: tf.PhiForCausalLM, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
        with serving(make_app(save_model(model, tmp_path_factory.mktemp("phi")))) as server:
            yield url_of(server)

    @pytest.fixture(scope="class")
    @classmethod
    def products(cls, model: tf.PhiForCausalLM) -> torch.Tensor:
        """The output of the model's own head for the row of "picture", whose logits have no ties."""
        with torch.no_grad():
            return model.lm_head(model.get_input_embeddings().weight[WORDS.index("picture")])

    @pytest.mark.long
    def test_logits_are_those_of_its_own_head(self, visit, products: torch.Tensor) -> None:
        page = visit("head?word=picture&temperature=2")
        page.get_by_text("More controls").click()
        page.get_by_text("untied", exact=True).first.click()
        expect(page.get_by_text("This untied head is the one of the open checkpoint, with its bias.")).to_be_visible()
        order = products.argsort(descending=True)[:10]
        lines = probabilities(page).locator("tbody")
        expect(lines.locator("td:first-child")).to_have_text([str(id) for id in order.tolist()])
        for place, values in ((3, products[order]), (2, products[order] / 2)):  # from the end: before and after T = 2
            expect(lines.locator(f"td:nth-last-child({place})")).to_have_text(
                [shown(each, 3) for each in values.tolist()]
            )
        shares = (products.double() / 2).softmax(0)[order].tolist()
        assert [float(line[-1]) for line in cells(probabilities(page))] == pytest.approx(shares, abs=1e-4)
        expect(probabilities(page).locator("thead th").nth(-3)).to_have_text("h · row + bias")

    @pytest.mark.long
    def test_terms_and_parameters_include_its_bias(
        self, visit, model: tf.PhiForCausalLM, products: torch.Tensor
    ) -> None:
        page = visit("head?word=picture&head=untied")
        figure = page.get_by_role("region", name="Figure")
        figure.get_by_role("list").first.get_by_role("button", name="dog", exact=True).click()
        expect(figure.get_by_role("heading", name="The logit of dog")).to_be_visible()
        dog, (bias, total) = WORDS.index("dog"), figure.get_by_role("list").nth(1).get_by_role("listitem").all()[-2:]
        expect(bias).to_contain_text("bias of the row")
        expect(bias.locator("output")).to_have_text(shown(float(model.lm_head.bias.detach()[dog]), 3))
        expect(total.locator("output")).to_have_text(shown(float(products[dog]), 3))
        page.get_by_text("one matrix or two", exact=True).click()
        size = 8 * len(WORDS)
        expect(page.get_by_role("heading", name=f"Two matrices: {2 * size + len(WORDS)} parameters")).to_be_visible()
        expect(figure).to_contain_text(f"{size} + {size} + {len(WORDS)} = {2 * size + len(WORDS)} parameters")
        expect(figure).to_contain_text("W and b are those of the open checkpoint.")


class TestTrainedRuns:
    """With a tied and an untied run of the Training page."""

    @pytest.fixture(scope="class")
    @classmethod
    def trained_lab(cls) -> Lab:
        lab = Lab(rs.Table(["a", "b"], np.eye(2, dtype=np.float32)), "some-table")
        for run in ("base", "untied"):
            train_short(lab, run)
        return lab

    @pytest.fixture(scope="class")
    @classmethod
    def lab_url(cls, trained_lab: Lab) -> Iterator[str]:
        with serving(make_app(trained_lab)) as server:
            yield url_of(server)

    @pytest.mark.long
    def test_bars_have_the_held_out_bits_of_each_run(self, visit, trained_lab: Lab) -> None:
        measured = []
        for run in ("base", "untied"):
            with read_events(run_path(trained_lab, run)) as events:
                measured.append(events.held_out()[-1][1])
        page = visit("head?figure=matrices")
        evidence = page.get_by_role("region", name="Tied or untied: what your runs say")
        expect(evidence).to_contain_text("Held-out bits per byte after 6 steps")
        lines = evidence.get_by_role("listitem")
        expect(lines.locator("span:first-child")).to_have_text(["base, tied", "untied, untied"])
        expect(lines.locator("output")).to_have_text([shown(bits, 3) for bits in measured])
        for line, bits in zip(lines.all(), measured, strict=True):
            bar, track = line.locator("i").bounding_box(), line.locator("span").nth(1).bounding_box()
            assert bar is not None
            assert track is not None
            assert bar["width"] / track["width"] == pytest.approx(bits / max(measured), abs=2e-3)
