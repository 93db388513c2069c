"""Steps of an optimizer on the rows of a table, compared with its formulas in NumPy."""

from collections.abc import Callable

import numpy as np
import pytest

from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace_lab.lab import Lab
from rowspace_lab.pages.pipeline.step_routes import MAX_TABLE_SIZE
from rowspace_lab.server.reply import Reply
from rowspace_lab.tables.examples import SIX_WORDS

Check = Callable[..., Reply]
WORDS, ROWS = list(SIX_WORDS), np.array(list(SIX_WORDS.values()))


@pytest.fixture
def six(small_lab: Callable[..., Lab]) -> Lab:
    return small_lab(WORDS, ROWS.astype(np.float32))


def gradient(text: str, g: list[float]) -> np.ndarray:
    """The sum of the gradients of each row's tokens, Hᵀ G."""
    one_hot = np.array(WORDS) == np.array(text.split())[:, None]
    summed: np.ndarray = one_hot.T.astype(float) @ np.repeat(np.array(g)[:, None], 3, axis=1)
    return summed


def adamw(gradients: list[np.ndarray]) -> list[np.ndarray]:
    """The rows before and after each step, by the formulas of Loshchilov & Hutter 2019."""
    states, m, v = [ROWS], np.zeros_like(ROWS), np.zeros_like(ROWS)
    for t, each in enumerate(gradients, 1):
        m, v = 0.9 * m + 0.1 * each, 0.999 * v + 0.001 * each**2
        ratio = (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        states.append(states[-1] - 0.1 * 0.01 * states[-1] - 0.1 * ratio)
    return states


def test_sgd_moves_the_rows_that_were_read_against_their_gradient(six: Lab, check_code: Check) -> None:
    reply = check_code(six, "pipeline/steps", read=["the cat the", "dog"], read_g=["1,2,0.5", "-3"])
    first, second = gradient("the cat the", [1, 2, 0.5]), gradient("dog", [-3])
    np.testing.assert_allclose(reply.arrays["before"], ROWS - 0.1 * first, atol=1e-6)
    np.testing.assert_allclose(reply.arrays["after"], ROWS - 0.1 * first - 0.1 * second, atol=1e-6)
    norms = np.linalg.norm([first, second], axis=2)
    np.testing.assert_allclose(reply.arrays["gradient_norms"], norms, atol=1e-6)
    np.testing.assert_allclose(reply.arrays["distances"], 0.1 * norms, atol=1e-6)
    assert (reply.meta["moved_rows"], reply.meta["gradient_rows"]) == ([2, 1], [2, 1])
    assert (reply.meta["optimizer"], reply.meta["rate"], reply.meta["decay"]) == ("SGD", 0.1, 0)


def test_adamw_moves_rows_without_a_gradient(six: Lab, check_code: Check) -> None:
    reply = check_code(six, "pipeline/steps", read=["cat dog", "house"], read_g=["1,1", "1"], optimizer="AdamW")
    states = adamw([gradient("cat dog", [1, 1]), gradient("house", [1])])
    np.testing.assert_allclose(reply.arrays["before"], states[1], atol=1e-6)
    np.testing.assert_allclose(reply.arrays["after"], states[2], atol=1e-6)
    np.testing.assert_allclose(reply.arrays["distances"], np.linalg.norm(np.diff(states, axis=0), axis=2), atol=1e-6)
    assert [f"{distance:.2f}" for distance in reply.arrays["distances"][1][[1, 2, 4]]] == ["0.12", "0.12", "0.13"]
    assert reply.arrays["gradient_norms"][1].tolist() == pytest.approx([0, 0, 0, 0, 3**0.5, 0])
    assert (reply.meta["moved_rows"], reply.meta["gradient_rows"]) == ([6, 6], [2, 1])
    assert reply.meta["decay"] == 0.01


def test_the_rows_of_the_last_step_are_shown_first(lab: Lab, ask: Check) -> None:
    words = list(lab.table.vocabulary[100:130])
    reply = ask(lab, "pipeline/steps", read=[" ".join(words), words[7]])
    ids = lab.table.ids(words).tolist()
    assert reply.arrays["ids"].tolist() == sorted([ids[7], *ids[:7], *ids[8:12]])
    assert reply.meta["moved_rows"] == [30, 1]


def test_a_text_without_known_words_has_no_gradient(six: Lab, ask: Check) -> None:
    reply = ask(six, "pipeline/steps", read="zyzzyva")
    assert (reply.meta["moved_rows"], reply.meta["gradient_rows"]) == ([0], [0])


def test_tokens_of_a_tokenizer_are_read(bert_lab: Lab, check_code: Check) -> None:
    reply = check_code(bert_lab, "pipeline/steps", read=["the list", "a"], read_g=["1", "1"], optimizer="AdamW")
    assert reply.meta["gradient_rows"][1] == 1


def test_wrong_runs_are_refused(six: Lab, ask: Check) -> None:
    with pytest.raises(UsageError, match="read_g must have one value for each of the 2 texts, not 1"):
        ask(six, "pipeline/steps", read=["cat", "dog"], read_g="1")
    with pytest.raises(UsageError, match="read must have at most 20 values, not 21"):
        ask(six, "pipeline/steps", read=["cat"] * 21)
    with pytest.raises(UsageError, match="g must be numbers from -100 to 100, not 101"):
        ask(six, "pipeline/steps", read="cat", read_g="101")
    wide = Lab(Table(["cat", "dog"], np.zeros((2, MAX_TABLE_SIZE // 4), np.float32)), "wide")
    with pytest.raises(UsageError, match="17 steps on the 16,777,216 numbers of this table would take too long"):
        ask(wide, "pipeline/steps", read=["cat"] * 17)
