"""Attention in two orders, compared with NumPy and with models of transformers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from tests.six_words import ROWS, WORDS

import rowspace as rs
from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.server.reply import Reply

SIZES: dict[str, Any] = {
    "vocab_size": 12,
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 8,
}
LLAMA: dict[str, Any] = {**SIZES, "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 16}


@pytest.fixture
def six(small_lab: Callable[..., Lab]) -> Lab:
    return small_lab(WORDS, ROWS)


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def differences(reply: Reply) -> dict[str, list[float]]:
    return dict(zip(reply.meta["schemes"], reply.arrays["differences"].tolist(), strict=True))


def test_weights_and_outputs_equal_those_of_numpy(six: Lab, check_code: Callable[..., Reply]) -> None:
    reply = check_code(six, "order/attention", scheme="rotary", causal="true", order="1,0,3,2", seed=3)
    assert reply.meta["text"] == "dog sat on cat"
    assert reply.meta["source"] == "drawn"
    drawn = torch.Generator().manual_seed(3)
    query, key, value = (torch.randn(2, 3, generator=drawn, dtype=torch.float64).numpy() / 3**0.5 for _ in range(3))
    scale = (3 / np.mean(np.sum(ROWS.astype(float) ** 2, axis=1))) ** 0.5
    rows = ROWS[[2, 3, 5, 1]].astype(float) * scale
    places = np.arange(4)
    turns = np.array([[[np.cos(p), -np.sin(p)], [np.sin(p), np.cos(p)]] for p in places])

    def attend(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        queries, keys = (np.einsum("pij,pj->pi", turns, rows @ matrix.T) for matrix in (query, key))
        scores = np.where(places > places[:, None], -np.inf, queries @ keys.T / 2**0.5)
        return softmax(scores), softmax(scores) @ (rows @ value.T)

    weights, outputs = attend(rows)
    np.testing.assert_allclose(reply.arrays["weights"], weights, atol=1e-6)
    np.testing.assert_allclose(reply.arrays["outputs"], outputs, atol=1e-6)
    shuffled_weights, shuffled = attend(rows[[1, 0, 3, 2]])
    np.testing.assert_allclose(reply.arrays["shuffled_weights"], shuffled_weights, atol=1e-6)
    np.testing.assert_allclose(reply.arrays["restored"], shuffled[[1, 0, 3, 2]], atol=1e-6)
    assert reply.meta["difference"] == pytest.approx(np.abs(shuffled[[1, 0, 3, 2]] - outputs).max(), abs=1e-6)


@pytest.mark.parametrize("verb", ["bites", "bit"])
def test_the_first_sentence_means_something_else_reversed(
    verb: str, small_lab: Callable[..., Lab], ask: Callable[..., Reply]
) -> None:
    lab = small_lab(["man", verb, "dog"], ROWS[:3])
    reply = ask(lab, "order/attention")
    assert (reply.meta["text"], reply.meta["order"]) == (f"dog {verb} man", [2, 1, 0])


def test_only_positions_or_a_mask_make_outputs_depend_on_order(six: Lab, ask: Callable[..., Reply]) -> None:
    reply = ask(six, "order/attention", text="the cat sat on house", order="1,0,3,4,2")
    found = differences(reply)
    assert found["none"][0] < 1e-12
    assert reply.meta["mean_difference"] < 1e-12
    assert found["none"][1] > 0.01  # a causal mask alone
    assert all(full > 0.01 and causal > 0.01 for name, (full, causal) in found.items() if name != "none")


def test_reversing_keeps_the_distances_that_alibi_sees(six: Lab, ask: Callable[..., Reply]) -> None:
    full, causal = differences(ask(six, "order/attention"))["alibi"]
    assert full < 1e-12
    assert causal > 0.01


@pytest.mark.parametrize(("dim", "schemes"), [(1, {"sinusoid", "none", "learned", "rotary", "alibi"}), (5, None)])
def test_head_fits_narrow_tables(
    small_lab: Callable[..., Lab], check_code: Callable[..., Reply], dim: int, schemes: set[str] | None
) -> None:
    lab = small_lab(WORDS[:3], np.random.default_rng(0).normal(size=(3, dim)).astype(np.float32))
    reply = check_code(lab, "order/attention", scheme="sinusoid")
    assert schemes is None or set(reply.meta["schemes"]) == schemes
    odd = check_code(lab, "order/attention", head_dim=3)
    assert "rotary" not in odd.meta["schemes"]
    with pytest.raises(UsageError, match="rotary does not fit this head and text; use one of none, sinusoid"):
        check_code(lab, "order/attention", head_dim=3, scheme="rotary")


@pytest.mark.parametrize("order", ["0,1", "0,0,1,2", "0,1,2,4"])
def test_order_must_be_a_permutation(six: Lab, ask: Callable[..., Reply], order: str) -> None:
    with pytest.raises(UsageError, match="order must have each of the places 0 to 3 once"):
        ask(six, "order/attention", order=order)


def of_model(model: Any, folder: Path, rows: torch.Tensor) -> Lab:
    """Save a model of transformers, and open a lab over its rows."""
    model.save_pretrained(folder)
    return Lab(rs.Table([f"word{number}" for number in range(len(rows))], rows.detach().numpy()), str(folder))


def first_projections(model: Any, layers: dict[str, Any], ids: list[int]) -> dict[str, np.ndarray]:
    """Run a model, and return what its layers return."""
    found: dict[str, np.ndarray] = {}
    for name, layer in layers.items():
        layer.register_forward_hook(
            lambda _, __, output, name=name: found.update({name: output.detach()[0].double().numpy()})
        )
    with torch.no_grad():
        model.eval()(torch.tensor([ids]))
    return found


@pytest.mark.parametrize("kind", ["bert", "gpt2", "llama"])
def test_head_of_a_checkpoint_equals_that_of_transformers(kind: str, tmp_path: Path, ask: Callable[..., Reply]) -> None:
    torch.manual_seed(0)
    ids, order, head = [3, 7, 5], "2,0,1", 1
    if kind == "bert":
        model: Any = transformers.BertModel(transformers.BertConfig(**SIZES))
        torch.nn.init.normal_(model.embeddings.LayerNorm.weight)
        rows, attention = model.embeddings.word_embeddings.weight, model.encoder.layer[0].attention.self
        layers = {"queries": attention.query, "keys": attention.key, "values": attention.value}
    elif kind == "llama":
        model = transformers.LlamaModel(transformers.LlamaConfig(**LLAMA))
        torch.nn.init.normal_(model.layers[0].input_layernorm.weight)
        rows, attention = model.embed_tokens.weight, model.layers[0].self_attn
        layers = {"queries": attention.q_proj, "keys": attention.k_proj, "values": attention.v_proj}
    else:
        config = transformers.GPT2Config(vocab_size=12, n_embd=8, n_layer=1, n_head=2, n_positions=16)
        model = transformers.GPT2Model(config)
        torch.nn.init.normal_(model.h[0].ln_1.bias)
        torch.nn.init.normal_(model.h[0].attn.c_attn.bias)
        rows, layers = model.wte.weight, {"all": model.h[0].attn.c_attn}
    lab = of_model(model, tmp_path / "model", rows)
    found = first_projections(model, layers, ids)
    if "all" in found:
        found = dict(zip(("queries", "keys", "values"), np.split(found["all"], 3, axis=1), strict=True))
    scheme = "none" if kind == "llama" else "learned"
    text = " ".join(f"word{number}" for number in ids)
    reply = ask(lab, "order/attention", text=text, order=order, scheme=scheme, head=head)
    assert (reply.meta["source"], reply.meta["model"]) == ("checkpoint", kind)
    size = reply.meta["head_dim"]
    for name, values in found.items():
        at = head // 2 if kind == "llama" and name != "queries" else head  # two queries share a key and a value
        np.testing.assert_allclose(reply.arrays[name], values[:, at * size : (at + 1) * size], atol=1e-5)
    assert ("learned" in reply.meta["schemes"]) == (kind != "llama")
    assert ask(lab, "order/attention", text=text, source="drawn").meta["model"] == ""


def test_model_without_a_known_head_has_one_drawn_at_random(tmp_path: Path, ask: Callable[..., Reply]) -> None:
    config = transformers.T5Config(vocab_size=12, d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2)
    model = transformers.T5EncoderModel(config)
    lab = of_model(model, tmp_path / "model", model.shared.weight)
    assert ask(lab, "order/attention").meta["sources"] == ["drawn"]


def test_saturation_has_the_numbers_of_the_theory(six: Lab, check_code: Callable[..., Reply]) -> None:
    reply = check_code(six, "order/saturation")
    np.testing.assert_allclose(reply.arrays["variances"], reply.arrays["sizes"], rtol=0.05)
    rng = np.random.default_rng(1)
    assert reply.arrays["sizes"].tolist() == [2**power for power in range(2, 11)]
    for at, size in ((0, 4), (2, 16), (4, 64)):
        query, keys = rng.normal(size=(1000, 1, size)), rng.normal(size=(1000, 16, size))
        scores = (query * keys).sum(-1)
        for name, fed in (("plain", scores), ("divided", scores / size**0.5)):
            weights = np.sort(softmax(fed))[:, ::-1].mean(0)
            assert reply.arrays[name][at] == pytest.approx(weights[0], abs=0.03)
            np.testing.assert_allclose(reply.arrays[f"{name}_weights"][at], weights, atol=0.03)
            shares = np.histogram(fed, np.arange(-100, 101))[0] / fed.size
            np.testing.assert_allclose(reply.arrays[f"{name}_density"][at], shares, atol=0.02)
    assert reply.arrays["middles"][[0, -1]].tolist() == [-99.5, 99.5]


def test_the_draws_of_a_d_k_have_the_spread_that_their_weights_come_from() -> None:
    from rowspace_lab.pages.order.saturation import drawn_scores, saturation_figure

    scores = {size: found.numpy() for size, found in drawn_scores(seed=2, draws=50, keys=6)}
    found = saturation_figure(seed=2, draws=50, keys=6)
    at = found["sizes"].tolist().index(128)
    assert found["variances"][at] == pytest.approx(scores[128].var(ddof=1), rel=1e-5)
    assert found["plain"][at] == pytest.approx(softmax(scores[128]).max(-1).mean(), abs=1e-6)
    assert found["divided"][at] == pytest.approx(softmax(scores[128] / 128**0.5).max(-1).mean(), abs=1e-6)
    assert found["plain_density"][at].sum() == pytest.approx((abs(scores[128]) <= 100).mean())
