"""The Cost page's numbers equal those of `rowspace.layers.cost` and of the table."""

import sys
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from rowspace.errors import MissingExtraError, UsageError
from rowspace.layers import CATALOGUE, cost
from rowspace_lab.lab import Lab
from rowspace_lab.server.reply import Reply

Ask = Callable[..., Reply]


def test_code_reproduces_the_reply(lab: Lab, check_code: Ask) -> None:
    for route in ("cost/figures", "cost/models", "cost/second", "cost/widths", "cost/tables", "cost/window"):
        check_code(lab, route)
    sizes = {"vocabulary": 32_000, "dimension": 4095, "tokens": 7}
    check_code(lab, "cost/figures", dtype="bfloat16", optimizer="sgd", tied="false", **sizes)
    check_code(lab, "cost/figures", dtype="int8", optimizer="adam", tied="true", **sizes)
    check_code(lab, "cost/figures", dtype="int4", optimizer="momentum", tied="false", **sizes)
    check_code(lab, "cost/window", top=3, bottom=200, left=2, right=9, height=20, width=3, by="mean")
    check_code(lab, "cost/window", vocabulary=50_257, dimension=768, by="mean")


@pytest.mark.parametrize("name", ["gpt2", "Meta-Llama-3-8B"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_figures_equal_those_of_a_published_model(lab: Lab, ask: Ask, name: str, dtype: str) -> None:
    known = CATALOGUE[name].cost
    reply = ask(
        lab,
        "cost/figures",
        vocabulary=known.num_embeddings,
        dimension=known.row_dim,
        tied=str(known.tied).lower(),
        dtype=dtype,
        tokens=5,
    )
    assert reply.arrays["parameters"].tolist() == [known.tokens, known.head]
    assert reply.arrays["operations"].tolist() == [known.head_flops(5)]
    assert reply.arrays["moved"].tolist() == [known.lookup_bytes(5, dtype=dtype)]


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int4"])
@pytest.mark.parametrize("tied", [True, False])
def test_formulas_evaluate_to_their_values(lab: Lab, ask: Ask, dtype: str, tied: bool) -> None:
    reply = ask(lab, "cost/figures", vocabulary=1001, dimension=33, dtype=dtype, tied=str(tied).lower(), tokens=3)
    for line in reply.meta["formulas"]:
        worked = line["numbers"].replace(",", "").replace("·", "*")
        assert eval(worked) == line["value"]  # our own sum
    weights = next(line["value"] for line in reply.meta["formulas"] if line["name"] == "weights")
    sizes = cost({"vocab_size": 1001, "hidden_size": 33, "tie_word_embeddings": tied}).bytes
    assert weights == sizes[dtype] == reply.arrays["training"][0]
    assert reply.arrays["by_dtype"].tolist() == [sizes[name] for name in reply.meta["dtypes"]]


def test_largest_figures(lab: Lab, check_code: Ask) -> None:
    reply = check_code(lab, "cost/figures", vocabulary=100_000_000, dimension=1_000_000, tokens=100_000_000)
    assert reply.arrays["operations"].tolist() == [2e22]
    assert reply.arrays["training"].tolist() == [4e14, 4e14, 8e14]


def test_every_text_model_is_listed_with_its_source(lab: Lab, ask: Ask) -> None:
    reply = ask(lab, "cost/models")
    names = [model["name"] for model in reply.meta["models"]]
    listed = [name for name, model in CATALOGUE.items() if model.num_embeddings and not model.cost.ngrams]
    assert names == [*listed, "GPT-3"]
    at = names.index("gpt2")
    assert reply.meta["models"][at]["source"] == CATALOGUE["gpt2"].source
    assert reply.arrays["vocabulary"][at] == 50257
    assert reply.arrays["share"][at] == CATALOGUE["gpt2"].cost.share
    assert reply.meta["models"][at]["position_scheme"] == "learned"
    assert reply.meta["models"][at]["num_layers"] == 12
    assert reply.meta["table"] == {"vocabulary": len(lab.table), "dimension": 20, "dtype": "float32"}


def test_sizes_of_gpt3_equal_those_of_its_paper(lab: Lab, ask: Ask) -> None:
    reply = ask(lab, "cost/models")
    model = reply.meta["models"][-1]
    assert (model["name"], model["num_layers"], model["source"]) == ("GPT-3", 96, "https://arxiv.org/abs/2005.14165")
    assert reply.arrays["vocabulary"][-1] * reply.arrays["dimension"][-1] == 617_558_016
    assert round(reply.arrays["whole"][-1] / 1e9) == 175  # billion, table 2.1


def test_second_tables_have_the_sizes_of_their_configs(lab: Lab, ask: Ask) -> None:
    reply = ask(lab, "cost/second", tokens=100, dtype="float32")
    found = {model["name"]: index for index, model in enumerate(reply.meta["models"])}
    assert found.keys() == {"gemma-3n-E4B/text", "blt-1b-hf"}
    gemma, blt = (reply.meta["models"][index] for index in found.values())
    assert (gemma["rows"], gemma["dimension"], gemma["reads"]) == (262_144, 35 * 256, 1)
    assert (blt["rows"], blt["dimension"], blt["reads"]) == (6 * 500_002, 1024, 6)
    for name, index in found.items():
        known, model = CATALOGUE[name], reply.meta["models"][index]
        assert model["source"] == known.source
        assert reply.arrays["parameters"][index] == model["rows"] * model["dimension"]
        assert reply.arrays["whole"][index] == known.parameters
        assert reply.arrays["disk"][index] == 4 * model["rows"] * model["dimension"]
        pages = (4 * model["dimension"] - 2) // 4096 + 2  # of a row
        assert reply.arrays["memory"][index] == 100 * model["reads"] * pages * 4096


def test_slope_equals_the_regression_of_scipy(lab: Lab, ask: Ask) -> None:
    reply = ask(lab, "cost/widths")
    text = {name: model for name, model in CATALOGUE.items() if model.num_embeddings and not model.cost.second}
    assert reply.meta["models"] == list(text)
    used = [model for name, model in text.items() if "albert" not in name]
    assert len(used) == reply.arrays["used"].sum() == 103
    found = stats.linregress(
        np.log10([model.parameters for model in used]), np.log10([model.hidden_dim for model in used])
    )
    assert reply.meta["slope"] == pytest.approx(found.slope)
    assert reply.meta["factor"] == pytest.approx(10**found.intercept)
    assert round(found.slope, 2) == 0.40
    every = stats.linregress(
        np.log([model.parameters for model in text.values()]), np.log([model.hidden_dim for model in text.values()])
    )
    assert reply.meta["slope_of_all"] == pytest.approx(every.slope)
    ratios = np.log([model.hidden_dim / model.parameters**0.5 for model in used])
    assert reply.meta["root_factor"] == pytest.approx(stats.gmean(np.exp(ratios)))
    assert reply.meta["root_spread"] == pytest.approx(np.exp(ratios.std()))
    assert reply.meta["root_spread"] > reply.meta["spread"]


def test_three_tables_of_bert(lab: Lab, ask: Ask) -> None:
    reply = ask(lab, "cost/tables")
    assert reply.arrays["rows"].tolist() == [30_522, 512, 2]
    assert reply.arrays["parameters"].tolist() == [23_440_896, 393_216, 1_536]
    assert reply.arrays["parameters"].sum() == 23_835_648
    assert f"{reply.meta['share']:.2%}" == "98.34%"
    wide = ask(lab, "cost/tables", dimension=4096)
    assert wide.meta["share"] == reply.meta["share"] == 30_522 / 31_036
    assert wide.arrays["parameters"].tolist() == [30_522 * 4096, 512 * 4096, 2 * 4096]


def test_matrix_has_the_requested_size_and_is_empty_beyond_the_table(lab: Lab, ask: Ask) -> None:
    size = {"vocabulary": len(lab.table) + 2, "dimension": 23}
    reply = ask(lab, "cost/window", **size, top=len(lab.table) - 2, height=4, width=23)
    values = reply.arrays["values"]
    np.testing.assert_array_equal(values[:2, :20], lab.table.rows[-2:])
    assert np.isnan(values[2:]).all()
    assert np.isnan(values[:, 20:]).all()
    assert reply.meta["tokens"] == [*lab.table.vocabulary[-2:], "", ""]
    assert (reply.meta["rows"], reply.meta["columns"]) == (len(lab.table) + 2, 23)
    outside = ask(lab, "cost/window", **size, left=20)
    assert np.isnan(outside.arrays["values"]).all()
    smaller = ask(lab, "cost/window", vocabulary=3, dimension=2)
    np.testing.assert_array_equal(smaller.arrays["values"], lab.table.rows[:3, :2])


@pytest.mark.parametrize(("vocabulary", "dimension"), [(50_257, 768), (7, 4), (6, 3), (1_000_000, 3)])
def test_no_cell_mixes_the_table_with_the_outside(
    small_lab: Callable[..., Lab], ask: Ask, vocabulary: int, dimension: int
) -> None:
    rows = np.arange(18, dtype=np.float32).reshape(6, 3)
    size = {"vocabulary": vocabulary, "dimension": dimension, "by": "mean"}
    reply = ask(small_lab(list("abcdef"), rows), "cost/window", **size)
    for edges, inside, end in (("row_edges", 6, vocabulary), ("column_edges", 3, dimension)):
        found = reply.arrays[edges]
        assert (found[0], found[-1]) == (0, end)
        assert (np.diff(found) > 0).all()
        assert inside in found
    seen = np.nanmean(reply.arrays["values"])
    assert rows.min() <= seen <= rows.max()


def test_figures_without_torch_name_the_extra(lab: Lab, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("rowspace.layers")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    for route in ("cost/figures", "cost/models"):
        with pytest.raises(MissingExtraError, match=r"pip install 'rowspace\[torch\]'"):
            ask(lab, route)
    assert ask(lab, "cost/window").arrays["values"].shape == (256, 20)


def test_window_of_single_numbers_has_their_tokens(lab: Lab, ask: Ask) -> None:
    reply = ask(lab, "cost/window", top=5, bottom=9, left=1, right=3)
    np.testing.assert_array_equal(reply.arrays["values"], lab.table.rows[5:9, 1:3])
    assert reply.meta["tokens"] == lab.table.vocabulary[5:9]
    assert reply.arrays["row_edges"].tolist() == [5, 6, 7, 8, 9]


def test_nearly_all_numbers_are_below_the_limit(lab: Lab, ask: Ask) -> None:
    limit = ask(lab, "cost/window").meta["limit"]
    assert limit == pytest.approx(np.quantile(np.abs(lab.table.rows), 0.995), rel=1e-3)


def test_awkward_tables(small_lab: Callable[..., Lab], ask: Ask, check_code: Ask) -> None:
    tokens = ["<script>" * 100, "שלום", "e\u0301"]
    rows = np.array([[np.nan, np.inf], [np.nan, np.nan], [1.0, -2.0]])
    odd = small_lab(tokens, rows)
    reply = check_code(odd, "cost/window", by="mean", height=2)
    assert reply.meta["tokens"] == tokens[:2]
    assert np.isnan(reply.arrays["values"][0, 0])


def test_table_of_one_number_and_table_without_finite_numbers(small_lab: Callable[..., Lab], ask: Ask) -> None:
    assert ask(small_lab(["a"], np.ones((1, 1))), "cost/window").arrays["values"].tolist() == [[1.0]]
    nothing = small_lab(["b"], np.full((1, 1), np.nan))
    assert ask(nothing, "cost/window").meta["limit"] == 0


@pytest.mark.parametrize(
    ("route", "parameters", "message"),
    [
        ("cost/figures", {"vocabulary": 0}, "vocabulary must be a whole number from 1 to 100,000,000, not '0'"),
        ("cost/figures", {"dtype": "float8"}, "dtype must be one of float32, bfloat16, float16, int8, int4"),
        ("cost/figures", {"optimizer": "lion"}, "optimizer must be one of adamw"),
        ("cost/window", {"top": 10**7}, "top must be a whole number from 0 to"),
        ("cost/window", {"top": 5, "bottom": 5}, "bottom must be a whole number from 6 to"),
        ("cost/window", {"right": 21}, "right must be a whole number from 1 to 20"),
        ("cost/window", {"height": 513}, "height must be a whole number from 1 to 512"),
        ("cost/window", {"by": "median"}, "by must be one of mean, sample"),
    ],
)
def test_invalid_parameters_are_refused(
    lab: Lab, ask: Ask, route: str, parameters: dict[str, object], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        ask(lab, route, **parameters)
