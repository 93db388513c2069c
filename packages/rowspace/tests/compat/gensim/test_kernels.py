"""The general kernel against the same steps in NumPy, one pair after the other."""

import dataclasses

import numpy as np
import pytest

from rowspace.compat.gensim.training import kernels
from rowspace.compat.gensim.training.corpus import EncodedText, LearningOptions
from rowspace.compat.gensim.training.general import (
    GeneralLearner,
    Tags,
    make_outputs,
    make_scratch,
    rules_of,
    sampler_of,
    word_parts,
)
from rowspace.compat.gensim.training.vocabulary import huffman_tree

pytestmark = pytest.mark.kernels

V, D, DIM, WINDOW, ALPHA = 6, 3, 4, 2, 0.3
IDS = np.array([0, 3, 1, 5, -1, 2, -1, 4, 0, 0, 2, -1], np.int32)
IDS.setflags(write=False)
TAGS = Tags(np.array([0, 1, 1, 2]), np.array([0, 1, 2, 4]))
COUNTS = np.array([9, 7, 5, 3, 2, 1])
MODES = {"skipgram": kernels.SKIPGRAM, "cbow": kernels.CBOW, "dbow": kernels.DBOW, "dm": kernels.DM}


def options(mode, **changes):
    fixed = LearningOptions(
        dim=DIM, mode=mode, window=WINDOW, shrink=False, negatives=0, softmax=True, mean=True, sample=0.0,
        ns_exponent=0.75, alpha=ALPHA, alpha_end=ALPHA, epochs=1, workers=1, batch_words=5, seed=1,
    )  # fmt: skip
    return dataclasses.replace(fixed, **changes)


def random_rows(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def softmax_step(hidden, tree, path):
    """Return the change of `hidden` by hierarchical softmax, and update `tree` in place."""
    change = np.zeros_like(hidden)
    for point, code in path:
        step = ALPHA * (1 - code - 1 / (1 + np.exp(-(hidden @ tree[point]))))
        change += step * tree[point]
        tree[point] += step * hidden
    return change


def learn_in_numpy(mode, words, documents, tree, paths, *, mean):
    sentences = [part[:-1].tolist() for part in np.split(IDS, np.flatnonzero(IDS < 0) + 1)[:-1]]
    for number, sentence in enumerate(sentences):
        own = TAGS.tags[TAGS.starts[number] : TAGS.starts[number + 1]].tolist()
        for place, word in enumerate(sentence):
            near = [
                sentence[i] for i in range(max(0, place - WINDOW), min(len(sentence), place + WINDOW + 1)) if i != place
            ]
            groups = {
                "skipgram": [[(words, other)] for other in near],
                "cbow": [[(words, other) for other in near]],
                "dbow": [[(documents, tag)] for tag in own],
                "dm": [[(words, other) for other in near] + [(documents, tag) for tag in own]],
            }[mode]
            for group in filter(None, groups):
                hidden = sum(rows[row] for rows, row in group)
                hidden = hidden / len(group) if mean else hidden
                change = softmax_step(hidden, tree, paths[word])
                for rows, row in group:
                    rows[row] += change if mean else change / len(group)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("mean", [True, False])
def test_steps_equal_numpys(mode, mean):
    words, documents, tree = random_rows(V, DIM), random_rows(D, DIM), random_rows(V, DIM)
    expected = [rows.astype(np.float64) for rows in (words, documents, tree)]
    huffman = huffman_tree(COUNTS)
    parts = word_parts(words, np.ones(1, np.float32))._replace(documents=documents)
    settings = options(MODES[mode], mean=mean)
    learner = GeneralLearner(
        settings, EncodedText(IDS, 3, 9), sampler_of(COUNTS, settings), parts, make_outputs(tree, None, huffman), TAGS
    )
    learner.run_epoch(0)
    bounds = zip(huffman.starts[:-1], huffman.starts[1:], strict=True)
    paths = [list(zip(huffman.points[a:b].tolist(), huffman.codes[a:b].tolist(), strict=True)) for a, b in bounds]
    learn_in_numpy(mode, *expected, paths, mean=mean or mode in ("skipgram", "dbow"))
    for found, wanted in zip((words, documents, tree), expected, strict=True):
        np.testing.assert_allclose(found, wanted, atol=0.01)  # the kernel reads the logistic function from a table
    assert learner.loss > 0


@pytest.mark.long
def test_concatenation_moves_each_block():
    words, documents, outputs = random_rows(V + 1, DIM), random_rows(D, DIM), random_rows(V + 1, DIM * (1 + 2 * WINDOW))
    before = words.copy(), documents.copy(), outputs.copy()
    settings = options(kernels.DM_CONCAT, null_word=V)
    ids, tags = np.array([1, 2, -1], np.int32), Tags(np.array([2]), np.array([0, 1]))
    counts = np.array([*COUNTS, 1])
    settings = dataclasses.replace(settings, negatives=0)
    parts = word_parts(words, np.ones(1, np.float32))._replace(documents=documents)
    learner = GeneralLearner(
        settings, EncodedText(ids, 1, 2), sampler_of(counts, settings), parts, make_outputs(None, outputs, None), tags
    )
    learner.run_epoch(0)
    rows, own, out = (each.astype(np.float64) for each in before)
    for word, around in ((1, [V, V, 2, V]), (2, [V, 1, V, V])):
        hidden = np.concatenate([own[2], *(rows[other] for other in around)])
        step = ALPHA * (1 - 1 / (1 + np.exp(-(hidden @ out[word]))))
        change, out[word] = step * out[word], out[word] + step * hidden
        own[2] += change[:DIM]
        for number, other in enumerate(around, 1):
            rows[other] += change[number * DIM : (number + 1) * DIM]
    np.testing.assert_allclose(words, rows, atol=2e-3)
    np.testing.assert_allclose(documents, own, atol=2e-3)
    np.testing.assert_allclose(outputs, out, atol=2e-3)


def test_rows_with_a_rate_of_zero_stay():
    words, tree = random_rows(V, DIM), random_rows(V, DIM)
    before = words.copy()
    rates = np.ones(V, np.float32)
    rates[0] = 0
    settings = options(kernels.SKIPGRAM, negatives=3)
    outputs = make_outputs(tree, random_rows(V, DIM), huffman_tree(COUNTS))
    GeneralLearner(
        settings, EncodedText(IDS, 3, 9), sampler_of(COUNTS, settings), word_parts(words, rates), outputs
    ).run_epoch(0)
    assert (words[0] == before[0]).all()
    assert (words[1:] != before[1:]).any()


@pytest.mark.long
@pytest.mark.parametrize("mode", ["skipgram", "cbow"])
def test_scores_are_log_probabilities(mode):
    words, tree, huffman = random_rows(V, DIM), random_rows(V, DIM), huffman_tree(COUNTS)
    parts, settings, outputs = (
        word_parts(words, np.ones(1, np.float32)),
        options(MODES[mode]),
        make_outputs(tree, None, huffman),
    )
    scratch = make_scratch(2, DIM, parts, settings)
    total = 0.0
    for word in range(V):  # the probabilities of all words after another one are 1 together
        scratch.sentence[:2] = 3, word
        total += np.exp(
            kernels.score(2, parts, outputs, rules_of(settings), scratch) - _score_back(word, words, tree, huffman)
        )
    assert total == pytest.approx(1, abs=1e-4)


def _score_back(word, words, tree, huffman):
    """Return the log probability of word 3, given another word."""
    first, end = huffman.starts[3:5]
    products = tree[huffman.points[first:end]] @ words[word]
    signed = np.where(huffman.codes[first:end] == 0, products, -products)
    return -np.log1p(np.exp(-signed.astype(np.float64))).sum()


def test_paths_of_the_tree_are_short_for_frequent_words():
    counts = np.array([50, 20, 10, 5, 5, 1])
    tree = huffman_tree(counts)
    lengths = np.diff(tree.starts)
    assert np.sum(0.5**lengths) == 1  # Kraft: the codes are complete
    assert len({tuple(tree.codes[a:b]) for a, b in zip(tree.starts[:-1], tree.starts[1:], strict=True)}) == len(counts)
    assert counts @ lengths == 50 * 1 + 20 * 2 + 10 * 3 + 5 * 4 + 5 * 5 + 1 * 5  # the optimum
