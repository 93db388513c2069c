"""Baskets and events, of Python and of files, become the same interactions; wrong ones are named with their place."""

import json
import math
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

import rowspace as rs
from rowspace.errors import CorpusError, FileFormatError, UnknownTokenError, UsageError
from rowspace.learn import Interactions, hold_out, read_interactions

BASKETS = {"anna": ["green tea", "milk"], "ben": ["milk", "ale", "milk"], "eve": ["ale"]}
EVENTS = [{"user": user, "item": item} for user, items in BASKETS.items() for item in items]


def as_sets(interactions: Interactions) -> dict[str, dict[str, float]]:
    return {
        user: {item: float(weight) for item, weight in zip(interactions.of(user), weights, strict=True)}
        for user, weights in zip(
            interactions.users, np.split(interactions.by_user.weights, interactions.by_user.starts[1:-1]), strict=True
        )
    }


EXPECTED = {"anna": {"green tea": 1, "milk": 1}, "ben": {"milk": 2, "ale": 1}, "eve": {"ale": 1}}


def test_sources_give_the_same_interactions(tmp_path):
    lines = tmp_path / "events.jsonl"
    lines.write_text("\n".join(map(json.dumps, EVENTS)))
    table = tmp_path / "events.csv"
    table.write_text("who,what\n" + "\n".join(f"{event['user']},{event['item']}" for event in EVENTS))
    text = tmp_path / "baskets.txt"
    text.write_text("green tea; milk\nmilk;ale ;milk\n\nale\n")
    for interactions in (
        read_interactions(BASKETS),
        read_interactions(EVENTS),
        read_interactions(pd.DataFrame(EVENTS)),
        read_interactions(pl.DataFrame(EVENTS)),
        read_interactions(str(lines)),
        read_interactions(table, user_column="who", item_column="what"),
        read_interactions([table], user_column="who", item_column="what"),
        read_interactions({user: {item: items.count(item) for item in items} for user, items in BASKETS.items()}),
    ):
        assert as_sets(interactions) == EXPECTED
        assert interactions.items == ["ale", "milk", "green tea"]  # by number of users, then by name
        assert interactions.counts.tolist() == [2, 2, 1]
    numbered = as_sets(read_interactions(text, separator=";"))
    assert numbered == dict(zip(["0", "1", "3"], EXPECTED.values(), strict=True))
    assert list(as_sets(read_interactions(BASKETS.values())).values()) == list(EXPECTED.values())


def test_baskets_of_several_files_are_different_users(tmp_path):
    for name, text in (("a.txt", "tea\tmilk\n\n"), ("b.txt", "ale\tnuts\nale"), ("empty.txt", "")):
        (tmp_path / name).write_text(text)
    a, b, empty = (tmp_path / name for name in ("a.txt", "b.txt", "empty.txt"))
    tea, ale, last = {"tea": 1, "milk": 1}, {"ale": 1, "nuts": 1}, {"ale": 1}
    assert as_sets(read_interactions([a, empty, b])) == {"0": tea, "2": ale, "3": last}  # line 1 is empty
    assert as_sets(read_interactions([["x"], b, ["y"]])) == {"0": {"x": 1}, "1": ale, "2": last, "3": {"y": 1}}
    a.write_text("\n\n")
    with pytest.raises(FileFormatError, match=r"b.txt: line 1: gap divides events"):
        read_interactions([a, b], gap=9)


def test_a_sparse_matrix_has_users_as_rows_and_items_as_columns():
    matrix = csr_array(np.array([[0, 2, 1], [0, 0, 0], [0, 3, 0]], np.float32))
    assert as_sets(read_interactions(matrix)) == {"0": {"1": 2, "2": 1}, "2": {"1": 3}}
    with_zero = csr_array((np.ones(2), np.array([1, 2]), np.array([0, 1, 2])), (2, 3))
    with_zero.data[0] = 0
    assert as_sets(read_interactions(with_zero)) == {"1": {"2": 1}}


def test_items_that_are_integers_are_asked_for_by_integers():
    model = rs.fit_items([[1, 2], [1, 2, 3], [3, 4], [3, 4]] * 5, dim=4)
    assert model.recommend([1]) == model.recommend(["1"])
    assert model.recommend(1) == model.recommend(np.int64(1)) == model.recommend("1")


def test_parquet_with_times_in_its_own_type(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    hours = [datetime(2024, 5, 1, hour, tzinfo=UTC) for hour in (8, 9, 20)]
    columns = {"user": ["anna"] * 3, "item": ["tea", "milk", "ale"], "time": hours, "n": [2, 1, 1]}
    parquet.write_table(pa.table(columns), tmp_path / "events.parquet")
    found = read_interactions(tmp_path / "events.parquet", gap=3600, weight_column="n")
    assert as_sets(found) == {"anna/1": {"tea": 2, "milk": 1}, "anna/2": {"ale": 1}}


def test_sessions_end_where_the_gap_is_longer():
    times = {"anna": [5000, 0, 3600, 8601], "ben": [0]}
    events = [{"user": user, "item": f"{user}{at}", "when": at} for user, many in times.items() for at in many]
    found = as_sets(read_interactions(events, gap=3600, time_column="when"))
    assert {session: set(items) for session, items in found.items()} == {
        "anna/1": {"anna0", "anna3600", "anna5000"},
        "anna/2": {"anna8601"},
        "ben/1": {"ben0"},
    }


def test_rare_items_and_users_without_items_are_left_out():
    assert as_sets(read_interactions(BASKETS | {"zoe": ["gin"]}, min_count=2)) == {
        "anna": {"milk": 1},
        "ben": {"milk": 2, "ale": 1},
        "eve": {"ale": 1},
    }


@pytest.mark.parametrize(
    ("baskets", "options", "error", "message"),
    [
        ([], {}, CorpusError, "there are no baskets"),
        (5, {}, UsageError, "baskets are lists of item names, .* not int"),
        (["ale"], {}, UsageError, "basket 0: 'ale' is not a list of items"),
        ([["ale", None]], {}, UsageError, "basket 0: no value is not the name of an item"),
        ([["ale", 1.5]], {}, UsageError, "basket 0: 1.5 is not the name of an item, which is text or a whole number"),
        ([["a\0b"]], {}, UsageError, "the name of an item has NUL"),
        ({"anna": {"ale": -1}}, {}, UsageError, "user 'anna': the weight is -1, not a number from 1e-37 to 1e"),
        ({"anna": {"ale": math.nan}}, {}, UsageError, "the weight is nan, not a number from"),
        ({"anna": {"ale": 1e38}}, {}, UsageError, r"the weight is 1e\+38, not a number from 1e-37 to 1e\+30"),
        ({"anna": {"ale": 1e-46}}, {}, UsageError, "the weight is 1e-46, not a number from 1e-37"),  # 0 as float32
        (csr_array(np.array([[1, -1]])), {}, UsageError, "user 0: the weight is -1.0, not a number from"),
        (csr_array(np.array([[1, 1j]])), {}, UsageError, "must have two dimensions and numbers"),
        ([{"user": "anna"}], {}, UsageError, "event 0: there is no column 'item'; it has 'user'; name one with --item"),
        ([{"user": 1, "item": 2}], {"gap": 9}, UsageError, r"no column 'time'; .* --time-column \(time_column= "),
        ([{"user": 1, "item": 2, "time": "noon"}], {"gap": 9}, UsageError, "the time is 'noon', neither a number of"),
        ([{"user": 1, "item": 2, "time": math.inf}], {"gap": 9}, UsageError, "the time is inf, neither a number of"),
        ([["ale"]], {"gap": 9}, UsageError, "gap divides events by their times, which baskets do not have"),
        ([["ale"]], {"min_count": 3}, CorpusError, "no item is in min_count=3 baskets: the most frequent one is in 1"),
        ([["ale"]], {"separator": ""}, UsageError, "separator must be text of at least one character"),
        ([["ale"]], {"sep": ","}, UsageError, "read_interactions has no option 'sep'"),
        ("no-such-file", {}, UsageError, "no file or folder 'no-such-file'; give a file of baskets or of events"),
    ],
)  # fmt: skip
def test_wrong_input_is_one_sentence(baskets, options, error, message):
    with pytest.raises(error, match=message):
        read_interactions(baskets, **options)


def test_files_are_named_with_the_line(tmp_path):
    path = tmp_path / "events.csv"
    path.write_text("user,item,n\nanna,tea,1\nben,tea,-2\n")
    with pytest.raises(FileFormatError, match=r"events.csv: line 3: the weight is '-2'"):
        read_interactions(path, weight_column="n")
    with pytest.raises(UsageError, match="there is no column 'sku'; it has 'item', 'n', 'user'"):
        read_interactions(path, item_column="sku")
    with pytest.raises(
        UsageError, match=r"events.csv: there is no column 'time'; it has 'item', 'n', 'user'; name one"
    ):
        read_interactions(path, gap=9)
    with pytest.raises(UsageError, match="' is not a file; give a file of baskets"):
        read_interactions(tmp_path)


def test_nested_columns_of_arrays_and_pipes_are_read(tmp_path):
    event = {"by": {"who": "anna", "when": 0}, "item": "tea", "n": {"m": 2}}
    (tmp_path / "events.json").write_text(json.dumps([event]))
    named = {"user_column": "by.who", "time_column": "by.when", "weight_column": "n.m", "gap": 9}
    for events in (tmp_path / "events.json", [event]):
        assert as_sets(read_interactions(events, **named)) == {"anna/1": {"tea": 2}}
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as executor:
        executor.submit((tmp_path / "pipe").write_text, "milk\tbeer\n")
        assert read_interactions(tmp_path / "pipe").items == ["beer", "milk"]


def test_unknown_users_get_suggestions():
    interactions = read_interactions(BASKETS)
    with pytest.raises(UnknownTokenError, match="user 'Anna' is not among the 3 users; did you mean 'anna'"):
        interactions.of("Anna")
    with pytest.raises(UnknownTokenError, match="for a new user, give a list of items"):
        interactions.of("qqq")


def test_transpose_has_the_same_weights():
    interactions = read_interactions(BASKETS)
    dense, transposed = np.zeros((3, 3)), np.zeros((3, 3))
    for matrix, (starts, ids, weights) in ((dense, interactions.by_user), (transposed, interactions.by_item)):
        matrix[np.repeat(np.arange(3), np.diff(starts)), ids] = weights
    np.testing.assert_array_equal(transposed, dense.T)
    assert dense.sum() == 6


def test_held_out_items_are_a_share_of_each_users():
    baskets = {str(user): [f"i{(user * 7 + n) % 40}" for n in range(1 + user % 20)] for user in range(200)}
    everything = read_interactions(baskets)
    learned, held_out = hold_out(everything, share=0.25, seed=3)
    for user, items in baskets.items():
        kept = set(learned.of(user))
        held = set(held_out.of(user)) if user in held_out.users else set()
        assert kept | held == set(items)
        assert not kept & held
        assert len(held) == (0 if len(items) == 1 else max(1, round(0.25 * len(items))))
    other = hold_out(everything, share=0.25, seed=4)[1]
    assert as_sets(other) != as_sets(held_out)
    assert as_sets(hold_out(everything, share=0.25, seed=3)[1]) == as_sets(held_out)
    with pytest.raises(UsageError, match="share must be a number between 0 and 1, not 1"):
        hold_out(everything, share=1)
    with pytest.raises(UsageError, match="no user has two items"):
        hold_out(read_interactions([["a"], ["b"]]))
