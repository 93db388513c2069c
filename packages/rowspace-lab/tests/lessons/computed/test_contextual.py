"""The numbers of the lesson on static and contextual vectors, compared with transformers' hidden states."""

import numpy as np
import pytest
import torch
import transformers as tf
from numpy.testing import assert_allclose
from tests.lessons.asking import ask, run_card

import rowspace as rs
from rowspace.learn.default_table import encoder_folder
from rowspace_lab.lessons.computed.topics import contextual as computed
from rowspace_lab.lessons.lesson import LESSONS, lesson

LESSON = next(number for number in LESSONS if lesson(number).module is computed)
TABLE = rs.Table(["a"], np.ones((1, 2)))


@pytest.fixture(scope="module")
def bank() -> np.ndarray:
    """The unit vectors of *bank* in each layer, (layers, texts, d)."""
    tokenizer = tf.AutoTokenizer.from_pretrained(encoder_folder())
    model = tf.AutoModel.from_pretrained(encoder_folder()).eval()
    vectors = []
    for text in computed.TEXTS:
        ids = tokenizer(text, return_tensors="pt")
        place = ids["input_ids"][0].tolist().index(tokenizer.convert_tokens_to_ids("bank"))
        with torch.no_grad():
            states = model(**ids, output_hidden_states=True).hidden_states
        vectors.append(torch.stack(states)[:, 0, place].numpy())
    found = np.stack(vectors, axis=1)
    return found / np.linalg.norm(found, axis=2, keepdims=True)


def test_cosines_of_meanings_are_those_of_transformers(bank: np.ndarray) -> None:
    for name, layer in (("input", 0), ("last", -1)):
        between = bank[layer] @ bank[layer].T
        assert_allclose(computed.bank()[name]["different"], between[:3, 3:].mean(), atol=1e-4)
        same = np.concatenate([block[~np.eye(3, dtype=bool)] for block in (between[:3, :3], between[3:, 3:])])
        assert_allclose(computed.bank()[name]["same"], same.mean(), atol=1e-4)
    nearest = (between - 2 * np.eye(6)).argmax(1)
    assert computed.bank()["last"]["right"] == ((nearest < 3) == (np.arange(6) < 3)).sum()


@pytest.mark.parametrize("seed", range(4))
def test_mean_cosine_of_two_uses(seed: int, bank: np.ndarray) -> None:
    fields, found = ask(LESSON, "uses", TABLE, seed)
    between = bank[fields["layer"]] @ bank[fields["layer"]].T
    assert_allclose(found["answer"], between[~np.eye(6, dtype=bool)].mean(), atol=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_nearest_use_has_the_same_meaning(seed: int, bank: np.ndarray) -> None:
    fields, found = ask(LESSON, "nearest_use", TABLE, seed)
    place, others = (computed.TEXTS.index(fields["text"]), [computed.TEXTS.index(text) for text in fields["options"]])
    cosines = [bank[-1][place] @ bank[-1][other] for other in others]
    assert found["answer"] == int(np.argmax(cosines))
    assert (others[found["answer"]] < 3) == (place < 3)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2, 3))])
def test_pooled_vectors_of_two_texts(seed: int) -> None:
    fields, found = ask(LESSON, "two_texts", TABLE, seed)
    tokenizer = tf.AutoTokenizer.from_pretrained(encoder_folder())
    model = tf.AutoModel.from_pretrained(encoder_folder()).eval()
    with torch.no_grad():
        states = [
            model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(0)
            for text in (fields["one"], fields["other"])
        ]
    assert_allclose(found["answer"], float(torch.cosine_similarity(*states, dim=0)), atol=1e-3)


def test_mean_of_rows_does_not_know_the_order() -> None:
    assert_allclose(computed.order()["rows"], 1, atol=1e-5)
    assert computed.order()["pooled"] < 0.99


def test_exercise_and_card() -> None:
    found = computed.exercise()
    assert (found["all"], found["pooled"]) == (20 * 6 * 384, 384)
    assert run_card(LESSON)["result"] == (1, 384)
