"""All strategies see the same units, labels and bytes; only the form differs."""

import numpy as np
import pytest

from rowspace_lab.experiments.arena.model.batches import Batches
from rowspace_lab.experiments.arena.model.forms import UNKNOWN, make_form
from rowspace_lab.experiments.arena.model.model import NO_BYTE
from rowspace_lab.experiments.arena.strategies import STRATEGIES, TASKS
from rowspace_lab.experiments.arena.tasks.images import render


@pytest.fixture(scope="module")
def forms(tasks, options):
    return {(task, name): make_form(tasks[task], STRATEGIES[name], options) for task in TASKS for name in STRATEGIES}


@pytest.mark.parametrize(
    "task", [pytest.param(task, marks=pytest.mark.long if task == "next-bytes" else ()) for task in TASKS]
)
def test_batches_have_the_same_labels_and_bytes_for_all_strategies(task, tasks, forms):
    expected = None
    for name in STRATEGIES:
        batches = list(Batches(tasks[task], forms[task, name]).held_out())
        labels = [label for batch in batches for label in batch.labels.tolist()]
        text = [bytes(chunk[chunk != NO_BYTE].tolist()) for b in batches for chunk in b.following.flatten(0, 1).numpy()]
        expected = expected or (labels, text)
        assert (labels, text) == expected
    units = tasks[task].test.units
    if task == "next-bytes":
        assert expected[1] == [tasks[task].units[unit] for unit in units[:, 1:].ravel()]
    else:
        assert expected[0] == tasks[task].test.labels.tolist()


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_state_before_a_chunk_is_that_of_the_last_token_before_it(name, tasks, forms):
    task, form = tasks["next-bytes"], forms["next-bytes", name]
    batch = next(Batches(task, form).held_out())
    for row, units in enumerate(task.test.units[: len(batch.tokens)]):
        tokens = [form.tokens[form.starts[unit] : form.starts[unit + 1]] for unit in units]
        whole = np.concatenate(tokens)
        assert int(batch.lengths[row]) == len(whole)
        assert (batch.tokens[row, : len(whole)].numpy() == whole).all()
        assert batch.ends[row].tolist() == (np.cumsum([len(part) for part in tokens])[:-1] - 1).tolist()


def test_bytes_spell_the_units_and_byte_pairs_are_fewer(tasks, forms):
    for task in tasks.values():
        spelled, pairs = forms[task.name, "bytes"], forms[task.name, "bpe"]
        for number in range(0, len(task.units), 97):
            unit = task.units[number]
            expected = len(unit) if isinstance(unit, bytes) else unit.size
            assert spelled.lengths[number] == expected
        assert pairs.lengths.sum() < spelled.lengths.sum()


def test_frequent_words_have_rows_and_the_others_share_one(tasks, forms):
    task = tasks["next-bytes"]
    small, large = forms["next-bytes", "small-tied"], forms["next-bytes", "large-untied"]
    assert (small.lengths == 1).all()
    assert (small.size, large.size) == (125, 2000)
    assert (small.tokens == UNKNOWN).sum() > (large.tokens == UNKNOWN).sum()
    known = large.tokens[large.tokens != UNKNOWN]
    assert len(set(known.tolist())) == len(known)
    learned = np.bincount(task.train.units.ravel(), minlength=len(task.units))
    assert learned[small.tokens != UNKNOWN].min() >= learned[small.tokens == UNKNOWN].max()


@pytest.mark.parametrize(("name", "side"), [("patches-16", 4), ("patches-32", 8)])
def test_patches_hold_the_pixels_of_a_unit(name, side, tasks, forms):
    task, form = tasks["text-in-images"], forms["text-in-images", name]

    def patches(number):
        return form.tokens[form.starts[number] : form.starts[number + 1]].reshape(-1, side, side)

    image = task.units[2]
    assert (np.hstack(list(patches(2)[: 48 // side])) == image[:side]).all()
    text = render("left ", 8)
    columns = patches(0).reshape(-1, 8, side)  # patches of one column follow each other
    assert (np.hstack(list(columns))[:, : text.shape[1]] == text).all()
