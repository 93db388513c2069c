import math

import numpy as np
import pytest


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"length": 1000},
        {"pairs": 2, "original": 16, "factor": 1, "length": 2},
        {"pairs": 3, "long": "1,2.5,8", "base": 500000, "length": 2**20},
    ],
)
def test_figures_equal_the_result_of_the_code(lab, check_code, given):
    reply = check_code(lab, "positions/scaling", **given)
    assert reply.arrays["wavelengths"].shape == (6, reply.meta["dim"] // 2)
    assert reply.arrays["scores"].shape == (6, len(reply.arrays["distances"]))
    assert reply.arrays["distances"][[0, -1]].tolist() == [0, reply.meta["length"] - 1]


def test_scalings_equal_their_formulas(lab, ask):
    reply = ask(lab, "positions/scaling", length=32768)
    waves = dict(zip(reply.meta["scalings"], reply.arrays["wavelengths"].astype(float), strict=True))
    plain = 2 * math.pi * 10000.0 ** (np.arange(64) / 64)
    np.testing.assert_allclose(waves["none"], plain, rtol=1e-5)
    np.testing.assert_allclose(waves["linear"], 8 * plain, rtol=1e-5)
    base = 10000.0 * (8 * 8 - 7) ** (128 / 126)
    np.testing.assert_allclose(waves["dynamic"], 2 * math.pi * base ** (np.arange(64) / 64), rtol=1e-5)
    np.testing.assert_allclose(waves["longrope"], plain * np.geomspace(1, 8, 64), rtol=1e-4)
    for name in ("yarn", "llama3"):  # fast pairs unchanged, slow pairs stretched
        np.testing.assert_allclose(waves[name][[0, -1]], plain[[0, -1]] * [1, 8], rtol=1e-5)


def test_two_scalings_depend_on_the_length(lab, ask):
    reply = ask(lab, "positions/scaling")
    assert reply.arrays["lengths"].tolist() == [1024 * 2**octave for octave in range(8)]
    changes = {
        name: [bool(step) for step in np.diff(row)]
        for name, row in zip(reply.meta["scalings"], reply.arrays["slowest"], strict=True)
    }
    assert changes.pop("dynamic") == [False, False, True, True, True, True, True]
    assert changes.pop("longrope") == [False, False, True, False, False, False, False]
    assert not any(sum(steps) for steps in changes.values())


def test_score_at_distance_0_is_the_squared_attention_factor(lab, ask):
    reply = ask(lab, "positions/scaling")
    np.testing.assert_allclose(reply.arrays["scores"][:, 0], np.square(reply.meta["attention_factors"]), rtol=1e-6)
