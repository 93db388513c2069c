"""Lesson 7: attention and order, compared with NumPy."""

import sys
from typing import Any

import numpy as np
import pytest
import torch
from tests.lessons.asking import ask, run_card

from rowspace.errors import UsageError
from rowspace_lab.lessons.computed.tables import everyday_words, six_words
from rowspace_lab.lessons.computed.topics import order as computed
from rowspace_lab.tables.examples import SIX_WORDS


def attend(words: list[str], *, seed: int = 0, positions: bool = False, causal: bool = False) -> np.ndarray:
    """The outputs of the head that the Order page draws for d_k = 2, with NumPy."""
    rows = np.array([SIX_WORDS[word] for word in words])
    inputs = rows / np.sqrt(np.mean(np.sum(np.square(list(SIX_WORDS.values())), axis=1)) / 3)
    if positions:
        angles = np.outer(np.arange(len(words)), [1, 1 / 100])  # of four numbers, the last of which is cut off
        inputs = inputs + np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(-1, 4)[:, :3]
    drawn = torch.Generator().manual_seed(seed)
    query, key, value = (
        inputs @ torch.randn(2, 3, generator=drawn, dtype=torch.float64).numpy().T / 3**0.5 for _ in range(3)
    )
    scores = query @ key.T / 2**0.5
    weights = np.exp(np.where(np.tri(len(words)) > 0, scores, -np.inf) if causal else scores)
    outputs: np.ndarray = weights / weights.sum(1, keepdims=True) @ value
    return outputs


def moved(words: list[str], order: list[int], **options: Any) -> np.ndarray:
    """How far the output of each word moves when the words are put in another order."""
    other = attend([words[at] for at in order], **options)
    distances: np.ndarray = np.abs(other - attend(words, **options)[order]).max(1)
    return distances[np.argsort(order)]


def test_outputs_depend_on_order_only_with_positions_or_a_mask() -> None:
    found, words, order = computed.orders(), ["cat", "sat", "on", "dog"], [3, 1, 2, 0]
    assert found["plain"] < 1e-12
    assert moved(words, order).max() < 1e-12
    assert found["added"] == pytest.approx(moved(words, order, positions=True).max(), abs=1e-6)
    assert found["causal"] == pytest.approx(moved(words, order, causal=True).max(), abs=1e-6)
    before, after = attend(words), attend([words[at] for at in order])
    assert found["in_place"] == pytest.approx(np.abs(before - after).max(), abs=1e-6)
    assert found["mean"] < 1e-12


def largest_weights(size: int, *, root: bool) -> float:
    """The mean of the largest of 16 weights, with other random numbers."""
    drawn = np.random.default_rng(5)
    scores = np.einsum("ad,akd->ak", drawn.normal(size=(300, size)), drawn.normal(size=(300, 16, size)))
    weights = np.exp(scores / size**0.5 if root else scores - scores.max(1, keepdims=True))
    return float((weights.max(1) / weights.sum(1)).mean())


def test_the_spread_of_scores() -> None:
    found = computed.spread()
    for size in (4, 1024):
        assert found[f"variance_{size}"] == pytest.approx(size, rel=0.05)
        assert found[f"plain_{size}"] == pytest.approx(largest_weights(size, root=False), abs=0.03)
        assert found[f"divided_{size}"] == pytest.approx(largest_weights(size, root=True), abs=0.02)


def test_a_head_ranks_other_words_than_cosine_does() -> None:
    table, found = everyday_words(), computed.synonyms()
    assert found["by_cosine"].split(", ") == [token for token, _ in table.neighbors("dog", k=9)]
    assert found["product_first"].split(", ") == found["by_product"].split(", ")[:3]
    assert found["common"] == len({"dog", *found["by_cosine"].split(", ")} & {*found["by_product"].split(", ")}) == 0


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_how_far_outputs_move(seed: int) -> None:
    fields, found = ask(7, "shuffled", six_words(), seed)
    words = fields["text"].split()
    if "rotary" not in fields["positions"]:
        far = moved(words, [3, 1, 2, 0], seed=seed, positions="sinusoid" in fields["positions"]).max()
        outputs = attend(words, seed=seed, positions="sinusoid" in fields["positions"])
        assert found["answer"] == (0 if far < 1e-6 else 1 if far < np.abs(outputs).max() / 10 else 2)
        assert found["largest"] == pytest.approx(np.abs(outputs).max(), abs=1e-6)
    else:
        assert found["answer"] == 2


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 4])
def test_how_many_outputs_change_with_a_causal_mask(seed: int) -> None:
    fields, found = ask(7, "changed", six_words(), seed)
    words, other = fields["text"].split(), fields["other"].split()
    order = [words.index(word) for word in other]
    assert found["answer"] == (moved(words, order, seed=seed, causal=True) > 1e-6).sum()
    earlier = [{*words[: words.index(word)]} != {*other[: other.index(word)]} for word in words]
    assert found["answer"] == sum(earlier)


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_the_largest_weight_without_the_root(seed: int) -> None:
    fields, found = ask(7, "largest_weight", six_words(), seed)
    size = int(fields["size"].replace(",", ""))
    assert found["answer"] == pytest.approx(largest_weights(size, root=False), abs=0.03)
    assert found["divided"] == pytest.approx(largest_weights(size, root=True), abs=0.02)


def test_without_torch_values_and_questions_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "rowspace.layers", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    with pytest.raises(UsageError, match="rowspace\\[torch\\]"):
        computed.shuffled(six_words(), 0)


def test_the_card_runs() -> None:
    assert run_card(7)["result"].shape == (4, 8)
