"""Small dtypes, compared with `quantize_embeddings` of sentence-transformers."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from rowspace.encode.precision import quantize, stored_form
from rowspace.errors import UsageError

VECTORS = np.random.default_rng(0).standard_normal((50, 20)).astype(np.float32)
VECTORS[3] = 0


@pytest.mark.parametrize("dtype", ["float32", "binary", "ubinary"])
def test_dtypes_are_those_of_sentence_transformers(dtype):
    from sentence_transformers.util.quantization import quantize_embeddings

    for columns in (20, 16, 3):
        expected = quantize_embeddings(VECTORS[:, :columns], dtype)
        found = quantize(VECTORS[:, :columns], dtype)
        assert found.dtype == expected.dtype
        assert found.tolist() == expected.tolist()
        assert stored_form(columns, dtype) == (expected.shape[1], expected.dtype)


def test_int8_with_ranges_is_that_of_sentence_transformers():
    from sentence_transformers.util.quantization import quantize_embeddings

    ranges = np.stack([VECTORS[:25].min(axis=0), VECTORS[:25].max(axis=0)])  # others lie outside
    ranges[:, 0] = 0
    expected = quantize_embeddings(VECTORS, "int8", ranges=ranges)
    found = quantize(VECTORS, "int8", ranges=ranges)
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()


@given(arrays(np.float32, (3, 8), elements=st.floats(-(2.0**99), 2.0**99, width=32)))
def test_int8_is_within_half_a_step_of_each_vector(vectors):
    found = quantize(vectors, "int8").astype(np.float64)
    largest = np.abs(vectors).max(axis=1, keepdims=True).astype(np.float64)
    assert np.abs(found).max(initial=0) <= 127
    assert (np.abs(found * largest / 127 - vectors) <= largest / 127 * 0.5001).all()
    assert (found[largest[:, 0] == 0] == 0).all()


def test_int8_keeps_cosines():
    found = quantize(VECTORS, "int8").astype(np.float32)
    kept = (
        (found * VECTORS).sum(axis=1)
        / np.linalg.norm(found, axis=1).clip(1)
        / np.linalg.norm(VECTORS, axis=1).clip(1e-9)
    )
    assert np.delete(kept, 3).min() > 0.9995


@pytest.mark.parametrize(
    ("dtype", "ranges", "complaint"),
    [
        ("int4", None, "dtype must be one of float32, .*, not 'int4'"),
        ("binary", VECTORS[:2], "ranges are for dtype 'int8', not 'binary'"),
        ("int8", VECTORS, r"of 20 columns, \(2, 20\), not \(50, 20\)"),
    ],
)
def test_wrong_arguments_are_refused(dtype, ranges, complaint):
    with pytest.raises(UsageError, match=complaint):
        quantize(VECTORS, dtype, ranges=ranges)
