"""The curves of counts equal those of NumPy and scikit-learn; tables without counts get empty ones."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize

from rowspace_lab.pages.words.counts import half_agreement


def test_counts_by_rank_and_rare_rows(lab, check_code) -> None:
    reply = check_code(lab, "words/counts")
    counts = sorted(lab.table.counts.tolist(), reverse=True)
    assert reply.arrays["counts"].tolist() == [counts[rank - 1] for rank in reply.arrays["ranks"]]
    assert reply.arrays["ranks"][[0, -1]].tolist() == [1, len(counts)]
    assert reply.meta["rare_rows"] == sum(count < 10 for count in counts)
    assert 0 < reply.meta["rare_rows"] < reply.meta["rows"]


def test_each_power_of_two_has_the_quartiles_of_its_norms(lab, check_code) -> None:
    reply = check_code(lab, "words/counts")
    assert reply.arrays["sizes"].sum() == len(lab.table)
    powers = np.array([int(count).bit_length() for count in lab.table.counts])
    for at, power in enumerate(sorted(set(powers.tolist()))):
        norms = np.linalg.norm(lab.table.rows[powers == power], axis=1)
        assert reply.arrays["norms"][at] == pytest.approx(np.percentile(norms, [25, 50, 75]), rel=1e-5)


def test_agreement_of_halves_equals_that_of_scikit_learn(lab) -> None:
    ids = np.array([3, 50, 700, 2000])
    found = []
    for start in (0, 1):
        half = normalize(np.float64(lab.table.rows[:, start::2]))
        search = NearestNeighbors(n_neighbors=11).fit(half)  # by distance of unit rows, in the order of the cosine
        lists = search.kneighbors(half[ids], return_distance=False).tolist()
        found.append([set(each) - {int(id)} for each, id in zip(lists, ids, strict=True)])
    expected = np.mean([len(even & odd) / 10 for even, odd in zip(*found, strict=True)])
    assert half_agreement(lab.table.rows, ids, 10) == pytest.approx(expected)


def test_random_rows_agree_by_chance_and_equal_halves_always() -> None:
    rows = np.random.default_rng(0).normal(size=(2000, 20)).astype(np.float32)
    assert half_agreement(rows, np.arange(200), 10) < 0.02
    assert half_agreement(np.repeat(rows, 2, axis=1), np.arange(200), 10) == 1


def test_table_without_counts_gets_empty_curves(small_lab, check_code) -> None:
    reply = check_code(small_lab(["a", "b", "c"], np.eye(3)), "words/counts")
    assert reply.meta["counted"] is False
    assert (reply.meta["rows"], reply.arrays["counts"].size, reply.arrays["agreement"].size) == (0, 0, 0)


def test_unusual_counts_get_a_reply(small_lab, check_code) -> None:
    for counts in (np.zeros(3, np.int64), np.full(3, 2**60), np.array([0, 1, 5])):
        reply = check_code(small_lab(["a", "b", "c"], np.eye(3), counts), "words/counts")
        assert reply.arrays["sizes"].sum() == (counts > 0).sum()
