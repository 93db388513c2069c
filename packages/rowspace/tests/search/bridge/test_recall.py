"""Recall equals that of a full sort."""

import numpy as np
from scipy import stats

from rowspace.search.bridge.learn import bootstrap_interval, recall_of_each


def units(generator, *shape):
    rows = generator.normal(size=shape).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_recall_equals_that_of_a_full_sort_for_any_blocks():
    generator = np.random.default_rng(0)
    passages, rows = units(generator, 200, 6), np.array([3, 50, 199, -1])
    queries, mapped = units(generator, 4, 6), units(generator, 4, 6)
    queries[:3] = passages[rows[:3]]
    mapped += 2 * queries
    expected = []
    for row, query, other in zip(rows, queries, mapped, strict=True):
        wanted, reached = passages @ query, passages @ other
        if row >= 0:
            wanted[row] = reached[row] = -np.inf
        expected.append(len(set(np.argsort(-wanted)[:10]) & set(np.argsort(-reached)[:10])) / 10)
    assert 0 < np.mean(expected) < 1
    for size in (200, 7, 1):
        blocks = [passages[start : start + size] for start in range(0, 200, size)]
        np.testing.assert_allclose(recall_of_each(blocks, rows, queries, mapped), expected)


def test_copies_of_a_passage_count_as_each_other():
    passages = np.repeat(np.eye(2, dtype=np.float32), 20, axis=0)
    query = passages[:1]
    assert recall_of_each([passages[::-1]], np.array([-1]), query, query).tolist() == [1.0]
    assert recall_of_each([passages], np.array([-1]), query, passages[-1:]).tolist() == [0.0]


def test_interval_is_near_the_normal_one():
    shares = np.random.default_rng(0).binomial(10, 0.7, 500) / 10
    expected = stats.norm.interval(0.95, shares.mean(), stats.sem(shares))
    np.testing.assert_allclose(bootstrap_interval(shares), expected, atol=0.005)
