"""X by the recipes of known models, and the gradient with tied weights."""

import numpy as np
import pytest

import rowspace as rs
from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.pages.pipeline import routes

torch = pytest.importorskip("torch")
TEXT = "list list write"


def test_original_transformer_scales_rows_and_adds_sinusoids(lab, check_code) -> None:
    reply = check_code(lab, "pipeline/matrix", text=TEXT)
    rows, d = lab.table[TEXT.split()].astype(np.float64), 20
    # Vaswani et al. 2017, section 3.4 and 3.5, in NumPy.
    angle = np.arange(3)[:, np.newaxis] / 10_000 ** (np.arange(0, d, 2) / d)
    positions = np.stack([np.sin(angle), np.cos(angle)], axis=2).reshape(3, d)
    np.testing.assert_allclose(reply.arrays["X"], rows * d**0.5 + positions, atol=1e-5)
    assert reply.meta["scale"] == pytest.approx(d**0.5)
    assert reply.meta["position_norm"] == pytest.approx((d / 2) ** 0.5)
    norm = np.linalg.norm(rows, axis=1).mean()
    assert reply.meta["token_norm"] == pytest.approx(norm * d**0.5, rel=1e-5)
    assert reply.meta["ratio"] == pytest.approx((d / 2) ** 0.5 / (norm * d**0.5), rel=1e-5)
    assert reply.meta["unscaled_ratio"] == pytest.approx((d / 2) ** 0.5 / norm, rel=1e-5)


@pytest.mark.parametrize("recipe", routes.RECIPES)
def test_recipe_adds_its_parts(lab, check_code, recipe: str) -> None:
    reply = check_code(lab, "pipeline/matrix", text=TEXT, recipe=recipe)
    total = torch.from_numpy(reply.arrays["scaled"] + reply.arrays["positions"])
    if reply.meta["normalized"]:
        total = torch.nn.functional.layer_norm(total, total.shape[-1:], eps=1e-12)
    np.testing.assert_allclose(reply.arrays["X"], total.numpy(), atol=1e-6)
    scaled = recipe in ("transformer", "gemma")
    np.testing.assert_allclose(reply.arrays["scaled"], lab.table[TEXT.split()] * (20**0.5 if scaled else 1), rtol=1e-5)
    added = recipe not in ("llama", "gemma")  # these rotate in attention instead
    assert bool(reply.arrays["positions"].any()) == added
    assert reply.meta["untrained"] == (recipe in ("gpt2", "bert"))
    assert reply.meta["normalized"] == (recipe == "bert")


def test_odd_dimension_has_no_sinusoid(small_lab, ask) -> None:
    lab = small_lab(["a"], np.ones((1, 3), np.float32))
    assert ask(lab, "pipeline/matrix").meta["recipe"] == "gpt2"
    with pytest.raises(UsageError, match="embedding_dim must be even"):
        ask(lab, "pipeline/matrix", recipe="transformer")


@pytest.mark.long
def test_tied_weights_give_every_row_a_gradient(lab, check_code) -> None:
    reply = check_code(lab, "pipeline/tied", text=TEXT)
    assert (reply.meta["untied_rows"], reply.meta["distinct"]) == (2, 2)
    assert reply.meta["tied_rows"] == reply.meta["vocabulary"] == len(lab.table)
    # The gradient in NumPy: that of the output matrix is (P - Y)ᵀ X.
    E, ids = lab.table.rows.astype(np.float64), lab.table.ids(TEXT.split())
    X, targets = E[ids], np.eye(len(E))[np.roll(ids, -1)]
    logits = X @ E.T
    errors = np.exp(logits - np.log(np.exp(logits).sum(1, keepdims=True))) - targets
    gradient = np.zeros_like(E)
    np.add.at(gradient, ids, errors @ E)
    edges = reply.arrays["edges"][:-1]
    for name in ("untied", "tied"):
        norms = np.linalg.norm(gradient + (errors.T @ X if name == "tied" else 0), axis=1)
        np.testing.assert_allclose(reply.arrays[name], np.maximum.reduceat(norms, edges), rtol=1e-4, atol=1e-6)


def test_gradient_of_a_huge_table_is_refused(ask) -> None:
    rows = np.broadcast_to(np.float32(0.5), (33, 1 << 20))  # one number in memory
    with pytest.raises(UsageError, match=r"has 34,603,008 numbers, more than the 33,554,432 .* open a smaller table"):
        ask(Lab(rs.Table([f"word{number}" for number in range(33)], rows), "huge"), "pipeline/tied", text=TEXT)
