"""The curves of counts equal those of NumPy and scikit-learn; tables without counts get empty ones."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize

from rowspace_lab.pages.words.counts import known_pairs, partner_found


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


def test_share_of_known_pairs_equals_that_of_scikit_learn(lab, check_code) -> None:
    table, reply = lab.table, check_code(lab, "words/counts")
    unit = normalize(np.float64(table.rows))
    lists = NearestNeighbors(n_neighbors=11).fit(unit).kneighbors(unit, return_distance=False)  # itself first
    pairs = known_pairs(table)
    found = [np.mean([b in lists[a], a in lists[b]]) for a, b in pairs.tolist()]
    assert partner_found(table, pairs, 10) == pytest.approx(found)
    powers = [len(str(int(table.counts[pair].min()))) for pair in pairs]
    groups = [power for power in sorted(set(powers)) if powers.count(power) >= 5]
    assert reply.arrays["pair_sizes"].tolist() == [powers.count(power) for power in groups]
    shares = [np.mean([each for each, of in zip(found, powers, strict=True) if of == power]) for power in groups]
    assert reply.arrays["found"].tolist() == pytest.approx(shares)
    assert reply.meta["pairs"] == len(pairs) > 20


def test_pairs_are_found_both_ways_and_zero_rows_are_no_neighbors(small_lab, check_code) -> None:
    words = ["king", "queen", "man", "woman", "zero", "x"]
    rows = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [-1.0, -0.1], [0.0, 0.0], [-0.1, 1.0]])
    table = small_lab(words, rows, np.arange(1, 7)).table
    pairs = known_pairs(table)
    assert [[table.vocabulary[id] for id in pair] for pair in pairs] == [
        ["king", "queen"],
        ["king", "man"],
        ["queen", "woman"],
        ["man", "woman"],
    ]
    assert partner_found(table, pairs, 1).tolist() == [1, 0, 0, 0]
    assert partner_found(table, pairs, 5).tolist() == [1, 1, 1, 1]


def test_few_pairs_give_no_curve(small_lab, check_code) -> None:
    reply = check_code(small_lab(["king", "queen"], np.eye(2), np.array([5, 7])), "words/counts")
    assert (reply.meta["pairs"], reply.meta["fewest"], reply.arrays["found"].size) == (1, 5, 0)


def test_table_without_counts_gets_empty_curves(small_lab, check_code) -> None:
    reply = check_code(small_lab(["a", "b", "c"], np.eye(3)), "words/counts")
    assert reply.meta["counted"] is False
    assert (reply.meta["rows"], reply.arrays["counts"].size, reply.arrays["found"].size) == (0, 0, 0)


def test_unusual_counts_get_a_reply(small_lab, check_code) -> None:
    for counts in (np.zeros(3, np.int64), np.full(3, 2**60), np.array([0, 1, 5])):
        reply = check_code(small_lab(["a", "b", "c"], np.eye(3), counts), "words/counts")
        assert reply.arrays["sizes"].sum() == (counts > 0).sum()
