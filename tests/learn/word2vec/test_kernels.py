"""The kernels against `reference.py`, and what is drawn (windows, negatives, kept words) against its definition."""

import numpy as np
import pytest

from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec import kernels
from rowspace.learn.word2vec.allocation import empty_weights, make_plan, make_scratch, make_weights, seed_random
from rowspace.learn.word2vec.arrays import PATIENCE, SLOTS_PER_UNIT, TABLE_SIZE, TOGETHER
from rowspace.learn.word2vec.reference import cbow_step, skipgram_step
from rowspace.learn.word2vec.sampling import keep_probabilities, make_sampler

pytestmark = pytest.mark.kernels

V = 30
# The kernels read the logistic function from a table, right to 5e-4; alpha (0.05) and the rows (below 2) scale that.
TABLE_ERROR = 2e-4


def random_weights(dim):
    weights = empty_weights(V, FitOptions(dim=dim, workers=1))
    rng = np.random.default_rng(3)
    weights.inputs[:V, :dim] = rng.normal(0, 0.4, size=(V, dim))
    weights.outputs[:V, :dim] = rng.normal(0, 0.4, size=(V, dim))
    return weights


def window(options, context, targets):
    scratch = make_scratch(V, options)
    scratch.context[: len(context)] = context
    scratch.targets[: len(targets)] = targets
    return scratch


@pytest.mark.parametrize("dim", [1, 16, 20, 100])
@pytest.mark.parametrize(
    ("context", "targets"),
    [([4], [7, 1, 2, 3, 5, 6]), ([4, 9, 4, 8], [4, 1, 9, 3, 8, 6]), ([0, 1, 2], [29]), ([1, 2], [0, 2, 1])],
    ids=["one", "repeated neighbor that is a target too", "no negatives", "two negatives"],
)
def test_skipgram_step_equals_the_reference(dim, context, targets):
    weights = random_weights(dim)
    inputs, outputs = (rows.astype(np.float64)[:, :dim] for rows in weights[:2])
    scratch = window(FitOptions(dim=dim, workers=1), context, targets)
    kernels.learn_skipgram(len(context), np.float32(0.05), weights, scratch)
    loss = skipgram_step(inputs, outputs, context, targets, alpha=0.05)
    np.testing.assert_allclose(weights.inputs[:, :dim], inputs, atol=TABLE_ERROR)
    np.testing.assert_allclose(weights.outputs[:, :dim], outputs, atol=TABLE_ERROR)
    assert scratch.tally[0] == len(context)
    assert scratch.tally[1] == pytest.approx(loss, rel=1e-3)


def test_more_than_five_negatives_are_learned_six_targets_at_a_time():
    weights, context, targets = random_weights(16), [4, 5], list(range(8, 20))
    inputs, outputs = (rows.astype(np.float64) for rows in weights[:2])
    scratch = window(FitOptions(dim=16, negatives=11, workers=1), context, targets)
    kernels.learn_skipgram(len(context), np.float32(0.05), weights, scratch)
    skipgram_step(inputs, outputs, context, targets[:6], alpha=0.05)
    rest = targets[6:]  # negatives only: each label is 0
    probabilities, before = 1 / (1 + np.exp(-(inputs[context] @ outputs[rest].T))), outputs[rest].copy()
    for i, word in enumerate(context):
        outputs[rest] -= 0.05 * np.outer(probabilities[i], inputs[word])
        inputs[word] -= 0.05 * probabilities[i] @ before
    np.testing.assert_allclose(weights.inputs, inputs, atol=TABLE_ERROR)
    np.testing.assert_allclose(weights.outputs, outputs, atol=TABLE_ERROR)


@pytest.mark.parametrize("mean", [True, False])
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(("negatives", "reach"), [(2, 1), (5, 2), (5, 3), (6, 5)])
@pytest.mark.parametrize(
    ("sentence", "first"),
    [
        ([1, 2], 0),
        ([4, 9, 4, 8], 3),
        ([4, 9, 7, 8, 3], 3),
        ([4, 9, 4, 8, 7, 4, 9, 9, 1, 2, 8, 4, 3], 0),
        ([4, 9, 4, 8, 7, 4, 9, 9, 1, 2, 8, 4, 3], 6),
        (list(range(20)), 9),
    ],
    ids=["two words", "the last one alone", "the last two", "a start", "a middle with repeated words", "a middle"],
)
def test_cbow_step_equals_the_reference(mean, exact, negatives, reach, sentence, first):
    weights, drawn = random_weights(20), list(range(20, 20 + negatives))
    inputs, outputs = (rows.astype(np.float64)[:, :20] for rows in weights[:2])
    gradient = "exact" if exact else "word2vec"
    options = FitOptions(dim=20, model="cbow", cbow_mean=mean, cbow_gradient=gradient, negatives=negatives, workers=1)
    windows = [
        (sentence[max(0, center - reach) : center] + sentence[center + 1 : center + 1 + reach], sentence[center])
        for center in range(first, min(first + TOGETHER, len(sentence)))
    ]
    plan, scratch = make_plan(options, 0.05, 0.05), make_scratch(V, options)
    scratch.sentence[: len(sentence)] = sentence
    scratch.targets[: len(windows)] = [word for _, word in windows]
    scratch.targets[TOGETHER : TOGETHER + negatives] = drawn
    begin, end = kernels.lay_windows(first, len(sentence), reach, scratch.sentence, plan, scratch)
    kernels.learn_cbow(begin, end, scratch.sentence, len(windows), np.float32(0.05), weights, plan, scratch)
    loss = cbow_step(inputs, outputs, windows, drawn, alpha=0.05, mean=mean, exact=exact)
    np.testing.assert_allclose(weights.inputs[:, :20], inputs, atol=TABLE_ERROR)
    np.testing.assert_allclose(weights.outputs[:, :20], outputs, atol=TABLE_ERROR)
    assert scratch.tally[0] == len(windows)
    assert scratch.tally[1] == pytest.approx(loss, rel=1e-3)


@pytest.mark.parametrize("model", ["skipgram", "cbow"])
def test_padding_columns_and_the_padding_row_stay_zero(model):
    weights, counts = make_weights(V, FitOptions(dim=5, workers=1)), np.arange(V, 0, -1)
    options = FitOptions(dim=5, model=model, negatives=8, workers=1)
    ids = np.random.default_rng(0).integers(0, V, 300).astype(np.int32)
    scratch = make_scratch(V, options)
    sampler = make_sampler(counts, sample=0, ns_exponent=0.75)
    kernels.learn_stretch(ids, weights, sampler, make_plan(options, 0.1, 0.1), scratch)
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
        reach = kernels.draw_reach(plan, scratch)
        count = kernels.list_neighbors(length // 2, length, reach, scratch.sentence, scratch.context)
        yield scratch.context[:count].tolist()


def test_a_shrinking_window_takes_each_size_equally_often():
    sizes = [len(window) // 2 for window in drawn_windows(FitOptions(window=4, workers=1), 21, 4000)]
    assert set(sizes) == {1, 2, 3, 4}
    np.testing.assert_allclose(np.bincount(sizes)[1:] / 4000, 0.25, atol=0.03)


def test_a_fixed_window_is_cut_by_the_sentence_and_leaves_out_its_center():
    options = FitOptions(window=3, shrink_windows=False, workers=1)
    assert list(drawn_windows(options, 9, 1)) == [[1, 2, 3, 5, 6, 7]]
    assert list(drawn_windows(options, 3, 1)) == [[0, 2]]


def test_negatives_follow_the_counts_to_the_exponent():
    counts = np.array([1000, 300, 100, 30, 10])
    sampler = make_sampler(counts, sample=0, ns_exponent=0.75)
    options = FitOptions(negatives=1, workers=1)
    scratch = make_scratch(5, options)
    scratch.sentence[0] = 4
    seed_random(scratch, 7)
    drawn = np.zeros(6)
    for _ in range(20_000):
        kernels.draw_targets(0, 1, sampler, make_plan(options, 0.1, 0.1), scratch)
        drawn[scratch.targets[1]] += 1
    expected = counts**0.75 / (counts**0.75).sum()
    # The word itself is never its own negative: it gives way to padding (id 5).
    np.testing.assert_allclose(drawn[[0, 1, 2, 3, 5]] / 20_000, expected, atol=0.01)
    assert drawn[4] == 0


def test_a_windows_targets_are_distinct():
    counts = np.array([5, 4, 3])
    options = FitOptions(negatives=10, workers=1)
    scratch = make_scratch(3, options)
    sampler = make_sampler(counts, sample=0, ns_exponent=0.75)
    for _ in range(50):
        kernels.draw_targets(0, 1, sampler, make_plan(options, 0.1, 0.1), scratch)
        words = [target for target in scratch.targets.tolist() if target != 3]
        assert len(words) == len(set(words))
        assert words[0] == scratch.sentence[0]


@pytest.mark.parametrize(("asked", "drawn"), [(2, 6), (6, 6), (7, 12)])
def test_cbow_draws_negatives_for_several_windows_in_whole_groups(asked, drawn):
    options = FitOptions(negatives=asked, model="cbow", workers=1)
    scratch, plan = make_scratch(V, options), make_plan(options, 0.1, 0.1)
    sampler = make_sampler(np.full(V, 10), sample=0, ns_exponent=0.75)
    scratch.sentence[:4] = [5, 6, 7, 8]
    seed_random(scratch, 1)
    seen = np.zeros(V + 1)
    for _ in range(200):
        kernels.draw_targets(0, 4, sampler, plan, scratch)
        words, others = scratch.targets[:TOGETHER].tolist(), scratch.targets[TOGETHER:]
        assert words == [5, 6, 7]
        assert len(others) == drawn
        seen[others] += 1
    assert (seen[[5, 6, 7]] == 0).all()
    assert (seen[[0, 8, 29]] > 0).all()


def test_words_are_kept_as_often_as_their_probability_says():
    counts = np.array([9000, 900, 100])
    ids = np.repeat(np.arange(3, dtype=np.int32), 3000)
    scratch = make_scratch(3, FitOptions(workers=1))
    sampler = make_sampler(counts, sample=0.01, ns_exponent=0.75)
    kept, position = [], 0
    while position < len(ids):
        position, length = kernels.next_sentence(ids, position, sampler, scratch)
        kept += scratch.sentence[:length].tolist()
    expected = keep_probabilities(counts, sample=0.01)
    np.testing.assert_allclose(np.bincount(kept, minlength=3) / 3000, expected, atol=0.03)
    assert expected[0] < expected[1] < expected[2]


def test_sentences_end_at_negative_ids_and_at_the_scratch():
    ids = np.array([1, 2, -1, -1, 3, 4, 5, 6], np.int32)
    scratch = make_scratch(7, FitOptions(workers=1))
    scratch = scratch._replace(sentence=np.zeros(3, np.int64))
    sampler = make_sampler(np.ones(7, np.int64), sample=0, ns_exponent=0.75)
    sentences, position = [], 0
    while position < len(ids):
        position, length = kernels.next_sentence(ids, position, sampler, scratch)
        sentences.append(scratch.sentence[:length].tolist())
    assert sentences == [[1, 2], [], [3, 4, 5], [6]]


@pytest.mark.parametrize("score", [np.nan, np.inf, -np.inf, 8, -8, 3e38, -1e-30])
def test_every_score_has_a_slot_in_the_tables(score):
    slot = kernels.place_in_table(np.float32(score))
    assert slot == round((float(np.clip(np.nan_to_num(score, nan=-8), -8, 8)) + 8) * SLOTS_PER_UNIT)
    assert 0 <= slot <= TABLE_SIZE


@pytest.mark.parametrize("model", ["skipgram", "cbow"])
@pytest.mark.parametrize("value", [np.nan, np.inf, 3e38])
def test_rows_that_are_not_finite_show_in_the_loss_and_break_nothing(model, value):
    options = FitOptions(dim=4, model=model, workers=1)
    weights, scratch = make_weights(V, options), make_scratch(V, options)
    weights.inputs[:V, :4] = value
    weights.outputs[:V, :4] = -value
    sampler = make_sampler(np.ones(V, np.int64), sample=0, ns_exponent=0.75)
    ids = np.arange(V, dtype=np.int32)
    with np.errstate(all="ignore"):
        kernels.learn_stretch(ids, weights, sampler, make_plan(options, 0.1, 0.1), scratch)
    pairs, loss = scratch.tally
    assert np.isnan(loss) or loss / pairs > 7


@pytest.mark.parametrize("model", ["skipgram", "cbow"])
def test_an_id_outside_the_vocabulary_ends_a_sentence(model):
    learned = []
    for foreign in ([-1], [V], [2**31 - 1], [-(2**31)], [V + 1]):
        options = FitOptions(dim=4, model=model, workers=1)
        weights, scratch = make_weights(V, options), make_scratch(V, options)
        sampler = make_sampler(np.ones(V, np.int64), sample=0, ns_exponent=0.75)
        ids = np.array([1, 2, 3, *foreign, 4, 5], np.int32)
        kernels.learn_stretch(ids, weights, sampler, make_plan(options, 0.1, 0.1), scratch)
        learned.append(weights.outputs.copy())
    for rows in learned[1:]:
        np.testing.assert_array_equal(rows, learned[0])


def test_a_stretch_with_nothing_to_learn_changes_nothing():
    weights = make_weights(V, FitOptions(dim=4, workers=1))
    before = weights.inputs.copy()
    sampler = make_sampler(np.ones(V, np.int64), sample=0, ns_exponent=0.75)
    for ids in ([], [-1, -1], [3], [3, -1, 4]):
        scratch = make_scratch(V, FitOptions(dim=4, workers=1))
        plan = make_plan(FitOptions(dim=4, workers=1), 0.1, 0.1)
        kernels.learn_stretch(np.array(ids, np.int32), weights, sampler, plan, scratch)
        assert scratch.tally.tolist() == [0, 0]
    np.testing.assert_array_equal(weights.inputs, before)


def test_a_copy_is_used_in_the_place_of_a_frequent_word_only():
    options = FitOptions(dim=4, workers=2)
    weights, scratch = make_weights(600, options), make_scratch(600, options, worker=1)
    copies = scratch.copies
    scratch.sentence[:4] = words = [0, 511, 512, 599]
    kernels.use_copies(4, weights, scratch)
    assert (copies.words, copies.first) == (512, 600 + 1 + 512 + 1)
    assert scratch.sentence[:4].tolist() == [1114, 1625, 512, 599]
    kernels.start_copies(weights, copies)
    np.testing.assert_array_equal(weights.inputs[scratch.sentence[:4]], weights.inputs[words])


def test_what_two_workers_copies_moved_is_added_up_when_they_are_merged():
    options = FitOptions(dim=4, workers=2)
    weights = make_weights(3, options)
    first, second = (make_scratch(3, options, worker=worker).copies for worker in range(2))
    before = weights.inputs[:3].copy()
    for copies in (first, second):
        kernels.start_copies(weights, copies)
    weights.inputs[first.first, 0] += 1
    weights.inputs[second.first, 0] += 2
    weights.outputs[second.first + 2, 1] += 4
    for copies in (first, second, first, second):
        kernels.merge_copies(weights, copies)
    np.testing.assert_allclose((weights.inputs[0] - before[0])[:4], [3, 0, 0, 0], rtol=1e-6)
    np.testing.assert_array_equal(weights.inputs[1:3], before[1:])
    assert weights.outputs[2, 1] == 4
    for copies in (first, second):
        np.testing.assert_array_equal(weights.inputs[copies.first : copies.first + 3], weights.inputs[:3])
        np.testing.assert_array_equal(weights.outputs[copies.first : copies.first + 3], weights.outputs[:3])


def test_a_copy_is_merged_each_time_that_it_was_used_often_enough():
    options = FitOptions(dim=4, workers=2)
    weights, scratch = make_weights(3, options), make_scratch(3, options)
    copies = scratch.copies
    kernels.start_copies(weights, copies)
    for turn in range(1, 3 * PATIENCE):
        weights.inputs[copies.first, 0] = turn
        scratch.sentence[0] = 0
        kernels.use_copies(1, weights, scratch)
        if turn >= PATIENCE:
            assert weights.inputs[0, 0] == pytest.approx(turn - turn % PATIENCE)


@pytest.mark.parametrize("model", ["skipgram", "cbow"])
def test_copies_change_nothing_where_one_worker_alone_uses_them(model):
    ids = np.random.default_rng(0).integers(0, V, 400).astype(np.int32)
    learned = []
    for workers in (1, 2):
        options = FitOptions(dim=6, model=model, workers=workers)
        weights, scratch = make_weights(V, options), make_scratch(V, options)
        sampler = make_sampler(np.arange(V, 0, -1), sample=0, ns_exponent=0.75)
        seed_random(scratch, 1)
        kernels.start_copies(weights, scratch.copies)
        kernels.learn_stretch(ids, weights, sampler, make_plan(options, 0.1, 0.1), scratch)
        kernels.merge_copies(weights, scratch.copies)
        learned.append([rows[:V].copy() for rows in weights[:2]])
    np.testing.assert_allclose(learned[0][0], learned[1][0], atol=1e-6)
    np.testing.assert_allclose(learned[0][1], learned[1][1], atol=1e-6)
