"""The CBOW kernels, compared with `reference.py`."""

import numpy as np
import pytest
from tests.learn.word2vec.reference import cbow_step

from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.allocation import make_plan, make_scratch
from rowspace.learn.word2vec.kernels.arrays import WINDOWS_PER_BATCH, Fixed
from rowspace.learn.word2vec.kernels.cbow import lay_out_windows, learn_cbow

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


def test_fixed_rows_are_averaged_and_scored_but_not_moved(random_weights):
    sentence, drawn = [4, 9, 4, 8, 7, 4, 9, 9, 1, 2, 8, 4, 3], [20, 21, 22, 23, 24, 25]
    options = FitOptions(dim=20, model="cbow", negatives=6, workers=1)
    moved, kept = random_weights(20), random_weights(20)
    before = [rows.copy() for rows in kept[:2]]
    masks = [np.isin(np.arange(len(kept.inputs)), rows) for rows in ([9, 8], [7, 4, 22])]
    kept = kept._replace(fixed=Fixed(*masks, masks[0][:0]))
    for weights in (moved, kept):
        plan, scratch = make_plan(options, 0.05, 0.05), make_scratch(V, options)
        scratch.sentence[: len(sentence)] = sentence
        scratch.targets[: WINDOWS_PER_BATCH + 6] = [*sentence[3 : 3 + WINDOWS_PER_BATCH], *drawn]
        begin, end = lay_out_windows(3, len(sentence), 3, scratch.sentence, plan, scratch)
        learn_cbow(begin, end, scratch.sentence, WINDOWS_PER_BATCH, np.float32(0.05), weights, plan, scratch)
    for rows, start, free_rows, mask in zip(kept[:2], before, moved[:2], masks, strict=True):
        np.testing.assert_array_equal(rows[mask], start[mask])
        np.testing.assert_array_equal(rows[~mask], free_rows[~mask])
        assert (free_rows[mask] != start[mask]).any(axis=1).all()
