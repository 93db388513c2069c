"""Per-worker copies of frequent rows, and merging them."""

import numpy as np
import pytest

from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.allocation import make_plan, make_scratch, make_weights, seed_random
from rowspace.learn.word2vec.kernels.arrays import SYNC_EVERY
from rowspace.learn.word2vec.kernels.chunk import learn_chunk
from rowspace.learn.word2vec.kernels.copies import map_to_copies, merge_copies, start_copies
from rowspace.learn.word2vec.sampling import make_sampler

pytestmark = pytest.mark.kernels

V = 30


def test_only_frequent_words_use_copies():
    options = FitOptions(dim=4, workers=2)
    weights, scratch = make_weights(600, options), make_scratch(600, options, worker=1)
    copies = scratch.copies
    scratch.sentence[:4] = words = [0, 511, 512, 599]
    map_to_copies(4, weights, scratch)
    assert (copies.words, copies.first_row) == (512, 600 + 1 + 512 + 1)
    assert scratch.sentence[:4].tolist() == [1114, 1625, 512, 599]
    start_copies(weights, copies)
    np.testing.assert_array_equal(weights.inputs[scratch.sentence[:4]], weights.inputs[words])


def test_merging_adds_the_updates_of_both_workers():
    options = FitOptions(dim=4, workers=2)
    weights = make_weights(3, options)
    first, second = (make_scratch(3, options, worker=worker).copies for worker in range(2))
    before = weights.inputs[:3].copy()
    for copies in (first, second):
        start_copies(weights, copies)
    weights.inputs[first.first_row, 0] += 1
    weights.inputs[second.first_row, 0] += 2
    weights.outputs[second.first_row + 2, 1] += 4
    for copies in (first, second, first, second):
        merge_copies(weights, copies)
    np.testing.assert_allclose((weights.inputs[0] - before[0])[:4], [3, 0, 0, 0], rtol=1e-6)
    np.testing.assert_array_equal(weights.inputs[1:3], before[1:])
    assert weights.outputs[2, 1] == 4
    for copies in (first, second):
        np.testing.assert_array_equal(weights.inputs[copies.first_row : copies.first_row + 3], weights.inputs[:3])
        np.testing.assert_array_equal(weights.outputs[copies.first_row : copies.first_row + 3], weights.outputs[:3])


def test_copy_is_merged_after_every_sync_every_uses():
    options = FitOptions(dim=4, workers=2)
    weights, scratch = make_weights(3, options), make_scratch(3, options)
    copies = scratch.copies
    start_copies(weights, copies)
    for turn in range(1, 3 * SYNC_EVERY):
        weights.inputs[copies.first_row, 0] = turn
        scratch.sentence[0] = 0
        map_to_copies(1, weights, scratch)
        if turn >= SYNC_EVERY:
            assert weights.inputs[0, 0] == pytest.approx(turn - turn % SYNC_EVERY)


@pytest.mark.parametrize("model", ["skipgram", "cbow"])
def test_copies_of_a_single_worker_do_not_change_the_result(model):
    ids = np.random.default_rng(0).integers(0, V, 400).astype(np.int32)
    learned = []
    for workers in (1, 2):
        options = FitOptions(dim=6, model=model, workers=workers)
        weights, scratch = make_weights(V, options), make_scratch(V, options)
        sampler = make_sampler(np.arange(V, 0, -1), sample=0, ns_exponent=0.75)
        seed_random(scratch, 1)
        start_copies(weights, scratch.copies)
        learn_chunk(ids, weights, sampler, make_plan(options, 0.1, 0.1), scratch)
        merge_copies(weights, scratch.copies)
        learned.append([rows[:V].copy() for rows in weights[:2]])
    np.testing.assert_allclose(learned[0][0], learned[1][0], atol=1e-6)
    np.testing.assert_allclose(learned[0][1], learned[1][1], atol=1e-6)
