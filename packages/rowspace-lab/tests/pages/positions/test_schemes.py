from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rowspace.errors import UnknownTokenError, UsageError


@pytest.mark.parametrize("sizes", [{}, {"length": 2, "dim": 2, "base": 2}, {"length": 17, "dim": 6, "seed": 5}])
def test_rows_equal_the_result_of_the_code(lab, check_code, sizes):
    reply = check_code(lab, "positions/rows", **sizes)
    assert len(reply.arrays) == 5
    assert {array.shape for array in reply.arrays.values()} == {(reply.meta["length"], reply.meta["dim"])}


def test_layouts_are_permutations_of_the_same_numbers(lab, ask):
    arrays = ask(lab, "positions/rows", dim=8).arrays
    sines_first = np.r_[0:8:2, 1:8:2]
    np.testing.assert_array_equal(arrays["sinusoid_interleaved"][:, sines_first], arrays["sinusoid_concatenated"])
    np.testing.assert_array_equal(arrays["rotary_interleaved"][:, sines_first], arrays["rotary_half"])
    assert arrays["sinusoid_interleaved"][0].tolist() == [0, 1] * 4


def test_learned_rows_depend_on_the_seed(lab, ask):
    first, again, other = (ask(lab, "positions/rows", seed=seed).arrays["learned"] for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).all()
    assert first.std() == pytest.approx(0.02, rel=0.05)


def test_concurrent_requests_use_separate_generators(lab, ask):
    seeds = range(8)
    alone = [ask(lab, "positions/rows", seed=seed).arrays["learned"] for seed in seeds]
    with ThreadPoolExecutor(8) as readers:
        at_once = readers.map(lambda seed: ask(lab, "positions/rows", seed=seed).arrays["learned"], [*seeds] * 5)
        for number, rows in enumerate(at_once):
            np.testing.assert_array_equal(rows, alone[number % 8])


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"length": 2, "dim": 2, "heads": 1},
        {"length": 200, "dim": 16, "heads": 3, "head": 2, "causal": "true", "seed": 9},
        {"query": "sin", "key": "cos", "length": 9},
        {"query": "read", "dim": 8, "length": 9},
    ],
)
def test_scores_equal_the_result_of_the_code(lab, check_code, parameters):
    reply = check_code(lab, "positions/scores", **parameters)
    length, heads = reply.meta["length"], reply.meta["heads"]
    assert reply.arrays["scores"].shape == (5, heads, 2 * length - 1)
    assert reply.arrays["pairs"].shape == (5, length, length)
    assert reply.arrays["slopes"].shape == (heads,)


def test_position_scores_depend_on_the_offset(lab, ask):
    reply = ask(lab, "positions/scores")
    deviations = dict(zip(reply.meta["schemes"], reply.meta["deviations"], strict=True))
    assert deviations["learned"] > 0.01
    assert max(value for name, value in deviations.items() if name != "learned") < 1e-4
    middle = reply.meta["length"] - 1
    np.testing.assert_allclose(reply.arrays["scores"][:, 0, middle][[0, 2, 3]], [32, 1, 0], atol=1e-5)


def test_added_positions_with_tokens_also_depend_on_the_absolute_position(lab, ask):
    reply = ask(lab, "positions/scores", query="sin", key="cos")
    deviations = dict(zip(reply.meta["schemes"], reply.meta["deviations"], strict=True))
    assert deviations["sinusoid"] > 0.1
    assert deviations["rotary"] < 1e-4
    assert reply.meta["dim"] == lab.table.dim // 2 * 2


def test_causal_attention_has_its_own_slopes_and_buckets(lab, ask):
    both, causal = (ask(lab, "positions/scores", causal=flag, length=4).arrays for flag in ("false", "true"))
    assert both["buckets"].tolist() == [3, 2, 1, 0, 17, 18, 19]
    assert causal["buckets"].tolist() == [3, 2, 1, 0, 0, 0, 0]
    assert both["scores"][3, 0].tolist() == [-1.5, -1, -0.5, 0, -0.5, -1, -1.5]
    assert causal["scores"][3, 0].tolist() == [-1.5, -1, -0.5, 0, 0.5, 1, 1.5]


def test_parameters_of_each_scheme(lab, ask):
    assert ask(lab, "positions/scores").meta["parameters"] == [0, 64 * 64, 0, 0, 32 * 8]


def test_rows_of_odd_width_lose_their_last_number(small_lab, check_code):
    lab = small_lab(["a", "<script>"], np.array([[1, 2, 3], [np.nan, 0, 1]], np.float32))
    reply = check_code(lab, "positions/scores", query="a", key="<script>", length=3)
    assert reply.meta["dim"] == 2
    assert np.isnan(reply.arrays["pairs"]).any()


@pytest.mark.parametrize(
    ("route", "parameters", "error", "message"),
    [
        ("rows", {"dim": 7}, UsageError, "dim must be even, not 7, since sines and cosines come in pairs; use 6 or 8"),
        ("rows", {"length": 100_000}, UsageError, "length must be a whole number from 2 to 256, not '100000'"),
        ("rows", {"base": "nan"}, UsageError, "base must be a number from 2"),
        ("scores", {"heads": 4, "head": 4}, UsageError, "head must be a whole number from 0 to 3, not '4'"),
        ("scores", {"query": "no such token"}, UnknownTokenError, "no such token"),
        ("scaling", {"pairs": 1}, UsageError, "pairs must be a whole number from 2 to 128, not '1'"),
        ("scaling", {"pairs": 4, "long": "1,2"}, UsageError, "long must be 4 positive numbers, one for each pair"),
        ("scaling", {"pairs": 2, "long": "1,0"}, UsageError, "long must be 2 positive numbers"),
        ("scaling", {"length": 2**21}, UsageError, "length must be a whole number from 2 to 1,048,576"),
    ],
)
def test_invalid_parameters_are_refused(lab, ask, route, parameters, error, message):
    with pytest.raises(error, match=message):
        ask(lab, f"positions/{route}", **parameters)


def test_row_of_one_number_cannot_be_rotated(small_lab, ask):
    lab = small_lab(["a"], np.ones((1, 1), np.float32))
    assert ask(lab, "positions/scores").arrays["scores"].shape == (5, 8, 127)
    with pytest.raises(UsageError, match="rows of one number cannot be rotated"):
        ask(lab, "positions/scores", query="a")
