"""The numbers of lesson 10, compared with NumPy and with finite differences."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rowspace as rs
from rowspace_lab.lessons.computed.topics import head as computed
from rowspace_lab.lessons.lesson import lesson

WORDS = ["the", "cat", "sat", "on"]
ROWS = np.array([[0.5, 0.3, -0.1], [0.8, -0.2, 0.4], [0.1, 0.9, 0.3], [-0.3, 0.5, 0.6]])
TABLE = rs.Table(WORDS, ROWS)


def softmax(logits: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(logits) / np.exp(logits).sum())


def test_logits_of_four_words() -> None:
    found, hidden = computed.four(), np.array([0.6, 0.1, 0.3])
    probabilities = softmax(ROWS @ hidden)
    assert found["logits"] == "(0.30, 0.58, 0.24, 0.05)"
    assert found["probabilities"] == f"({', '.join(f'{each:.3f}' for each in probabilities)})"
    assert_allclose(found["entropy"], -(probabilities * np.log(probabilities)).sum() / np.log(4), rtol=1e-6)
    assert_allclose([found["first"], -float(found["second"]), found["third"]], ROWS[1] * hidden, rtol=1e-6)
    assert_allclose(found["cat"], 0.58, rtol=1e-6)


def test_sizes_of_published_heads() -> None:
    found = computed.models()
    assert found["llama2"]["matrix"] == 32_000 * 4096
    assert (found["llama2"]["both"], found["llama2"]["both_mib"], found["llama2"]["mib"]) == (262_144_000, 500, 250)
    assert found["llama3"]["matrix"] == 525_336_576
    assert found["gpt3"]["matrix"] == 50_257 * 12_288 == 617_558_016
    tied = {name for name, model in found.items() if model.get("tied") == "the table"}
    assert tied == {"llama32_1b", "llama32_3b", "gemma"}  # as in the models' config.json


def test_both_gradients_of_a_row() -> None:
    def loss(inputs: np.ndarray, outputs: np.ndarray) -> float:
        return float(-np.log(softmax(outputs @ inputs[:2].mean(0))[2]))

    def gradient(function: Callable[[np.ndarray], float]) -> np.ndarray:
        steps = 1e-6 * np.eye(12).reshape(12, 4, 3)
        return np.array([(function(ROWS + step) - function(ROWS - step)) / 2e-6 for step in steps]).reshape(4, 3)

    read, predicted = gradient(lambda rows: loss(rows, ROWS)), gradient(lambda rows: loss(ROWS, rows))
    found = computed.gradients()
    assert found["inputs"] == np.abs(read).max(1).astype(bool).sum() == 2
    assert found["outputs"] == (np.abs(predicted).max(1) > 1e-6).sum() == 4
    for name, row in (("cat_in", read[1]), ("cat_out", predicted[1])):
        assert_allclose(
            [float(each) for each in found[name].replace("−", "-").strip("()").split(",")], row, atol=0.0051
        )


@pytest.mark.parametrize(
    ("seed", "hidden"), [(0, (0.6, 0.1, 0.3)), (1, (0.1, 0.5, -0.2)), (2, (-0.4, 0.2, 0.5)), (3, (0.5, 0.6, -0.3))]
)
def test_question_of_the_largest_logit(seed: int, hidden: tuple[float, ...]) -> None:
    question = computed.winner(TABLE, seed)
    logits = ROWS @ hidden
    assert question.fields["hidden"] == str(hidden).replace("-", "−")
    assert question.computed(TABLE)["answer"] == logits.argmax()
    assert question.computed(TABLE)["logits"] == ", ".join(map("{} {:.2f}".format, WORDS, logits))


@pytest.mark.parametrize(("seed", "word", "factor"), [(0, 3, 2), (1, 2, 3), (2, 0, 2), (3, 2, 2), (4, 3, 15)])
def test_question_of_a_longer_row(seed: int, word: int, factor: int) -> None:
    question = computed.longer(TABLE, seed)
    logits = ROWS @ [0.6, 0.1, 0.3]
    assert (question.fields["word"], question.fields["factor"]) == (WORDS[word], factor)
    answer = question.computed(TABLE)
    assert answer["before"] == f"{logits[word]:.2f}"
    logits[word] *= factor
    assert answer["answer"] == logits.argmax()
    assert (answer["after"], answer["best"]) == (f"{logits[word]:.2f}", f"{logits.max():.2f}")


@pytest.mark.parametrize(("seed", "expected"), [(0, 4 * 3), (1, 50_257 * 768 + 50_257), (2, 32_000 * 4096)])
def test_question_of_an_untied_head(seed: int, expected: int) -> None:
    question = computed.head_parameters(TABLE, seed)
    assert question.computed(TABLE)["answer"] == expected
    if question.fields["bias"] == "with a bias for each token":
        assert not question.accepts(50_257 * 768, expected)


def test_card_runs() -> None:
    names: dict[str, object] = {"rs": rs}
    (card,) = lesson(10).document.of("card")
    exec("\n".join(line.strip() for line in card.parts[3].splitlines()), names)
    head = names["head"]
    hidden = head.weight.detach()[:2]  # type: ignore[attr-defined]  # TiedHead
    assert_allclose(head(hidden).detach().numpy(), (hidden @ head.weight.T).detach().numpy(), rtol=1e-5)  # type: ignore[operator,attr-defined]  # TiedHead
