"""Three distance tables, and a renumbered vocabulary."""

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances
from tests.six_words import ROWS, WORDS


@pytest.fixture
def six(small_lab):
    return small_lab(WORDS, ROWS)


def test_distances_of_six_words(six, check_code) -> None:
    reply = check_code(six, "pipeline/distances", text=" ".join(WORDS))
    by_id, by_row = reply.arrays["by_id"], reply.arrays["by_row"]
    the, cat, dog, _, _, on = range(6)
    assert (by_id[cat, the], by_id[cat, dog], by_id[the, on], by_id.max()) == (1, 1, 5, 5)
    np.testing.assert_allclose(
        [by_row[cat, dog], by_row[cat, the], by_row[the, on]], [0.0074**0.5, 1.4501**0.5, 0.0133**0.5], rtol=1e-5
    )
    assert round(by_row[cat, the] / by_row[cat, dog], 1) == 14.0
    # The same by scikit-learn.
    np.testing.assert_allclose(by_row, pairwise_distances(ROWS.astype(np.float64)), atol=1e-9)
    np.testing.assert_allclose(reply.arrays["by_one_hot"], pairwise_distances(np.eye(6)), atol=1e-12)


def test_renumbering_changes_only_the_distances_by_id(six, check_code) -> None:
    before = check_code(six, "pipeline/distances", text=" ".join(WORDS))
    after = check_code(six, "pipeline/distances", text=" ".join(WORDS), seed=1)
    new = after.arrays["new_ids"]
    assert sorted(new.tolist()) == list(range(6))
    np.testing.assert_array_equal(after.arrays["by_id"], pairwise_distances(new[:, np.newaxis], metric="cityblock"))
    np.testing.assert_array_equal(after.arrays["by_row"], before.arrays["by_row"])
    np.testing.assert_array_equal(after.arrays["by_one_hot"], before.arrays["by_one_hot"])
    upper = np.triu_indices(6, 1)
    differ = int((after.arrays["by_id"] != before.arrays["by_id"])[upper].sum())
    assert after.meta["changed"] == [differ, 0, 0]
    assert (after.meta["num_pairs"], before.meta["changed"]) == (15, [0, 0, 0])
    assert differ > 5


def test_distinct_tokens_keep_the_order_of_the_text(six, ask) -> None:
    reply = ask(six, "pipeline/distances", text="on the cat on the")
    assert reply.meta["names"] == ["on", "the", "cat"]
    assert reply.arrays["old_ids"].tolist() == [5, 0, 1]


def test_table_of_one_row(small_lab, check_code) -> None:
    reply = check_code(small_lab(["a"], np.ones((1, 2), np.float32)), "pipeline/distances", text="a a", seed=3)
    assert (reply.meta["num_pairs"], reply.meta["changed"]) == (0, [0, 0, 0])
