"""Sinusoids as clock hands, and position schemes beyond their trained length."""

from collections.abc import Callable

import numpy as np
import pytest

from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.server.reply import Reply


def pe(position: float, dim: int) -> np.ndarray:
    """The formula of Vaswani et al. (2017)."""
    return np.array([(np.cos if at % 2 else np.sin)(position / 10000 ** (at // 2 * 2 / dim)) for at in range(dim)])


def test_turned_row_is_the_row_of_the_later_position(lab: Lab, check_code: Callable[..., Reply]) -> None:
    reply = check_code(lab, "order/waves", position=5, delta=3)
    np.testing.assert_allclose(reply.arrays["here"], pe(5, 8), atol=1e-6)
    np.testing.assert_allclose(reply.arrays["turned"], pe(8, 8), atol=1e-6)
    assert reply.meta["difference"] < 1e-6
    assert reply.meta["product"] == pytest.approx(1.965, abs=5e-4)
    assert ask_product(check_code(lab, "order/waves", position=10, delta=3)) == pytest.approx(reply.meta["product"])
    assert reply.meta["norm"] == pytest.approx(2)
    assert reply.meta["full_turns"] == 2  # wavelengths 6.28 and 62.8 of 128 positions


def ask_product(reply: Reply) -> float:
    return float(reply.meta["product"])


def test_wave_is_a_column_of_the_rows(lab: Lab, check_code: Callable[..., Reply]) -> None:
    reply = check_code(lab, "order/waves", dim=512, dimension=511, length=16, delta=-20, position=2)
    np.testing.assert_allclose(reply.arrays["wave"], [pe(p, 512)[511] for p in range(16)], atol=1e-6)
    np.testing.assert_allclose(reply.arrays["periods"][[0, -1]], [6.28, 60611], rtol=1e-3)
    np.testing.assert_allclose(reply.arrays["turned"], pe(-18, 512), atol=1e-5)


def test_scores_beyond_the_trained_length(lab: Lab, check_code: Callable[..., Reply]) -> None:
    reply = check_code(lab, "order/lengths", trained=256, heads=4)
    distances, scores = reply.arrays["distances"], reply.arrays["scores"]
    assert distances.max() < 4 * 256
    np.testing.assert_allclose(scores[0], [pe(0, 64) @ pe(p, 64) / 32 for p in distances], atol=1e-5)
    np.testing.assert_allclose(scores[2], scores[0], atol=1e-4)  # equal contents in all pairs
    np.testing.assert_array_equal(np.isnan(scores[1]), distances >= 256)
    np.testing.assert_allclose(scores[3], -distances / 4)
    assert len(set(scores[4][distances >= 128].tolist())) == 1
    assert reply.meta["parameters"] == [0, 256 * 64, 0, 0, 32 * 4]
    assert reply.meta["unfinished"] == sum(255 / 10000 ** (pair / 32) < 2 * np.pi for pair in range(32))
    users = {user["scheme"]: user for user in reply.meta["users"]}
    assert "gpt2" in users["learned"]["models"]
    assert users["alibi"]["models"] == ["bloom-560m", "mpt-7b"]


def test_odd_dimensions_are_refused(lab: Lab, ask: Callable[..., Reply]) -> None:
    with pytest.raises(UsageError, match="dim must be even, not 7"):
        ask(lab, "order/waves", dim=7)
