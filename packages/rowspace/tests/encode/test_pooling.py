"""Pooling by kernels and by NumPy, compared with each other and with sums written out."""

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

from rowspace.encode.kernels import half_to_single, pool_rows
from rowspace.encode.options import pool_rule
from rowspace.encode.pooling import (
    RowPooler,
    no_rows,
    shares_of_counts,
    sif_weights,
    unit_length,
    warm_pooling,
)
from rowspace.encode.texts import FlatIds

pytestmark = pytest.mark.kernels
V, D, UNSEEN = 7, 5, 3
ROWS = np.random.default_rng(0).standard_normal((V, D))
UNSEEN_ROWS = np.random.default_rng(1).standard_normal((UNSEEN, D)).astype(np.float32)
POOLINGS = ("mean", "sif", "sum", "first", "max")
FLAGS = st.fixed_dictionaries({name: st.booleans() for name in ("keep_unknown", "count_missing", "normalize")})
# Some of these ids are beyond the table or the unseen rows: they must not be read.
LISTS = st.lists(st.lists(st.integers(-UNSEEN - 2, V + 2) | st.just(2**31 - 1), max_size=6), max_size=5)


def pooled_by_hand(ids, pooling, flags, rows, weights, unknown):
    """Pool one text as the docstring of `pool_rule` says, one number at a time."""
    terms, known = [], 0
    for token in ids:
        is_missing = not -UNSEEN <= token < V
        known += not (is_missing or token == unknown)
        if (token == unknown and not flags["keep_unknown"]) or (is_missing and not flags["count_missing"]):
            continue
        row = np.zeros(D) if is_missing else rows[token] if token >= 0 else UNSEEN_ROWS[-1 - token].astype(float)
        weight = weights[token] if weights is not None and not is_missing and token >= 0 else 1
        terms.append(row * weight)
    vector = np.zeros(D)
    if terms:
        mean = sum(terms) / len(terms)
        vector = {"first": terms[0], "sum": sum(terms), "max": np.max(terms, axis=0)}.get(pooling, mean)
    length = np.sqrt((vector**2).sum())
    return vector / length if flags["normalize"] and length else vector, len(ids) - known


@given(LISTS, st.sampled_from(POOLINGS), FLAGS, st.integers(0, V), st.integers(1, D))
def test_kernels_and_numpy_pool_as_written_out(lists, pooling, flags, unknown, width):
    rule = pool_rule(pooling, **flags)
    weights = np.linspace(0.5, 2, V).astype(np.float32) if pooling == "sif" else None
    flat = FlatIds.of(lists)
    for dtype in (np.float32, np.float64, np.float16):
        rows = ROWS.astype(dtype)
        pooler = RowPooler(rows, weights)
        wide = rows.astype(np.float64)
        wide[:, width:], kept = 0, UNSEEN_ROWS[:, width:].copy()
        UNSEEN_ROWS[:, width:] = 0
        expected = [pooled_by_hand(ids, pooling, flags, wide, weights, unknown) for ids in lists]
        UNSEEN_ROWS[:, width:] = kept
        for compiled in (False, True):
            out = np.full((len(lists), width), np.nan, np.float32)
            without_row = pooler.pool(flat, UNSEEN_ROWS, unknown, rule, out, compiled=compiled)
            assert without_row == sum(count for _, count in expected)
            for vector, (want, _) in zip(out, expected, strict=True):
                np.testing.assert_allclose(vector, want[:width], atol=2e-6)


def test_warm_pooling_compiles_the_kernel_for_each_dtype_with_and_without_unseen_words():
    warm_pooling()
    compiled = len(getattr(pool_rows, "signatures", "123"))  # a plain function if compilation is disabled
    assert compiled >= 3
    out = np.empty((1, D), np.float32)
    RowPooler(ROWS).pool(FlatIds.of([[0, -1]]), UNSEEN_ROWS, V, pool_rule("mean"), out, compiled=True)
    assert len(getattr(pool_rows, "signatures", "123")) == compiled


def test_float16_is_read_exactly():
    bits = np.arange(1 << 16, dtype=np.uint16)
    found = np.array([half_to_single(each) for each in bits], np.float32)
    expected = bits.view(np.float16).astype(np.float32)
    is_number = ~np.isnan(expected)
    assert found[is_number].tobytes() == expected[is_number].tobytes()
    assert np.isnan(found[~is_number]).all()


def test_rows_of_other_layouts_are_read():
    flat, rule = FlatIds.of([[1, 2], [0]]), pool_rule("mean")
    expected = np.stack([ROWS[1:3].mean(axis=0), ROWS[0]])
    layouts = [
        ROWS.astype(np.longdouble),
        ROWS.astype(">f4"),
        np.asfortranarray(ROWS),
        np.repeat(ROWS, 2, axis=1)[:, ::2],
    ]
    for rows, compiled in itertools.product(layouts, (False, True)):
        out = np.empty((2, D), np.float32)
        RowPooler(rows).pool(flat, no_rows(D), V, rule, out, compiled=compiled)
        np.testing.assert_allclose(out, expected, atol=1e-6)


def test_mapped_rows_are_not_copied(tmp_path):
    np.save(tmp_path / "rows.npy", ROWS.astype(np.float16))
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    assert np.shares_memory(RowPooler(mapped).rows, mapped)


# NumPy warns of infinity / infinity where the kernel runs as Python.
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_nan_and_infinity_are_kept():
    rows = np.array([[np.nan, 1], [np.inf, 1], [1e30, 1e30]], np.float32)
    rule = pool_rule("mean", normalize=True)
    for compiled in (False, True):
        out = np.empty((3, 2), np.float32)
        RowPooler(rows).pool(FlatIds.of([[0], [1], [2]]), no_rows(2), 3, rule, out, compiled=compiled)
        assert np.isnan(out[:2, 0]).all()
        np.testing.assert_allclose(out[2], np.sqrt(0.5), atol=1e-6)


def test_sif_weights_follow_the_paper():
    # a / (a + p(w)), equation 3 of Arora et al. 2017
    weights = sif_weights(shares_of_counts(np.array([90, 9, 1, 0])), 1e-3)
    assert weights == pytest.approx([1e-3 / (1e-3 + share) for share in (0.9, 0.09, 0.01, 0)])
    assert sif_weights(shares_of_counts(np.zeros(2, np.int64)), 1e-3).tolist() == [1, 1]


def test_unit_length_keeps_zeros():
    assert unit_length(np.array([[0, 0], [0, 2]], np.float32)).tolist() == [[0, 0], [0, 1]]
