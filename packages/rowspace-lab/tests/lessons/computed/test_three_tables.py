"""The numbers of the lesson about BERT's tables, compared with the encoder's tensors and PyTorch's modules."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from safetensors.torch import load_file
from tests.lessons.asking import ask, run_card

import rowspace as rs
from rowspace.errors import UsageError
from rowspace.learn.default_table import encoder_folder
from rowspace_lab.lessons.computed.tables import small_world
from rowspace_lab.lessons.computed.topics import three_tables as computed
from rowspace_lab.lessons.lesson import LESSONS, lesson

LESSON = next(number for number in LESSONS if lesson(number).module is computed)


def test_sizes_are_those_of_bert_base() -> None:
    found = computed.bert()
    assert [found[name] for name in ("tokens", "positions", "segments", "dim")] == [30_522, 512, 2, 768]
    assert (found["beside"], found["map"]) == (2304, 2304 * 768)


def test_norms_and_nearest_rows_are_those_of_the_encoder() -> None:
    tensors = load_file(encoder_folder() / "model.safetensors")
    names = {"tokens": "word", "positions": "position", "segments": "token_type"}
    rows = {name: tensors[f"embeddings.{of}_embeddings.weight"].numpy() for name, of in names.items()}
    for name, table in rows.items():
        assert_allclose(computed.own()[name], np.linalg.norm(table, axis=1).mean(), rtol=1e-4)
    drawn = np.random.default_rng(1)  # other draws than the lesson's
    ids = {name: drawn.integers(len(table), size=300) for name, table in rows.items()}
    total = np.sum([rows[name][ids[name]] for name in rows], axis=0)
    for name in ("tokens", "positions"):
        units = rows[name] / np.maximum(np.linalg.norm(rows[name], axis=1, keepdims=True), 1e-9)
        assert_allclose(computed.again()[name], np.mean((total @ units.T).argmax(1) == ids[name]), atol=0.01)


def test_layer_norm_forgets_a_factor_and_identities_add_exactly() -> None:
    assert 0 < computed.times()["difference"] < 1e-5
    assert computed.joined()["difference"] == 0


@pytest.mark.parametrize(("seed", "expected"), [(0, 1), (1, 6), (2, 3), (3, 4)])
def test_vectors_that_change(seed: int, expected: int) -> None:
    fields, found = ask(LESSON, "changed", small_world(), seed)
    assert found["answer"] == expected
    assert fields["begins"] == fields["text"].split()[fields["place"]]


@pytest.mark.parametrize("seed", range(4))
def test_norm_after_layer_norm(seed: int) -> None:
    fields, found = ask(LESSON, "length", small_world(), seed)
    assert_allclose(found["answer"], fields["dim"] ** 0.5, rtol=1e-4)
    assert found["sum"] < found["answer"] / 2


@pytest.mark.parametrize("seed", range(4))
def test_kept_number_is_that_of_torch(seed: int) -> None:
    fields, found = ask(LESSON, "kept", small_world(), seed)
    dropped = torch.nn.Dropout(fields["p"])(torch.full((1000,), fields["value"]))
    assert_allclose(found["answer"], float(dropped.max()), rtol=1e-6)
    assert_allclose(found["zeros"], fields["percent"], atol=1)
    assert_allclose(found["mean"], fields["value"], rtol=0.02)


def test_question_needs_the_words_of_the_sentence() -> None:
    with pytest.raises(UsageError, match="no row for the, cat, sleeps, dog, sat"):
        computed.changed(rs.Table(["a"], np.ones((1, 2))), 0)


def test_exercise_and_card() -> None:
    tokens = ["[CLS]", *"abcde", "[SEP]", *"fghijkl", "[SEP]"]
    found = computed.exercise()
    assert (found["tokens"], found["last"]) == (len(tokens), len(tokens) - 1)
    assert found["zeros"] == tokens.index("[SEP]") + 1
    assert run_card(LESSON)["result"]["segments.weight"] == (2, 768)
