"""Both implementations of `select`, compared with a plain sort; with NUMBA_DISABLE_JIT=1 the kernel runs as Python."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from rowspace.space import kernels, select_numpy

pytestmark = pytest.mark.kernels


@pytest.fixture(params=[kernels.select, select_numpy.select], ids=["compiled", "NumPy"])
def select(request):
    return request.param


def run(select, queries, rows, k, metric, blocks, slack=1e-5, exclude=None):
    norms = np.sqrt((rows.astype(np.float64) ** 2).sum(1))
    query_norms = np.sqrt((queries.astype(np.float64) ** 2).sum(1))
    keys = np.full((len(queries), k), -np.inf, np.float32)
    ids = np.full((len(queries), k), -1, np.int64)
    exclude = np.empty((len(queries), 0), np.int64) if exclude is None else exclude
    for start in range(0, len(rows), blocks):
        block = rows[start : start + blocks]
        select(
            queries @ block.T, queries, query_norms, block, norms[start : start + blocks],
            start, metric, slack, 1e-43, exclude, keys, ids,
        )  # fmt: skip
    return [[(float(keys[n, m]), int(ids[n, m])) for m in np.lexsort((ids[n], -keys[n]))] for n in range(len(queries))]


@pytest.mark.parametrize("blocks", [1, 7, 300, 1000])
def test_best_dot_products_do_not_depend_on_the_block_size(select, blocks):
    rng = np.random.default_rng(0)
    rows, queries = rng.integers(-3, 4, (600, 4)).astype(np.float32), np.eye(2, 4, dtype=np.float32)
    found = run(select, queries, rows, 9, kernels.DOT, blocks)
    for query, answer in zip(queries, found, strict=True):
        expected = sorted((-float(product), row) for row, product in enumerate(rows @ query))[:9]
        assert answer == [(-key, row) for key, row in expected]


def test_ties_are_ordered_by_id_also_at_the_cutoff(select):
    rows = np.tile(np.float32([[0.1, 0.7, 0.3]]), (50, 1))
    (answer,) = run(select, rows[:1], rows, 5, kernels.COSINE, 8)
    assert [row for _, row in answer] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("metric", [kernels.COSINE, kernels.DOT, kernels.EUCLIDEAN])
def test_errors_within_the_slack_do_not_change_the_result(select, metric):
    rng = np.random.default_rng(1)
    rows, query = rng.standard_normal((300, 6)).astype(np.float32), np.ones((1, 6), np.float32)
    # Worst first: every row must displace the best rows so far.
    rows = rows[[row for _, row in run(select, query, rows, 300, metric, 300)[0]][::-1]]
    norms, query_norms = np.sqrt((rows.astype(np.float64) ** 2).sum(1)), np.sqrt([6.0])
    noise = rng.uniform(-1, 1, (1, 300)) * 0.1 * norms * query_norms
    keys, ids = np.full((1, 7), -np.inf, np.float32), np.full((1, 7), -1, np.int64)
    products, none = (query @ rows.T + noise).astype(np.float32), np.empty((1, 0), np.int64)
    select(products, query, query_norms, rows, norms, 0, metric, 0.11, 1e-43, none, keys, ids)
    assert sorted(ids[0].tolist()) == list(range(293, 300))


def test_excluded_ids_and_rows_without_a_norm_are_never_selected(select):
    rows = np.eye(4, dtype=np.float32)
    rows[2] = np.nan
    with np.errstate(invalid="ignore"):
        (answer,) = run(select, np.ones((1, 4), np.float32), rows, 4, kernels.DOT, 2, exclude=np.array([[1, -1]]))
    assert answer == [(1.0, 0), (1.0, 3), (-np.inf, -1), (-np.inf, -1)]


@given(st.data())
def test_both_implementations_select_the_same_rows(data):
    seed, dim, size = data.draw(st.integers(0, 2**32 - 1)), data.draw(st.integers(1, 20)), data.draw(st.integers(1, 90))
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((size, dim)).astype(np.float32)
    rows[rng.random(size) < 0.1] = 0
    rows = rows[rng.integers(0, size, size)]  # with duplicates
    rows[rng.random(size) < 0.1] = np.nan
    queries, exclude = rng.standard_normal((3, dim)).astype(np.float32), rng.integers(-1, size, (3, 2))
    k, blocks = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 100))
    for metric in (kernels.COSINE, kernels.DOT, kernels.EUCLIDEAN):
        with np.errstate(invalid="ignore"):
            compiled, plain = (
                run(form, queries, rows, k, metric, blocks, exclude=exclude)
                for form in (kernels.select, select_numpy.select)
            )
        assert [[row for _, row in line] for line in plain] == [[row for _, row in line] for line in compiled]
        np.testing.assert_allclose(plain, compiled, rtol=2.0**-22, atol=1e-37)
