"""The skip-gram kernels, compared with `reference.py`."""

import numpy as np
import pytest
from tests.learn.word2vec.reference import skipgram_step

from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.allocation import make_scratch
from rowspace.learn.word2vec.kernels.arrays import Fixed
from rowspace.learn.word2vec.kernels.skipgram import learn_skipgram

pytestmark = pytest.mark.kernels

V = 30
# The kernels look up the logistic function in a table accurate to 5e-4, scaled by alpha (0.05) and rows (below 2).
TABLE_ERROR = 2e-4


def scratch_with_window(options, context, targets):
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
def test_skipgram_step_equals_the_reference(random_weights, dim, context, targets):
    weights = random_weights(dim)
    inputs, outputs = (rows.astype(np.float64)[:, :dim] for rows in weights[:2])
    scratch = scratch_with_window(FitOptions(dim=dim, workers=1), context, targets)
    learn_skipgram(len(context), np.float32(0.05), weights, scratch)
    loss = skipgram_step(inputs, outputs, context, targets, alpha=0.05)
    np.testing.assert_allclose(weights.inputs[:, :dim], inputs, atol=TABLE_ERROR)
    np.testing.assert_allclose(weights.outputs[:, :dim], outputs, atol=TABLE_ERROR)
    assert scratch.tally[0] == len(context)
    assert scratch.tally[1] == pytest.approx(loss, rel=1e-3)


def test_more_than_five_negatives_are_trained_six_targets_at_a_time(random_weights):
    weights, context, targets = random_weights(16), [4, 5], list(range(8, 20))
    inputs, outputs = (rows.astype(np.float64) for rows in weights[:2])
    scratch = scratch_with_window(FitOptions(dim=16, negatives=11, workers=1), context, targets)
    learn_skipgram(len(context), np.float32(0.05), weights, scratch)
    skipgram_step(inputs, outputs, context, targets[:6], alpha=0.05)
    rest = targets[6:]  # negatives only: every label is 0
    probabilities, before = 1 / (1 + np.exp(-(inputs[context] @ outputs[rest].T))), outputs[rest].copy()
    for i, word in enumerate(context):
        outputs[rest] -= 0.05 * np.outer(probabilities[i], inputs[word])
        inputs[word] -= 0.05 * probabilities[i] @ before
    np.testing.assert_allclose(weights.inputs, inputs, atol=TABLE_ERROR)
    np.testing.assert_allclose(weights.outputs, outputs, atol=TABLE_ERROR)


def test_fixed_rows_are_scored_but_not_moved(random_weights):
    context, targets, dim = [4, 9, 4], [7, 1, 2, 3, 5, 6], 20
    moved, kept = random_weights(dim), random_weights(dim)
    before = [rows.copy() for rows in kept[:2]]
    masks = [np.isin(np.arange(len(kept.inputs)), rows) for rows in ([9], [7, 3])]
    kept = kept._replace(fixed=Fixed(*masks, masks[0][:0]))
    for weights in (moved, kept):
        scratch = scratch_with_window(FitOptions(dim=dim, workers=1), context, targets)
        learn_skipgram(len(context), np.float32(0.05), weights, scratch)
    for rows, start, free_rows, mask in zip(kept[:2], before, moved[:2], masks, strict=True):
        np.testing.assert_array_equal(rows[mask], start[mask])
        np.testing.assert_array_equal(rows[~mask], free_rows[~mask])
        assert (free_rows[mask] != start[mask]).any()
