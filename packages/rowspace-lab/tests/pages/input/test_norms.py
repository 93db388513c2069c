import numpy as np
import pytest


def test_norms_equal_those_of_the_table(lab, check_code) -> None:
    reply = check_code(lab, "input/scale", text="read the list")
    norms = np.linalg.norm(lab.table[["read", "the", "list"]].astype(float), axis=1)
    np.testing.assert_allclose(reply.arrays["norms"], norms, rtol=1e-6)
    assert reply.meta["position_norm"] == pytest.approx(10**0.5)
    assert reply.meta["token_norm"] == pytest.approx(lab.table.norms.mean())
    assert reply.meta["balance"] * reply.meta["token_norm"] == pytest.approx(reply.meta["position_norm"])


def test_norms_of_the_lesson(lab, check_code) -> None:
    """d = 512: rows of N(0, 1/d) have norm 1, a sinusoid 16.0, the ratio is 16:1, and √d inverts it."""
    reply = check_code(lab, "input/scale", rows="drawn", dim=512, start=5)
    assert reply.meta["token_norm"] == pytest.approx(1, abs=0.01)
    assert reply.meta["position_norm"] == pytest.approx(16, abs=1e-4)
    assert reply.meta["ratio"] == pytest.approx(16, abs=0.1)
    root = reply.meta["root"]
    assert root == pytest.approx(22.627, abs=1e-3)
    scaled = check_code(lab, "input/scale", rows="drawn", dim=512, scale=root).meta
    assert scaled["ratio"] == pytest.approx(16 / root, abs=0.01)


@pytest.mark.parametrize("rows", ["table", "drawn"])
def test_learned_positions_are_short_before_training(lab, check_code, rows: str) -> None:
    reply = check_code(lab, "input/scale", rows=rows, dim=400, position="learned")
    assert reply.meta["position_norm"] == pytest.approx(0.02 * reply.meta["dim"] ** 0.5, rel=0.4)


@pytest.mark.parametrize("row", [0.0, np.nan])
def test_zero_and_nan_rows_have_no_ratio(small_lab, check_code, row: float) -> None:
    reply = check_code(small_lab(["a"], np.full((1, 2), row)), "input/scale")
    assert reply.meta["ratio"] is None
    assert reply.meta["token_norm"] == 0
