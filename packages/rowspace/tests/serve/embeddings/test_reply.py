"""Replies: JSON that Python reads back as the same numbers."""

import json
from base64 import b64decode

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays

from rowspace.serve.embeddings.errors import ApiError
from rowspace.serve.embeddings.reply import embedding_reply, finish_vectors, json_arrays

pytestmark = pytest.mark.kernels

# Where the number of digits, the form or the exponent changes; the smallest, the largest and zeros.
EDGES = [0.0, -0.0, 1.0, -1.0, 10.0, 0.1, 1e-45, 1.17549435e-38, 3.4028235e38, 9.9999999e8, 1e8, 1e9, 123456789.0]
EDGES += [999999999.0, 1e-4, 1e-5, 9.9999997e-6, 1e-6, 16777217.0, 0.99999994, 1.0000001, 5e-5, -3.25e20]


def read_back(values: np.ndarray) -> np.ndarray:
    """The numbers as Python's JSON reads them, rounded to float32."""
    [text] = json_arrays(values[None])
    return np.array(json.loads(text), np.float64).astype(np.float32)


def same_bits(left: np.ndarray, right: np.ndarray) -> bool:
    return left.view(np.uint32).tolist() == right.view(np.uint32).tolist()


def test_json_numbers_at_edges_read_back_as_the_same_floats() -> None:
    edges = np.array(EDGES, np.float32)
    with np.errstate(over="ignore"):  # beyond the largest is infinity
        around = np.concatenate([np.nextafter(edges, np.float32(side)) for side in (-np.inf, np.inf)])
    values = np.concatenate([edges, around[np.isfinite(around)]])
    assert same_bits(read_back(values), values)


@given(
    arrays.arrays(np.float32, st.integers(0, 40), elements=st.floats(width=32, allow_nan=False, allow_infinity=False))
)
def test_json_numbers_read_back_as_the_same_floats(values: np.ndarray) -> None:
    assert same_bits(read_back(values), values)


@pytest.mark.large
def test_json_numbers_of_all_exponents_read_back_as_the_same_floats() -> None:
    bits = np.random.default_rng(0).integers(0, 2**32, size=200_000, dtype=np.uint32)
    values = bits.view(np.float32)
    values = values[np.isfinite(values)]
    assert same_bits(read_back(values), values)


def test_json_numbers_are_written_as_people_do() -> None:
    [text] = json_arrays(np.array([[0.0, 0.5, -2, 100, 1e-3, 1e-7, 2.5e12, -1 / 3]], np.float32))
    assert text == b"[0.0,0.5,-2.0,100.0,0.001,1e-07,2.5e+12,-0.33333334]"


def test_reply_is_the_document_of_the_api() -> None:
    vectors = np.array([[1, 2], [3, -4]], np.float32)
    for in_base64 in (False, True):
        reply = json.loads(embedding_reply(vectors, model='a "model"', num_tokens=7, in_base64=in_base64))
        sent = [item.pop("embedding") for item in reply["data"]]
        if in_base64:
            sent = [np.frombuffer(b64decode(text), "<f4").tolist() for text in sent]
        assert sent == vectors.tolist()
        assert reply == {
            "object": "list",
            "data": [{"object": "embedding", "index": 0}, {"object": "embedding", "index": 1}],
            "model": 'a "model"',
            "usage": {"prompt_tokens": 7, "total_tokens": 7},
        }


def test_scaled_vectors_have_length_1_or_0() -> None:
    vectors = np.array([[3e30, 4e30], [1e-30, 0], [0, 0]], np.float32)
    scaled = finish_vectors(vectors, dimensions=None, normalize=True)
    np.testing.assert_allclose(scaled, [[0.6, 0.8], [1, 0], [0, 0]], rtol=1e-6)
    assert scaled.dtype == np.float32
    assert finish_vectors(vectors, dimensions=1, normalize=False).tolist() == vectors[:, :1].tolist()


def test_vector_that_is_not_finite_is_an_error() -> None:
    for wrong in (np.nan, np.inf, -np.inf):
        with pytest.raises(ApiError, match="the vector of input 1 has NaN or infinity") as caught:
            finish_vectors(np.array([[0, 1], [wrong, 1]], np.float32), dimensions=None, normalize=False)
        assert caught.value.status == 500
