"""Scaled rows and positions: their sums, and whether they look alike."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from rowspace_lab.lab import Lab
from rowspace_lab.server.reply import Reply

Check = Callable[..., Reply]


def pe(position: int, dim: int) -> np.ndarray:
    """The formula of Vaswani et al. (2017)."""
    return np.array([(np.cos if at % 2 else np.sin)(position / 10000 ** (at // 2 * 2 / dim)) for at in range(dim)])


def mean_cosine(vectors: np.ndarray) -> float:
    """The mean over all pairs, one by one."""
    return float(np.mean([a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in combinations(vectors, 2)]))


@pytest.mark.parametrize(("scale", "cosine_row", "cosine_position"), [(1, 0.69, 0.93), (2, 0.83, 0.82)])
def test_example_of_four_numbers(
    lab: Lab, check_code: Check, scale: float, cosine_row: float, cosine_position: float
) -> None:
    reply = check_code(lab, "input/scale", rows="example", start=1, scale=scale)
    row = np.array([0.3, -0.5, 0.2, 0.4])
    np.testing.assert_allclose(reply.arrays["parts"], [scale * row, pe(1, 4), scale * row + pe(1, 4)], atol=1e-6)
    assert reply.meta["token_norm"] == pytest.approx(0.54**0.5)
    assert reply.meta["cosine_row"] == pytest.approx(cosine_row, abs=5e-3)
    assert reply.meta["cosine_position"] == pytest.approx(cosine_position, abs=5e-3)
    assert reply.meta["alike_tokens"] is None


def test_likeness_equals_the_mean_of_all_pairs(small_lab: Callable[..., Lab], check_code: Check) -> None:
    rows = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    lab = small_lab(list("abcdef"), rows)
    reply = check_code(lab, "input/scale", scale=0.5, start=3, text="c d", at=1)
    assert reply.meta["alike_tokens"] == pytest.approx(mean_cosine(0.5 * rows + pe(3, 4)), abs=1e-6)
    places = np.array([pe(place, 4) for place in range(64)])
    expected = np.mean([mean_cosine(0.5 * row + places) for row in rows])
    assert reply.meta["alike_positions"] == pytest.approx(expected, abs=1e-6)
    np.testing.assert_allclose(reply.arrays["parts"][0], 0.5 * rows[3], rtol=1e-6)
    np.testing.assert_allclose(reply.arrays["scales"][[0, 20, 40]], [0.01, 1, 100])
    assert reply.arrays["alike"][0, 0] > 0.99  # the position alone


def test_root_of_d_drowns_the_position_on_long_rows(small_lab: Callable[..., Lab], check_code: Check) -> None:
    rows = np.random.default_rng(0).normal(size=(50, 64)).astype(np.float32)
    rows *= 2.8 / np.linalg.norm(rows, axis=1, keepdims=True)
    reply = check_code(small_lab([f"word{number}" for number in range(50)], rows), "input/scale", scale=8)
    assert 1 / reply.meta["ratio"] == pytest.approx(2.8 * 2**0.5, rel=1e-3)
    assert reply.meta["alike_positions"] > 0.95


def test_scaled_recipes_are_those_of_their_papers(lab: Lab, ask: Check) -> None:
    recipes = {each["name"]: each for each in ask(lab, "input/recipes").meta["recipes"]}
    assert {name for name, each in recipes.items() if each["scaled"]} == {"transformer", "gemma"}
    positions = {name: recipes[name]["positions"] for name in ("transformer", "bert", "llama", "t5", "bloom")}
    assert list(positions.values()) == ["sinusoid", "learned", "rotary", "relative", "alibi"]
