"""Initial rows: the first logits and the first loss of a tied head, compared with SciPy and with formulas."""

import math

import numpy as np
import pytest
import torch
from scipy.special import log_softmax

from rowspace.errors import UsageError


def test_first_logits_and_loss_are_those_of_a_linear_head(lab, check_code) -> None:
    reply = check_code(lab, "input/initial", std=0.5, dim=16)
    drawn = torch.Generator().manual_seed(0)
    head, hidden = torch.nn.Linear(16, 10_000, bias=False), torch.empty(256, 16)
    with torch.no_grad():
        head.weight.copy_(0.5 * torch.randn(10_000, 16, generator=drawn))
        hidden.copy_(torch.randn(256, 16, generator=drawn))
        logits = head(hidden).double().numpy()
    logs = log_softmax(logits, axis=1)
    np.testing.assert_allclose(reply.arrays["logits"], logits[0, :64], atol=1e-5)
    assert reply.meta["loss"] == pytest.approx(-logs.mean(), rel=1e-5)
    assert reply.meta["error"] == pytest.approx(logs.mean(1).std(ddof=1) / 16, rel=1e-4)
    assert reply.meta["top"] == pytest.approx(np.exp(logs.max(1)).mean(), rel=1e-4)
    assert reply.meta["logit_std"] == pytest.approx(logits.std(), rel=1e-4)


def test_small_rows_begin_at_the_loss_of_blind_guessing(lab, check_code) -> None:
    reply = check_code(lab, "input/initial", std=0)
    assert reply.meta["blind"] == pytest.approx(math.log(10_000))
    assert reply.meta["loss"] == pytest.approx(math.log(10_000), rel=1e-6)
    one, root, small = reply.meta["usual"]
    assert (one["std"], root["std"], small["std"]) == (1, 512**-0.5, 0.02)
    # Logits of normal rows have variance σ²d, so that ln E[exp(logit)] is σ²d/2.
    assert root["loss"] == pytest.approx(math.log(10_000) + 0.5, abs=0.03)
    assert small["loss"] == pytest.approx(math.log(10_000) + 0.02**2 * 512 / 2, abs=0.01)
    assert one["loss"] == pytest.approx(87, abs=3 * one["error"])
    curve = np.interp(1, reply.arrays["spreads"], reply.arrays["losses"])
    assert curve == pytest.approx(one["loss"], rel=0.01)


def test_too_wide_rows_are_refused(lab, ask) -> None:
    with pytest.raises(UsageError, match="from 1 to 2,048"):
        ask(lab, "input/initial", dim=4096)
