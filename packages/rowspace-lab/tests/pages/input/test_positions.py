import numpy as np
import pytest

from rowspace.errors import UsageError

TEXT = "read the list"


@pytest.mark.parametrize("kind", ["sinusoid", "learned"])
def test_concatenated_parts_keep_their_dimensions(lab, check_code, kind: str) -> None:
    reply = check_code(lab, "input/concatenation", text=TEXT, width=6, position=kind)
    rows = lab.table[TEXT.split()]
    assert reply.arrays["concatenated"].shape == (3, 26)
    np.testing.assert_array_equal(reply.arrays["concatenated"][:, :20], rows)
    assert reply.arrays["added"].shape == (3, 20)
    if kind == "sinusoid":
        np.testing.assert_array_equal(reply.arrays["added"][0], rows[0] + np.array([0, 1] * 10, np.float32))


def test_projection_of_two_identity_matrices_equals_the_sum(lab, ask) -> None:
    assert ask(lab, "input/concatenation", text=TEXT).meta["identity"] == 0


def test_costs_of_each_method(lab, ask) -> None:
    added, concatenated, mapped = ask(lab, "input/concatenation", text=TEXT, width=6, position="learned").meta["costs"]
    assert [cost["width"] for cost in (added, concatenated, mapped)] == [20, 26, 20]
    assert [cost["parameters"] for cost in (added, concatenated, mapped)] == [0, 0, 26 * 20]
    assert [cost["operations"] for cost in (added, concatenated, mapped)] == [20, 0, 2 * 26 * 20]
    assert [cost["position_parameters"] for cost in (added, concatenated, mapped)] == [512 * 20, 512 * 6, 512 * 6]
    assert [cost["layer"] for cost in (added, concatenated, mapped)] == [400, 676, 400]


def test_wide_table_is_not_multiplied_by_identities(small_lab, ask) -> None:
    reply = ask(small_lab(["a"], np.ones((1, 1026), np.float32)), "input/concatenation")
    assert reply.meta["identity"] is None


def test_sinusoid_of_odd_width_is_refused(lab, ask) -> None:
    with pytest.raises(UsageError, match="embedding_dim must be even"):
        ask(lab, "input/concatenation", text=TEXT, width=7, position="sinusoid")
