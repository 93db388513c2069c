"""Logits, probabilities and entropy equal those of `rowspace.layers`; invalid input is refused."""

import sys

import numpy as np
import pytest
import torch
from scipy import special, stats

from rowspace.errors import MissingExtraError, UnknownTokenError, UsageError
from rowspace.layers import TiedHead

LOGITS, TYING = "head/logits", "head/tying"


def test_logits_of_four_words_equal_those_computed_by_hand(lab, check_code) -> None:
    reply = check_code(lab, LOGITS, source="example")
    assert reply.meta["tokens"] == ["cat", "the", "sat", "on"]
    np.testing.assert_allclose(reply.arrays["logits"], [0.58, 0.30, 0.24, 0.05], atol=1e-6)
    np.testing.assert_allclose(reply.arrays["hidden"], [0.6, 0.1, 0.3], atol=1e-7)
    assert reply.meta["half"] == 2  # .33 and .25
    np.testing.assert_allclose(reply.arrays["vectors"][0], [0.8, -0.2, 0.4], atol=1e-7)
    own = check_code(lab, LOGITS, source="example", head="untied").arrays
    np.testing.assert_allclose(own["vectors"] @ own["hidden"], own["logits"], atol=1e-7)
    np.testing.assert_allclose(reply.arrays["probabilities"], special.softmax([0.58, 0.30, 0.24, 0.05]), atol=1e-6)


@pytest.mark.parametrize("settings", [{}, {"softcap": 2.5, "temperature": 0.3}, {"temperature": 40, "k": 3}])
def test_tied_logits_equal_those_of_the_head(lab, check_code, settings: dict[str, float]) -> None:
    reply = check_code(lab, LOGITS, word="sin", **{"temperature": 1, **settings})
    rows = torch.tensor(lab.table.rows)
    options = {"softcap": settings.get("softcap"), "temperature": settings.get("temperature", 1)}
    every = TiedHead(torch.nn.Embedding.from_pretrained(rows), **options)(torch.tensor(lab.table["sin"]))
    ids = reply.arrays["ids"]
    np.testing.assert_array_equal(reply.arrays["logits"], every[ids].double().detach())
    np.testing.assert_allclose(reply.arrays["products"], lab.table.rows[ids] @ lab.table["sin"], rtol=1e-5)
    assert ids.tolist() == every.argsort(descending=True, stable=True)[: settings.get("k", 10)].tolist()


def test_entropy_and_mass_equal_those_of_scipy(lab, ask) -> None:
    reply = ask(lab, LOGITS, word="sin", k=5, temperature=1)
    probabilities = special.softmax(lab.table.rows.astype(float) @ lab.table["sin"].astype(float))
    np.testing.assert_allclose(reply.arrays["probabilities"], np.sort(probabilities)[::-1][:5], rtol=1e-4)
    np.testing.assert_allclose(reply.meta["entropy"], stats.entropy(probabilities, base=2), rtol=1e-5)
    np.testing.assert_allclose(reply.meta["beyond"], 1 - np.sort(probabilities)[-5:].sum(), rtol=1e-4)
    held = np.sort(probabilities)[::-1].cumsum()
    np.testing.assert_allclose(reply.arrays["mass"], held[reply.arrays["ranks"] - 1], rtol=1e-4)
    assert reply.arrays["ranks"][[0, -1]].tolist() == [1, len(lab.table)]
    assert abs(held[reply.meta["half"] - 1] - 0.5) < 1e-2


def test_sliders_control_the_largest_numbers(lab, check_code) -> None:
    row = lab.table["sin"]
    at_rest = check_code(lab, LOGITS, word="sin")
    assert at_rest.meta["dims"] == sorted(np.argsort(-np.abs(row))[:6].tolist())
    assert "vectors" not in at_rest.arrays
    moved = check_code(lab, LOGITS, word="sin", dims="3,0", values="-1.5,99")
    expected = row.copy()
    expected[[3, 0]] = [-1.5, 99]
    assert moved.arrays["hidden"].tolist() == expected.tolist()
    assert moved.meta["bound"] == 99


def test_untied_head_is_reproducible_and_leaves_the_global_generator_unchanged(lab, check_code, ask) -> None:
    torch.manual_seed(7)
    before = torch.get_rng_state()
    reply = ask(lab, LOGITS, word="sin", head="untied", softcap=3)
    assert torch.equal(torch.get_rng_state(), before)
    assert reply.arrays["ids"].tolist() == check_code(lab, LOGITS, word="sin", head="untied").arrays["ids"].tolist()
    assert np.log2(len(lab.table)) - reply.meta["entropy"] < 0.05


@pytest.mark.parametrize("head", ["tied", "untied"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_row_of_one_number_gets_a_reply(small_lab, check_code, head: str, dtype: type) -> None:
    reply = check_code(small_lab(["<script>"], np.zeros((1, 1), dtype)), LOGITS, head=head)
    assert (reply.meta["tokens"], reply.meta["bound"], reply.meta["entropy"]) == (["<script>"], 1.0, 0.0)
    assert reply.arrays["mass"].tolist() == [1.0]


def test_rows_without_a_finite_logit_are_excluded_and_counted(small_lab, check_code, ask) -> None:
    rows = np.array([[np.nan, 1], [1, 1], [np.inf, 0], [1e300, 0], [0, 1]])
    lab = small_lab(["nan", "שלום", "inf", "vast", "e"], rows)
    reply = check_code(lab, LOGITS)
    assert (reply.meta["word"], reply.meta["tokens"], reply.meta["lost"]) == ("שלום", ["שלום", "e"], 3)
    assert reply.arrays["mass"].tolist() == [*np.array(reply.arrays["probabilities"]).cumsum(), 1.0, 1.0, 1.0]
    for word in ("nan", "inf", "vast"):
        with pytest.raises(UsageError, match=f"the row of '{word}' has a value that is not a finite float32"):
            ask(lab, LOGITS, word=word)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"dims": "0,0", "values": "1,1"}, "dims must be whole numbers from 0 to 19, each once"),
        ({"dims": "0.5", "values": "1"}, "dims must be whole numbers"),
        ({"dims": "20", "values": "1"}, "dims must be whole numbers"),
        ({"dims": "-1", "values": "1"}, "dims must be whole numbers"),
        ({"dims": "1,2", "values": "1"}, "values must have the length of dims, 2, not 1"),
        ({"dims": "0", "values": "1e29", "temperature": "0"}, "temperature must be a number from 0.01"),
        ({"head": "both"}, "head must be one of tied, untied"),
    ],
)
def test_invalid_parameters_are_refused(lab, ask, parameters: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ask(lab, LOGITS, **parameters)


def test_overflow_of_all_logits_is_refused(small_lab, ask) -> None:
    lab = small_lab(["a", "b"], np.array([[1e20], [-1e20]], np.float32))
    with pytest.raises(UsageError, match="no row has a finite logit"):
        ask(lab, LOGITS, dims="0", values="1e29")


def test_table_without_finite_rows_has_no_default(small_lab, ask) -> None:
    with pytest.raises(UsageError, match="use another word"):
        ask(small_lab(["a"], np.array([[np.nan]])), LOGITS)


def test_unknown_word_error_suggests_similar_spellings(lab, ask) -> None:
    with pytest.raises(UnknownTokenError, match="did you mean 'typeerror'"):
        ask(lab, LOGITS, word="typeerorr")


@pytest.mark.parametrize("route", [LOGITS, TYING])
def test_error_without_torch_names_the_extra(lab, ask, monkeypatch: pytest.MonkeyPatch, route: str) -> None:
    monkeypatch.delitem(sys.modules, "rowspace.layers")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"rowspace.layers needs PyTorch: pip install 'rowspace\[torch\]'"):
        ask(lab, route)


def test_row_with_values_too_large_for_a_slider_names_its_word(small_lab, ask) -> None:
    lab = small_lab(["small", "large"], np.array([[1.0, 2.0], [1.0, 2e30]]))
    assert ask(lab, LOGITS, word="small").meta["word"] == "small"
    with pytest.raises(UsageError, match="the row of 'large' has a value of 1e\\+30 or more; use another word"):
        ask(lab, LOGITS, word="large")
