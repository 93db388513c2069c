import numpy as np
import pytest

from rowspace.errors import UsageError


def test_rows_of_the_table_equal_the_one_hot_product(lab, check_code) -> None:
    reply = check_code(lab, "pipeline/forward", text="read the list, write the list")
    ids = lab.table.ids(["read", "the", "list", "write", "the", "list"])
    assert reply.arrays["ids"].tolist() == ids.tolist()
    np.testing.assert_array_equal(reply.arrays["rows"], lab.table.rows[ids])
    np.testing.assert_array_equal(reply.arrays["product"], reply.arrays["rows"])
    assert reply.meta["equal"]
    columns = lab.table.ids(reply.meta["columns"])
    np.testing.assert_array_equal(reply.arrays["one_hot"], np.eye(len(lab.table))[ids][:, columns])


def test_nan_row_spreads_in_the_product_and_is_reported(small_lab, ask) -> None:
    lab = small_lab(["a", "b"], np.array([[1.0, 2.0], [np.nan, 3.0]]))
    reply = ask(lab, "pipeline/forward", text="a b")
    assert np.isnan(reply.arrays["product"][0, 0])
    assert (reply.meta["equal"], reply.meta["finite"]) == (False, False)


@pytest.mark.parametrize("kind", ["sinusoid", "learned", "none"])
def test_matrix_is_the_sum_of_rows_and_positions(lab, check_code, kind: str) -> None:
    reply = check_code(lab, "pipeline/matrix", text="the list", position=kind)
    rows = lab.table[["the", "list"]]
    np.testing.assert_array_equal(reply.arrays["X"], rows + reply.arrays["positions"])
    if kind == "sinusoid":
        np.testing.assert_array_equal(reply.arrays["positions"][0], [0, 1] * 10)
    elif kind == "none":
        assert not reply.arrays["positions"].any()


def test_odd_dimension_has_no_sinusoid(small_lab, ask) -> None:
    lab = small_lab(["a"], np.ones((1, 1), np.float32))
    assert ask(lab, "pipeline/matrix").meta["position"] == "learned"
    with pytest.raises(UsageError, match="embedding_dim must be even"):
        ask(lab, "pipeline/matrix", position="sinusoid")


@pytest.mark.parametrize("route", ["forward", "matrix", "backward"])
def test_text_of_unknown_words_has_no_rows(small_lab, ask, route: str) -> None:
    reply = ask(small_lab(["a"], np.ones((1, 2), np.float32)), f"pipeline/{route}", text="b c")
    assert [piece["row"] for piece in reply.meta["pieces"]] == [False, False]
    assert all(array.size == 0 for array in reply.arrays.values())


@pytest.mark.parametrize("route", ["forward", "matrix", "backward"])
def test_infinite_rows_cause_no_warning(small_lab, ask, route: str) -> None:
    lab = small_lab(["a", "b"], np.array([[np.inf, -np.inf], [1e30, 3e38]], np.float32))
    reply = ask(lab, f"pipeline/{route}", text="a b b", g="100,-100,100", upstream="rows", position="none")
    assert reply.meta["tokens"] == ["a", "b", "b"]
