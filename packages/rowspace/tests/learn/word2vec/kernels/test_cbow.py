"""The CBOW kernels, compared with `reference.py`."""

import numpy as np
import pytest

from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.allocation import make_plan, make_scratch
from rowspace.learn.word2vec.kernels.arrays import WINDOWS_PER_BATCH
from rowspace.learn.word2vec.kernels.cbow import lay_out_windows, learn_cbow
from rowspace.learn.word2vec.reference import cbow_step

pytestmark = pytest.mark.kernels

V = 30
# The kernels look up the logistic function in a table accurate to 5e-4, scaled by alpha (0.05) and rows (below 2).
TABLE_ERROR = 2e-4


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
def test_cbow_step_equals_the_reference(random_weights, mean, exact, negatives, reach, sentence, first):
    weights, drawn = random_weights(20), list(range(20, 20 + negatives))
    inputs, outputs = (rows.astype(np.float64)[:, :20] for rows in weights[:2])
    gradient = "exact" if exact else "word2vec"
    options = FitOptions(dim=20, model="cbow", cbow_mean=mean, cbow_gradient=gradient, negatives=negatives, workers=1)
    windows = [
        (sentence[max(0, center - reach) : center] + sentence[center + 1 : center + 1 + reach], sentence[center])
        for center in range(first, min(first + WINDOWS_PER_BATCH, len(sentence)))
    ]
    plan, scratch = make_plan(options, 0.05, 0.05), make_scratch(V, options)
    scratch.sentence[: len(sentence)] = sentence
    scratch.targets[: len(windows)] = [word for _, word in windows]
    scratch.targets[WINDOWS_PER_BATCH : WINDOWS_PER_BATCH + negatives] = drawn
    begin, end = lay_out_windows(first, len(sentence), reach, scratch.sentence, plan, scratch)
    learn_cbow(begin, end, scratch.sentence, len(windows), np.float32(0.05), weights, plan, scratch)
    loss = cbow_step(inputs, outputs, windows, drawn, alpha=0.05, mean=mean, exact=exact)
    np.testing.assert_allclose(weights.inputs[:, :20], inputs, atol=TABLE_ERROR)
    np.testing.assert_allclose(weights.outputs[:, :20], outputs, atol=TABLE_ERROR)
    assert scratch.tally[0] == len(windows)
    assert scratch.tally[1] == pytest.approx(loss, rel=1e-3)
