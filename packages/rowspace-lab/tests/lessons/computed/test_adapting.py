"""The numbers of the lesson on adapting rows, compared with sums over the model's tensors."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from tests.lessons.asking import ask, run_card

import rowspace as rs
from rowspace_lab.lessons.computed.topics import adapting as computed
from rowspace_lab.lessons.lesson import LESSONS, lesson
from rowspace_lab.tables.small_world import small_world_sentences

LESSON = next(number for number in LESSONS if lesson(number).module is computed)
TABLE = rs.Table(["a"], np.ones((1, 2)))


def test_ways_have_the_sizes_of_the_small_world() -> None:
    found, words = computed.ways(), {word for line in small_world_sentences() for word in line.split()}
    assert found["known"] == sum("king" not in line.split() for line in small_world_sentences())
    assert found["free"]["learned"] == len(words) * 16  # tsar in place of king


def test_only_free_rows_and_low_rank_forget() -> None:
    found = computed.ways()
    assert found["frozen"]["old"] == found["before"]
    assert_allclose(found["new"]["old"], found["before"], atol=0.01)
    assert found["lora"]["old"] > 2 * found["free"]["old"] > 4 * found["before"]
    assert found["free"]["held_out"] < found["new"]["held_out"] < found["frozen"]["held_out"]


@pytest.mark.parametrize(
    ("seed", "expected"),
    [(0, 2), pytest.param(1, 3, marks=pytest.mark.long), pytest.param(2, 2, marks=pytest.mark.long)],
)
def test_ways_that_move_a_row(seed: int, expected: int) -> None:
    assert ask(LESSON, "which_ways", TABLE, seed)[1]["answer"] == expected


@pytest.mark.parametrize(("seed", "expected"), [(0, 4 * 125), (1, 8 * 31_290), (2, 16 * 51_025), (3, 125)])
def test_numbers_that_learn_with_lora(seed: int, expected: int) -> None:
    assert ask(LESSON, "learned", TABLE, seed)[1]["answer"] == expected


@pytest.mark.parametrize(
    ("seed", "expected"),
    [(0, "LoRA"), pytest.param(1, "frozen", marks=pytest.mark.long), pytest.param(2, "free", marks=pytest.mark.long)],
)
def test_way_with_the_extreme_loss(seed: int, expected: str) -> None:
    fields, found = ask(LESSON, "extreme", TABLE, seed)
    assert fields["options"][found["answer"]] == expected


def test_rows_are_frozen_by_default_and_merging_changes_nothing() -> None:
    assert computed.default() is torch.nn.Embedding.from_pretrained(torch.ones(1, 1)).weight.requires_grad is False
    assert computed.merged()["difference"] < 1e-5


def test_exercise_and_card() -> None:
    found = computed.exercise()
    assert (found["free"], found["lora"], found["only"]) == (30_622 * 768, 8 * (30_622 + 768), 100 * 768)
    assert run_card(LESSON)["result"] == 16
