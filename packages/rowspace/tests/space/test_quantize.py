"""Quantized rows, compared with plain NumPy, scikit-learn and sentence-transformers."""

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from hypothesis.extra.numpy import arrays
from sentence_transformers.util.quantization import quantize_embeddings
from sklearn.cluster import MiniBatchKMeans

from rowspace import space
from rowspace.errors import UsageError
from rowspace.space.quantize import quantize_product

pytestmark = pytest.mark.kernels

STEP_NEAR_ZERO = np.finfo(np.float32).smallest_subnormal
numbers = st.floats(-1e6, 1e6, width=32)
matrices = arrays(np.float32, st.tuples(st.integers(1, 5), st.integers(1, 20)), elements=numbers)


@given(matrices)
def test_int8_is_within_half_a_step(rows):
    found = space.quantize(rows, "int8")
    assert found.codes.dtype == np.int8
    for row, decoded in zip(rows.astype(np.float64), found.decode(), strict=True):
        step = np.abs(row).max() / 127
        assert np.abs(row - decoded).max() <= step * 0.5001 + 1e-30


@given(matrices)
@example(np.array([[493 * STEP_NEAR_ZERO, 0]], np.float32))
def test_bits_are_those_of_sentence_transformers(rows):
    found = space.quantize(rows, "binary")
    np.testing.assert_array_equal(found.bits, quantize_embeddings(rows, precision="ubinary"))
    for row, decoded in zip(rows, found.decode(), strict=True):
        expected = np.where(row > 0, 1, -1) * np.abs(row.astype(np.float64)).mean()
        np.testing.assert_allclose(decoded, expected, rtol=1e-5, atol=STEP_NEAR_ZERO)


def test_scale_of_a_binary_row_is_the_best_by_least_squares():
    rows = np.random.default_rng(0).normal(size=(4, 30)).astype(np.float32)
    signs = np.where(rows > 0, 1, -1)
    best = [np.linalg.lstsq(sign[:, None], row)[0][0] for row, sign in zip(rows, signs, strict=True)]
    np.testing.assert_allclose(space.quantize(rows, "binary").scales, best, rtol=1e-5)


def test_products_are_the_nearest_centers_of_scikit_learn():
    rows = np.random.default_rng(1).normal(size=(700, 7)).astype(np.float32)
    found = quantize_product(rows, 3, seed=4, block_bytes=1 << 16)
    assert found.codes.shape == (700, 3)
    for part, columns in enumerate([slice(0, 3), slice(3, 6), slice(6, 7)]):
        drawn = np.sort(np.random.default_rng(4).permutation(700))
        model = MiniBatchKMeans(256, random_state=4, n_init=3, reassignment_ratio=0)
        model.fit(rows[drawn][:, columns].astype(np.float64))
        centers = found.centroids[:, columns]
        np.testing.assert_allclose(centers, model.cluster_centers_, rtol=1e-5, atol=1e-6)
        distances = ((rows[:, None, columns] - centers[None]) ** 2).sum(-1)
        chosen = np.take_along_axis(distances, found.codes[:, part : part + 1].astype(np.int64), 1)[:, 0]
        np.testing.assert_allclose(chosen, distances.min(1), rtol=1e-4, atol=1e-7)
        np.testing.assert_array_equal(found.decode()[:, columns], centers[found.codes[:, part]])


def test_few_distinct_parts_are_kept_exactly():
    rows = np.random.default_rng(2).integers(0, 3, (40, 6)).astype(np.float32)
    np.testing.assert_array_equal(space.quantize(rows, "pq").decode(), rows)
    with pytest.raises(UsageError, match="parts must be from 1 to the length of a row, 6, not 7"):
        quantize_product(rows, 7)


def test_neighbors_kept_is_the_recall_of_all_cosines():
    generator = np.random.default_rng(3)
    rows = generator.normal(size=(60, 12))
    decoded = rows + generator.normal(scale=0.5, size=rows.shape)
    rows[7] = 0  # has no neighbors and is none
    others = np.arange(60) != 7

    def nearest(matrix):
        units = matrix[others] / np.linalg.norm(matrix[others], axis=1, keepdims=True)
        cosines = units @ units.T - 2 * np.eye(59)
        return np.argsort(-cosines, axis=1)[:, :10]

    shares = [len(set(a) & set(b)) / 10 for a, b in zip(nearest(rows), nearest(decoded), strict=True)]
    assert space.neighbors_kept(rows, decoded) == pytest.approx(np.mean(shares))
    assert 0 < np.mean(shares) < 1
    sampled = space.neighbors_kept(rows, decoded, sample=20, seed=1)
    places = np.sort(np.random.default_rng(1).permutation(59)[:20])
    assert sampled == pytest.approx(np.array(shares)[places].mean())


def test_neighbors_of_too_few_rows():
    assert np.isnan(space.neighbors_kept(np.eye(4), np.eye(4)))


def test_rows_that_cannot_be_quantized():
    for rows, kind, message in [
        (np.eye(2), "int4", "kind must be one of int8, binary, pq, not 'int4'"),
        (np.zeros((0, 3)), "int8", r"rows must be a \(V, d\) array with numbers, got shape \(0, 3\)"),
        (np.array([[1.0], [np.nan]]), "pq", "row 1 has NaN, infinity or numbers beyond float32"),
        (np.array([[1e300]]), "binary", "row 0 has NaN, infinity or numbers beyond float32"),
    ]:
        with pytest.raises(UsageError, match=message):
            space.quantize(rows, kind)
