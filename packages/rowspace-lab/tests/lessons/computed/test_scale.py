"""The numbers of lesson 9, compared with NumPy and with formulas."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rowspace as rs
from rowspace.learn.default_table import encoder_folder
from rowspace_lab.lessons.computed.topics import scale as computed
from rowspace_lab.lessons.lesson import lesson

TABLE = rs.Table(["a"], np.ones((1, 2)))


def sinusoids(count: int, dim: int) -> np.ndarray:
    angles = np.arange(count)[:, None] / 10_000 ** (np.arange(0, dim, 2) / dim)
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(count, dim)


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def mean_cosine(vectors: np.ndarray) -> float:
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return float((units @ units.T)[~np.eye(len(units), dtype=bool)].mean())


def test_small_example() -> None:
    row, place, found = np.array([0.3, -0.5, 0.2, 0.4]), sinusoids(2, 4)[1], computed.small()
    assert (found["row"], found["place"]) == ("(0.3, −0.5, 0.2, 0.4)", "(0.84, 0.54, 0.01, 1.00)")
    assert_allclose([found["square"], found["norm"], found["place_norm"]], [0.54, 0.54**0.5, 2**0.5], rtol=1e-6)
    assert (found["once"]["sum"], found["twice"]["sum"]) == ("(1.14, 0.04, 0.21, 1.40)", "(1.44, −0.46, 0.41, 1.80)")
    for name, scale in (("once", 1), ("twice", 2)):
        total = scale * row + place
        assert_allclose(found[name]["cosine_row"], cosine(total, row), rtol=1e-6)
        assert_allclose(found[name]["cosine_place"], cosine(total, place), rtol=1e-6)


def test_norms_and_cosines_of_512_numbers() -> None:
    found = computed.wide()
    rows = np.random.default_rng(0).normal(0, 512**-0.5, (400, 512))
    places = sinusoids(64, 512)
    assert_allclose([found["row"], found["position"]], [1, 16], rtol=0.01)
    assert_allclose([found["before"], found["after"]], [16, 2**0.5], rtol=0.01)
    for name, scale in (("", 1), ("_scaled", 512**0.5)):
        assert_allclose(found[f"alike{name}"], mean_cosine(scale * rows + places[0]), atol=0.005)
        one_token = np.mean([mean_cosine(scale * row + places) for row in rows[:16]])
        assert_allclose(found[f"places{name}"], one_token, atol=0.02)


def test_long_rows_drown_the_position() -> None:
    found = computed.long_rows()
    assert_allclose([found["scaled"], found["ratio"]], [2.8 * 512**0.5, 2.8 * 2**0.5], rtol=1e-6)
    link = f"&scale={found['scaled']:.1f})"
    assert any(link in block.parts[1] for block in lesson(9).document.of("mistake"))


def test_first_loss_by_the_standard_deviation_of_rows() -> None:
    # Logits of a hidden vector h are N(0, σ²‖h‖²), and the right token is drawn here, from another generator.
    found, random = computed.first_loss(), np.random.default_rng(1)
    rows, hidden = random.normal(size=(10_000, 512)), random.normal(size=(400, 512))
    right = random.integers(10_000, size=400)
    for name, sigma, tolerance in (("one", 1, 4), ("root", 512**-0.5, 0.2), ("small", 0.02, 0.1)):
        logits = sigma * hidden @ rows.T
        top = logits.max(1)
        loss = top + np.log(np.exp(logits - top[:, None]).sum(1)) - logits[np.arange(400), right]
        assert_allclose(found[name], loss.mean(), atol=tolerance)
    assert_allclose(found["blind"], math.log(10_000))


def test_models_that_scale() -> None:
    found = computed.recipes()
    assert {name for name, model in found.items() if model["scale"] == "√d"} == {"transformer", "gemma"}
    assert {name for name, model in found.items() if "added" in model["positions"]} == {"transformer", "bert", "gpt2"}


def test_tables_of_the_checkpoint() -> None:
    found = computed.checkpoint()
    tokens = rs.load(str(encoder_folder())).rows.astype(np.float64)
    assert_allclose(found["tokens"], np.linalg.norm(tokens, axis=1).mean(), rtol=1e-4)
    assert found["tokens_shape"] == "30,522 × 384"
    random = np.random.default_rng(0).normal(size=(2, 4000, 384))
    chance = np.mean(np.abs([cosine(*pair) for pair in random.swapaxes(0, 1)]))
    assert_allclose(found["chance"], chance, rtol=0.05)
    assert found["cosine"] < found["chance"]


@pytest.mark.parametrize(("seed", "dim"), [(0, 512), (1, 128), (2, 2048)])
def test_question_of_norms(seed: int, dim: int) -> None:
    question = computed.louder(TABLE, seed)
    assert question.fields["dim"] == f"{dim:,}"
    answer = question.computed(TABLE)
    assert question.options[answer["answer"]] == f"{(dim / 2) ** 0.5:.3g} : 1, then 1 : 1.41"


@pytest.mark.parametrize(("seed", "expected"), [(0, 256 / 257), (1, 256 / 320), (2, 1 / 3)])
def test_question_of_the_cosine_of_two_tokens(seed: int, expected: float) -> None:
    # Rows are perpendicular on average, so the cosine is ‖p‖² / (‖p‖² + s²).
    question = computed.alike(TABLE, seed)
    assert question.accepts(expected, question.computed(TABLE)["answer"])
    assert_allclose(question.computed(TABLE)["answer"], expected, atol=0.005)


@pytest.mark.parametrize(("seed", "vocabulary"), [(0, 10_000), (1, 256), (2, 50_257)])
def test_question_of_the_blind_loss(seed: int, vocabulary: int) -> None:
    assert_allclose(computed.unknowing(TABLE, seed).computed(TABLE)["answer"], math.log(vocabulary))


def test_card_runs() -> None:
    names: dict[str, object] = {"rs": rs}
    (card,) = lesson(9).document.of("card")
    exec("\n".join(line.strip() for line in card.parts[3].splitlines()), names)
    embed = names["embed"]
    assert_allclose(float(embed.weight.norm(dim=1).mean().detach()), 1, rtol=0.01)  # type: ignore[attr-defined]  # TokenEmbedding
