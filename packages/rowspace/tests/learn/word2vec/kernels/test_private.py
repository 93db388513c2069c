"""Private rows of a deterministic fit: what a part learns in them, and how the changes of all parts are added."""

import numpy as np
import pytest
from tests.learn.word2vec.reference import skipgram_step

from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.allocation import empty_weights, make_plan, make_scratch, seed_random
from rowspace.learn.word2vec.kernels import add_changes, learn_piece
from rowspace.learn.word2vec.kernels.arrays import HALF_WAY, Ngrams
from rowspace.learn.word2vec.kernels.chunk import draw_reach, draw_targets, next_sentence
from rowspace.learn.word2vec.kernels.private import forget_rows, map_to_private, private_row
from rowspace.learn.word2vec.kernels.skipgram import list_neighbors
from rowspace.learn.word2vec.private_rows import PIECES, WORDS, make_private, room_of
from rowspace.learn.word2vec.sampling import make_sampler

pytestmark = pytest.mark.kernels

V, DIM = 30, 16
OPTIONS = FitOptions(dim=DIM, negatives=3, window=2, workers=1, deterministic=True)
NO_NGRAMS = Ngrams(np.zeros((0, 16), np.float32), np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0, np.int32))


@pytest.fixture
def weights():
    weights, rng = empty_weights(V, OPTIONS), np.random.default_rng(2)
    weights.inputs[:V] = rng.normal(0, 0.4, (V, DIM))
    weights.outputs[:V] = rng.normal(0, 0.4, (V, DIM))
    return weights


@pytest.fixture
def scratches():
    private = make_private(V, 0, room_of(V, NO_NGRAMS, 3), "skipgram")
    return [make_scratch(V, OPTIONS, private=each) for each in private]


def test_a_piece_learns_as_the_reference_and_leaves_the_table_alone(weights, scratches):
    ids = np.array([4, 9, 4, 1, 7, -1, 2, 9], np.int32)
    ids.setflags(write=False)  # as a corpus is, which is a type of its own for Numba
    sampler, plan = make_sampler(np.full(V, 7), sample=0, ns_exponent=0.0), make_plan(OPTIONS, 0.05, 0.05)
    inputs, outputs = weights.inputs.astype(np.float64), weights.outputs.astype(np.float64)
    before = weights.inputs[:V].copy(), weights.outputs[:V].copy()
    scratch, replayed = scratches[1], scratches[3]
    seed_random(scratch, 5)
    assert learn_piece(ids, 0, weights, sampler, plan, scratch) == len(ids)
    np.testing.assert_array_equal(weights.inputs[:V], before[0])
    np.testing.assert_array_equal(weights.outputs[:V], before[1])

    replayed.private.pool[3] = replayed.private.pool[1]  # then the generator is where it was after the pool was drawn
    seed_random(replayed, 5)
    for _ in range(replayed.private.pool.shape[1]):
        draw_reach(plan, replayed)
    position = 0
    while position < len(ids):
        position, length = next_sentence(ids, position, sampler, replayed)
        words = replayed.sentence[:length].tolist()
        map_to_private(length, weights, replayed, replayed.private)
        for place in range(length):
            draw_targets(place, length, weights, sampler, plan, replayed)
            targets = [
                int(replayed.private.words[row - V]) for row in replayed.targets[:4] if row != replayed.targets[5]
            ]
            reach = draw_reach(plan, replayed)
            count = list_neighbors(place, length, reach, np.array(words), replayed.context)
            skipgram_step(inputs, outputs, replayed.context[:count].tolist(), targets, alpha=0.05)
    forget_rows(replayed.private)
    add_changes(weights, scratch.private, 0, 1)
    np.testing.assert_allclose(weights.inputs[:V], inputs[:V], atol=2e-4)
    np.testing.assert_allclose(weights.outputs[:V], outputs[:V], atol=2e-4)
    assert np.abs(weights.inputs[:V] - before[0]).max() > 0.01


@pytest.mark.parametrize("shares", [1, 4])
def test_changes_of_parts_are_added_and_scaled_by_the_number_of_steps(weights, scratches, shares):
    before, uses = weights.outputs[:V].astype(np.float64), {0: 30, 2: 1, 7: 9}
    for part, steps in uses.items():
        for _ in range(steps):
            row = private_row(5, False, weights, scratches[part].private)
        weights.outputs[row] += np.float32(part + 1)
    only = private_row(8, True, weights, scratches[4].private)
    weights.inputs[only] += np.float32(2)
    first_input = weights.inputs[8].copy()
    for share in range(shares):
        add_changes(weights, scratches[0].private, share, shares)
    alone = sum(steps / (steps + HALF_WAY) for steps in uses.values())
    together = sum(uses.values()) / (sum(uses.values()) + HALF_WAY)
    np.testing.assert_allclose(weights.outputs[5], before[5] + (1 + 3 + 8) * together / alone, rtol=1e-5)
    np.testing.assert_array_equal(weights.inputs[8], first_input + np.float32(2))
    np.testing.assert_array_equal(weights.outputs[6], before[6].astype(np.float32))


@pytest.mark.parametrize("model", ["skipgram", "cbow"])
def test_a_part_stops_at_the_end_of_a_piece_and_where_its_rows_are_used_up(model):
    size, piece = 3 * WORDS, PIECES[model]
    options = FitOptions(model=model, dim=1, negatives=60, workers=1, deterministic=True)
    room = room_of(size, NO_NGRAMS, 60)
    scratch = make_scratch(size, options, private=make_private(size, 0, room, model)[0])
    weights, plan = empty_weights(size, options), make_plan(options, 0.05, 0.05)
    sampler = make_sampler(np.full(size, 7), sample=0, ns_exponent=0.75)
    ids = np.arange(size, dtype=np.int32)
    ids[20::21] = -1
    ids.setflags(write=False)
    position, pieces = 0, []
    while position < 4 * piece:
        begin, position = position, learn_piece(ids, position, weights, sampler, plan, scratch)
        pieces.append(position - begin)
        assert scratch.private.used[0, 0] <= room.words
    assert max(pieces) < piece + len(scratch.sentence) + 1
    assert min(pieces) > 0
