"""`nearest`, compared with a stable sort of the full matrix and with gensim, and on edge cases."""

import sys

import numpy as np
import pytest
from gensim.models import KeyedVectors
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from rowspace.errors import UsageError
from rowspace.space import kernels, nearest, nearest_reference

METRICS = ["cosine", "dot", "euclidean"]


@pytest.fixture(params=["compiled", "NumPy"], scope="module", autouse=True)
def _select(request):
    """A few queries are searched in NumPy unless the module of the kernel is loaded: run all tests both ways."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "NumPy":
            patch.delitem(sys.modules, kernels.__name__)
        yield


def assert_same(found, expected):
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_allclose(found[1], expected[1], rtol=2.0**-22, atol=1e-37)
    assert found[0].dtype == np.int64
    assert found[1].dtype == np.float32


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dtype", [pytest.param(np.float16, marks=pytest.mark.long), np.float32, np.float64])
@pytest.mark.parametrize("memory", [1, pytest.param(5_000, marks=pytest.mark.long), 1 << 24])
@pytest.mark.parametrize("num_queries", [4, 40])
def test_equals_the_reference_for_any_memory_limit(metric, dtype, memory, num_queries):
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((700, 9)).astype(dtype)
    queries, exclude = rows[100 : 100 + num_queries], rng.integers(-1, 700, (num_queries, 3))
    found = nearest(queries, rows, 12, metric=metric, exclude=exclude, memory=memory, threads=3)
    assert_same(found, nearest_reference(queries, rows, 12, metric=metric, exclude=exclude))


@given(st.data())
def test_equals_the_reference_on_rows_with_many_ties(data):
    dim, size, k = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 40)), data.draw(st.integers(1, 45))
    # Sums of powers of two are exact in any order, so both sides have the same ties.
    values = st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, np.nan, np.inf])
    finite = values.filter(np.isfinite)
    rows = data.draw(arrays(np.float32, (size, dim), elements=values.map(np.float32), fill=st.nothing()))
    queries = data.draw(arrays(np.float32, (3, dim), elements=finite.map(np.float32), fill=st.nothing()))
    exclude = data.draw(arrays(np.int64, (3, 2), elements=st.integers(-1, size - 1)))
    for metric in METRICS:
        for times in (1, 3):  # few and many queries
            repeated, without = np.tile(queries, (times, 1)), np.tile(exclude, (times, 1))
            found = nearest(repeated, rows, k, metric=metric, exclude=without, memory=data.draw(st.integers(1, 400)))
            assert_same(found, nearest_reference(repeated, rows, k, metric=metric, exclude=without))


@given(st.integers(0, 2**32 - 1), st.integers(1, 4000), st.sampled_from(METRICS))
def test_identical_rows_tie_across_block_boundaries(seed, memory, metric):
    rng = np.random.default_rng(seed)
    few = rng.standard_normal((5, 33)).astype(np.float32)
    rows = few[rng.integers(0, 5, 200)]
    few = few[: rng.integers(1, 6)]
    ids, scores = nearest(few, rows, 60, metric=metric, memory=memory)
    for line, values in zip(ids, scores, strict=True):
        assert all(a < b for a, b, x, y in zip(line, line[1:], values, values[1:], strict=False) if x == y)
    expected = nearest(few, rows, 60, metric=metric)
    np.testing.assert_array_equal(ids, expected[0])
    np.testing.assert_array_equal(scores, expected[1])


def test_agrees_with_gensim():
    rng = np.random.default_rng(4)
    words, rows = [f"w{n}" for n in range(300)], rng.standard_normal((300, 20)).astype(np.float32)
    peer = KeyedVectors(20)
    peer.add_vectors(words, rows)
    ids, scores = nearest(rows[7:8], rows, 10, exclude=np.array([[7]]))
    expected = peer.most_similar("w7", topn=10)
    assert [words[row] for row in ids[0]] == [word for word, _ in expected]
    np.testing.assert_allclose(scores[0], [score for _, score in expected], atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_memory_mapped_rows_are_searched(tmp_path, dtype):
    rows = np.random.default_rng(5).standard_normal((500, 8)).astype(dtype)
    np.save(tmp_path / "rows.npy", rows)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    assert_same(nearest(mapped[:3], mapped, 4, memory=2000), nearest_reference(rows[:3], rows, 4))


def test_column_order_and_foreign_byte_order_give_the_same_result():
    rows = np.random.default_rng(6).standard_normal((90, 5)).astype(np.float32)
    expected = nearest_reference(rows[:2], rows, 3)
    assert_same(nearest(rows[:2], np.asfortranarray(rows), 3), expected)
    assert_same(nearest(rows[:2], rows.astype(">f4"), 3), expected)


def test_float32_overflow_and_underflow_do_not_change_the_ranking():
    small = np.float32([[3e-30, 1e-30], [1e-30, 3e-30], [2e-30, 2e-30]])
    assert nearest(small[:1], small, 3)[0].tolist() == [[0, 2, 1]]
    large = np.float32([[3e30, -1e30], [1e30, 3e30], [2e30, 2e30]])
    assert nearest(large[:1], large, 3)[0].tolist() == [[0, 2, 1]]
    # In float32 a partial sum overflows to -inf, although the total is 2e38.
    falling = np.float32([[1, 1, 1, 1], [0, 0, 0, 0], [-2e19, -2e19, 3e19, 3e19]])
    assert nearest(np.full((1, 4), 1e19, np.float32), falling, 1, metric="dot")[0].tolist() == [[2]]


def test_non_finite_rows_are_excluded_and_missing_neighbors_are_minus_one():
    rows = np.array([[1.0, 0.0], [np.nan, 0.0], [np.inf, 0.0], [0.0, 0.0]])
    ids, scores = nearest(rows[:1], rows, 4)
    assert ids.tolist() == [[0, 3, -1, -1]]
    assert scores[0, :2].tolist() == [1.0, 0.0]
    assert np.isnan(scores[0, 2:]).all()


def test_zero_query_has_cosine_zero_with_all_rows():
    ids, scores = nearest(np.zeros((1, 3)), np.ones((600, 3)), 2)
    assert (ids.tolist(), scores.tolist()) == ([[0, 1]], [[0.0, 0.0]])


@pytest.mark.parametrize(("num_queries", "size"), [(0, 3), (2, 0), (0, 0)])
def test_empty_queries_or_rows_give_an_empty_result(num_queries, size):
    ids, scores = nearest(np.ones((num_queries, 2)), np.ones((size, 2)), 5)
    assert ids.shape == scores.shape == (num_queries, min(5, size))


@pytest.mark.parametrize("k", [0, -1, True, 1.5, "3"])
def test_invalid_k_is_refused(k):
    with pytest.raises(UsageError, match="k must be a whole number"):
        nearest(np.eye(2), np.eye(2), k)


@pytest.mark.parametrize(
    ("queries", "rows", "options", "message"),
    [
        (np.ones((1, 3)), np.ones((4, 2)), {}, "agree in d"),
        (np.ones(2), np.ones((4, 2)), {}, "agree in d"),
        (np.ones((1, 2)), np.ones((4, 2), np.int64), {}, "floating"),
        (np.ones((1, 2)), np.ones((4, 2)), {"metric": "manhattan"}, "metric must be one of"),
        (np.ones((1, 2)), np.ones((4, 2)), {"exclude": np.array([1])}, "exclude must be"),
        (np.ones((1, 2)), np.ones((4, 2)), {"row_norms": np.ones(3)}, "row_norms must be 4"),
        (np.ones((1, 2)), np.ones((4, 2)), {"threads": 0}, "threads must be at least 1"),
        (np.array([[1.0, 1.0], [1.0, np.nan]]), np.ones((4, 2)), {}, "query 1 holds NaN"),
    ],
)
def test_invalid_arguments_are_refused(queries, rows, options, message):
    with pytest.raises(UsageError, match=message):
        nearest(queries, rows, 1, **options)
