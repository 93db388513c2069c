import numpy as np
import pytest


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


def test_nearest_tokens_of_each_token_are_those_by_cosine(lab, check_code) -> None:
    reply = check_code(lab, "pipeline/nearest", text="read the list read", k=4)
    rows = lab.table.rows / np.linalg.norm(lab.table.rows, axis=1, keepdims=True)
    for at, word in enumerate(["read", "the", "list", "read"]):
        scores = rows @ rows[lab.table.id(word)]
        best = [id for id in np.argsort(-scores) if id != lab.table.id(word)][:4]
        assert reply.meta["names"][at] == [lab.table.vocabulary[id] for id in best]
        np.testing.assert_allclose(reply.meta["scores"][at], scores[best], atol=1e-6)


def test_row_without_a_direction_has_no_nearest_tokens(small_lab, ask) -> None:
    lab = small_lab(["a", "b", "c", "d"], np.array([[1, 0], [0, 0], [np.inf, 1], [-1, 0.1]], np.float32))
    assert ask(lab, "pipeline/nearest", text="b c").meta["names"] == [[], []]
    reply = ask(lab, "pipeline/nearest", text="a b a")
    assert reply.meta["names"] == [["d"], [], ["d"]]  # not b, whose cosine of 0 would be larger


@pytest.mark.parametrize("route", ["forward", "matrix", "backward", "distances"])
def test_text_of_unknown_words_has_no_rows(small_lab, ask, route: str) -> None:
    reply = ask(small_lab(["a"], np.ones((1, 2), np.float32)), f"pipeline/{route}", text="b c")
    assert [piece["row"] for piece in reply.meta["pieces"]] == [False, False]
    assert all(array.size == 0 for array in reply.arrays.values())


@pytest.mark.parametrize("route", ["forward", "matrix", "backward", "distances", "tied"])
def test_infinite_rows_cause_no_warning(small_lab, ask, route: str) -> None:
    lab = small_lab(["a", "b"], np.array([[np.inf, -np.inf], [1e30, 3e38]], np.float32))
    reply = ask(lab, f"pipeline/{route}", text="a b b", g="100,-100,100", upstream="rows")
    assert reply.meta["tokens"] == ["a", "b", "b"]


def test_cost_of_the_product_next_to_the_lookup(lab, ask) -> None:
    torch = pytest.importorskip("torch")
    from torch.utils.flop_counter import FlopCounterMode

    reply = ask(lab, "pipeline/forward", text="list list write")
    one_hot = torch.eye(len(lab.table))[lab.table.ids(["list", "list", "write"])]
    with FlopCounterMode(display=False) as counter:  # PyTorch's own count
        one_hot @ torch.from_numpy(lab.table.rows.copy())
    assert reply.meta["product_operations"] == counter.get_total_flops()
    assert reply.meta["one_hot_numbers"] == one_hot.numel()
    assert reply.meta["numbers_read"] == reply.arrays["rows"].size


def test_whole_table_is_shown_as_it_is_or_sampled(lab, small_lab, check_code) -> None:
    rows = np.arange(12, dtype=np.float32).reshape(4, 3)
    small = check_code(small_lab(["a", "b", "c", "d"], rows), "pipeline/cells")
    np.testing.assert_array_equal(small.arrays["cells"], rows)
    assert small.meta["names"] == ["a", "b", "c", "d"]
    large = check_code(lab, "pipeline/cells", height=100)
    assert large.arrays["cells"].shape == (100, 20)
    starts = large.arrays["row_edges"][:-1]
    np.testing.assert_array_equal(large.arrays["cells"], lab.table.rows[starts])
    assert large.meta["names"] == []
