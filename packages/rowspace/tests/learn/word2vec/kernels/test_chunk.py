"""Training on a chunk of ids: distributions of windows, negatives and kept words, and invalid ids."""

import numpy as np
import pytest

from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.allocation import make_plan, make_scratch, make_weights, seed_random
from rowspace.learn.word2vec.kernels.arrays import WINDOWS_PER_BATCH
from rowspace.learn.word2vec.kernels.chunk import draw_reach, draw_targets, learn_chunk, next_sentence
from rowspace.learn.word2vec.kernels.skipgram import list_neighbors
from rowspace.learn.word2vec.sampling import keep_probabilities, make_sampler

pytestmark = pytest.mark.kernels

V = 30


@pytest.mark.parametrize("model", ["skipgram", "cbow"])
def test_padding_columns_and_the_padding_row_stay_zero(model):
    weights, counts = make_weights(V, FitOptions(dim=5, workers=1)), np.arange(V, 0, -1)
    options = FitOptions(dim=5, model=model, negatives=8, workers=1)
    ids = np.random.default_rng(0).integers(0, V, 300).astype(np.int32)
    scratch = make_scratch(V, options)
    sampler = make_sampler(counts, sample=0, ns_exponent=0.75)
    learn_chunk(ids, weights, sampler, make_plan(options, 0.1, 0.1), scratch)
    assert weights.outputs[:V, :5].any()
    assert not weights.outputs[V].any()
    assert not weights.inputs[V].any()
    assert not weights.outputs[:, 5:].any()
    assert not weights.inputs[:, 5:].any()


def drawn_windows(options, length, times):
    scratch = make_scratch(V, options)
    scratch.sentence[:length] = np.arange(length)
    plan = make_plan(options, 0.1, 0.1)
    for _ in range(times):
        reach = draw_reach(plan, scratch)
        count = list_neighbors(length // 2, length, reach, scratch.sentence, scratch.context)
        yield scratch.context[:count].tolist()


def test_shrinking_window_sizes_are_uniformly_distributed():
    sizes = [len(window) // 2 for window in drawn_windows(FitOptions(window=4, workers=1), 21, 4000)]
    assert set(sizes) == {1, 2, 3, 4}
    np.testing.assert_allclose(np.bincount(sizes)[1:] / 4000, 0.25, atol=0.03)


def test_fixed_window_is_clipped_to_the_sentence_and_excludes_its_center():
    options = FitOptions(window=3, shrink_windows=False, workers=1)
    assert list(drawn_windows(options, 9, 1)) == [[1, 2, 3, 5, 6, 7]]
    assert list(drawn_windows(options, 3, 1)) == [[0, 2]]


def test_negatives_are_distributed_as_counts_raised_to_ns_exponent():
    counts = np.array([1000, 300, 100, 30, 10])
    sampler = make_sampler(counts, sample=0, ns_exponent=0.75)
    options = FitOptions(negatives=1, workers=1)
    weights, scratch = make_weights(5, options), make_scratch(5, options)
    scratch.sentence[0] = 4
    seed_random(scratch, 7)
    drawn = np.zeros(6)
    for _ in range(20_000):
        draw_targets(0, 1, weights, sampler, make_plan(options, 0.1, 0.1), scratch)
        drawn[scratch.targets[1]] += 1
    expected = counts**0.75 / (counts**0.75).sum()
    # A word is never its own negative: padding (id 5) takes its place.
    np.testing.assert_allclose(drawn[[0, 1, 2, 3, 5]] / 20_000, expected, atol=0.01)
    assert drawn[4] == 0


def test_targets_of_a_window_are_distinct():
    counts = np.array([5, 4, 3])
    options = FitOptions(negatives=10, workers=1)
    weights, scratch = make_weights(3, options), make_scratch(3, options)
    sampler = make_sampler(counts, sample=0, ns_exponent=0.75)
    for _ in range(50):
        draw_targets(0, 1, weights, sampler, make_plan(options, 0.1, 0.1), scratch)
        words = [target for target in scratch.targets.tolist() if target != 3]
        assert len(words) == len(set(words))
        assert words[0] == scratch.sentence[0]


@pytest.mark.parametrize(("requested", "drawn"), [(2, 6), (6, 6), (7, 12)])
def test_cbow_shares_negatives_between_windows_and_rounds_their_number_up(requested, drawn):
    options = FitOptions(negatives=requested, model="cbow", workers=1)
    weights, scratch, plan = make_weights(V, options), make_scratch(V, options), make_plan(options, 0.1, 0.1)
    sampler = make_sampler(np.full(V, 10), sample=0, ns_exponent=0.75)
    scratch.sentence[:4] = [5, 6, 7, 8]
    seed_random(scratch, 1)
    seen = np.zeros(V + 1)
    for _ in range(200):
        draw_targets(0, 4, weights, sampler, plan, scratch)
        words, others = scratch.targets[:WINDOWS_PER_BATCH].tolist(), scratch.targets[WINDOWS_PER_BATCH:]
        assert words == [5, 6, 7]
        assert len(others) == drawn
        seen[others] += 1
    assert (seen[[5, 6, 7]] == 0).all()
    assert (seen[[0, 8, 29]] > 0).all()


def test_words_are_kept_at_the_rate_of_their_keep_probability():
    counts = np.array([9000, 900, 100])
    ids = np.repeat(np.arange(3, dtype=np.int32), 3000)
    scratch = make_scratch(3, FitOptions(workers=1))
    sampler = make_sampler(counts, sample=0.01, ns_exponent=0.75)
    kept, position = [], 0
    while position < len(ids):
        position, length = next_sentence(ids, position, sampler, scratch)
        kept += scratch.sentence[:length].tolist()
    expected = keep_probabilities(counts, sample=0.01)
    np.testing.assert_allclose(np.bincount(kept, minlength=3) / 3000, expected, atol=0.03)
    assert expected[0] < expected[1] < expected[2]


def test_sentences_end_at_negative_ids_and_at_the_scratch_size():
    ids = np.array([1, 2, -1, -1, 3, 4, 5, 6], np.int32)
    scratch = make_scratch(7, FitOptions(workers=1))
    scratch = scratch._replace(sentence=np.zeros(3, np.int64))
    sampler = make_sampler(np.ones(7, np.int64), sample=0, ns_exponent=0.75)
    sentences, position = [], 0
    while position < len(ids):
        position, length = next_sentence(ids, position, sampler, scratch)
        sentences.append(scratch.sentence[:length].tolist())
    assert sentences == [[1, 2], [], [3, 4, 5], [6]]


@pytest.mark.parametrize("model", ["skipgram", "cbow"])
@pytest.mark.parametrize("value", [np.nan, np.inf, 3e38])
def test_non_finite_rows_show_in_the_loss_without_an_error(model, value):
    options = FitOptions(dim=4, model=model, workers=1)
    weights, scratch = make_weights(V, options), make_scratch(V, options)
    weights.inputs[:V, :4] = value
    weights.outputs[:V, :4] = -value
    sampler = make_sampler(np.ones(V, np.int64), sample=0, ns_exponent=0.75)
    ids = np.arange(V, dtype=np.int32)
    with np.errstate(all="ignore"):
        learn_chunk(ids, weights, sampler, make_plan(options, 0.1, 0.1), scratch)
    pairs, loss = scratch.tally
    assert np.isnan(loss) or loss / pairs > 7


@pytest.mark.parametrize("model", ["skipgram", "cbow"])
def test_id_outside_the_vocabulary_ends_a_sentence(model):
    learned = []
    for foreign in ([-1], [V], [2**31 - 1], [-(2**31)], [V + 1]):
        options = FitOptions(dim=4, model=model, workers=1)
        weights, scratch = make_weights(V, options), make_scratch(V, options)
        sampler = make_sampler(np.ones(V, np.int64), sample=0, ns_exponent=0.75)
        ids = np.array([1, 2, 3, *foreign, 4, 5], np.int32)
        learn_chunk(ids, weights, sampler, make_plan(options, 0.1, 0.1), scratch)
        learned.append(weights.outputs.copy())
    for rows in learned[1:]:
        np.testing.assert_array_equal(rows, learned[0])


def test_chunk_without_training_pairs_leaves_the_weights_unchanged():
    weights = make_weights(V, FitOptions(dim=4, workers=1))
    before = weights.inputs.copy()
    sampler = make_sampler(np.ones(V, np.int64), sample=0, ns_exponent=0.75)
    for ids in ([], [-1, -1], [3], [3, -1, 4]):
        scratch = make_scratch(V, FitOptions(dim=4, workers=1))
        plan = make_plan(FitOptions(dim=4, workers=1), 0.1, 0.1)
        learn_chunk(np.array(ids, np.int32), weights, sampler, plan, scratch)
        assert scratch.tally.tolist() == [0, 0]
    np.testing.assert_array_equal(weights.inputs, before)
