"""The map's replies equal the results of `rowspace.space`, for every kind of table."""

import numpy as np
import pytest
from sklearn.preprocessing import normalize

from rowspace import space
from rowspace.errors import UsageError
from rowspace_lab.pages.words.maps import routes


@pytest.mark.parametrize("route", sorted(set(routes(in_background=True)) - {"words/stored-umap"}))
def test_defaults_give_a_reply_with_code(lab, check_code, route: str) -> None:
    check_code(lab, route)


def test_positions_equal_the_principal_components(lab, check_code) -> None:
    reply = check_code(lab, "words/pca")
    expected = space.pca(lab.table.rows)
    np.testing.assert_array_equal(reply.arrays["positions"], expected.positions)
    np.testing.assert_array_equal(reply.arrays["share"], expected.share)


def test_preserved_neighbors_equal_those_of_the_map(lab, check_code) -> None:
    reply = check_code(lab, "words/map-quality", k=5)
    assert reply.meta["by_chance"] == 5 / (len(lab.table) - 1)
    assert reply.arrays["preserved"] > reply.meta["by_chance"]
    assert reply.meta["sample"] == 500


@pytest.mark.parametrize(("by", "expected"), [("count", "counts"), ("norm", "norms")])
def test_every_row_has_a_value(lab, check_code, by: str, expected: str) -> None:
    values = check_code(lab, "words/values", by=by).arrays["values"]
    np.testing.assert_allclose(values, getattr(lab.table, expected), rtol=1e-6)


def test_clusters_are_labeled_by_the_words_nearest_their_centers(lab, check_code) -> None:
    reply = check_code(lab, "words/values", by="cluster", clusters=4)
    values = reply.arrays["values"]
    assert reply.meta["sizes"] == np.bincount(values).tolist()
    units = normalize(lab.table.rows)  # scikit-learn's
    for cluster, names in enumerate(reply.meta["names"]):
        inside = units[values == cluster]
        near = inside @ inside.mean(0)  # centers are learned from mini-batches, so they differ slightly from the means
        assert (units[lab.table.ids(names)] @ inside.mean(0)).min() > np.quantile(near, 0.9), (cluster, names)


def test_most_frequent_words_come_first_with_counts(lab, check_code) -> None:
    reply = check_code(lab, "words/order")
    assert reply.meta["by"] == "count"
    assert (np.diff(lab.table.counts[reply.arrays["ids"]]) <= 0).all()


def test_without_counts_representative_words_come_first_and_special_tokens_last(bert_lab, check_code) -> None:
    reply = check_code(bert_lab, "words/order")
    tokens = [bert_lab.table.vocabulary[id] for id in reply.arrays["ids"]]
    assert reply.meta["by"] == "center"
    assert sorted(tokens) == sorted(bert_lab.table.vocabulary)
    special = [token for token in tokens if len(token) > 1 and token.startswith("[")]
    pieces = [token for token in tokens if token.startswith("##")]
    assert tokens[-len(special) :] == special
    assert tokens[-len(special) - len(pieces) : -len(special)] == pieces
    assert all(token.isalpha() for token in tokens[:20])


def test_clusters_are_labeled_by_words_without_counts(bert_lab, check_code) -> None:
    names = check_code(bert_lab, "words/values", by="cluster").meta["names"]
    assert all(name.isalpha() for inside in names for name in inside)


def test_tokens_are_returned_for_ids(lab, check_code) -> None:
    reply = check_code(lab, "words/tokens", ids="3,0")
    assert reply.meta["tokens"] == [lab.table.vocabulary[3], lab.table.vocabulary[0]]
    assert reply.meta["counts"] == [lab.table.counts[3], lab.table.counts[0]]


@pytest.mark.parametrize("ids", ["1.5", "-1", "10000000", "x", ",".join("1" * 1001)])
def test_invalid_ids_are_refused(lab, ask, ids: str) -> None:
    with pytest.raises(UsageError, match=r"ids must be (at most 1,000 )?whole numbers"):
        ask(lab, "words/tokens", ids=ids)


def test_error_for_a_long_list_names_the_wrong_id(lab, ask) -> None:
    with pytest.raises(UsageError, match=r"ids must be whole numbers from 0 to [0-9,]+, not '-7'"):
        ask(
            lab, "words/tokens", ids=",".join(["0"] * 600 + ["-7"])
        )  # longer than the 1,000 characters allowed for a text


def test_color_by_count_requires_counts(small_lab, ask) -> None:
    with pytest.raises(UsageError, match="this table has no counts"):
        ask(small_lab(["a"], np.ones((1, 2))), "words/values", by="count")


AWKWARD = {
    "one row": (["only"], np.ones((1, 3)), None),
    "one dimension": (["a", "b"], np.array([[1.0], [-2.0]], np.float32), None),
    "no number": (["a", "b", "c", "d"], np.array([[1, np.nan], [np.inf, 1], [1, 2], [2, 1]]), np.arange(4)),
}


@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize(("route", "parameters"), [("pca", {}), ("values", {"by": "cluster"}), ("values", {})])
def test_every_kind_of_table_is_mapped(small_lab, check_code, name: str, route: str, parameters) -> None:
    reply = check_code(small_lab(*AWKWARD[name]), f"words/{route}", **parameters)
    if name == "no number" and route == "pca":
        assert reply.meta["left_out"] == 2


def test_table_of_only_nan_has_no_map(small_lab, ask) -> None:
    with pytest.raises(UsageError, match="every row has NaN"):
        ask(small_lab(["a"], np.full((1, 2), np.nan)), "words/pca")
