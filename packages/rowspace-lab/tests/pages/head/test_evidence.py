"""Tied and untied runs of the Training page, as their event files have them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.short_runs import train_short

import rowspace as rs
from rowspace_lab.experiments import read_events
from rowspace_lab.lab import Lab
from rowspace_lab.pages.training.runs import run_path
from rowspace_lab.server.reply import Reply

Ask = Callable[..., Reply]


@pytest.fixture(scope="module")
def trained_lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """A lab with three runs, of which two differ in tying only."""
    path: Path = tmp_path_factory.mktemp("evidence") / "table"
    rs.Table(["a"], np.ones((1, 1), np.float32)).save(path)
    lab = Lab(rs.load(path), str(path))
    for run in ("base", "untied", "dim-4"):
        train_short(lab, run)
    return lab


@pytest.mark.long
def test_bits_equal_the_last_measurement_of_each_run(trained_lab: Lab, check_code: Ask) -> None:
    reply = check_code(trained_lab, "head/evidence")
    assert reply.meta["names"] == ["base", "untied"]
    assert reply.meta["tied"] == [True, False]
    assert reply.arrays["steps"].tolist() == [6, 6]
    for name, bits in zip(reply.meta["names"], reply.arrays["bits"].tolist(), strict=True):
        with read_events(run_path(trained_lab, name)) as events:
            assert events.held_out()[-1] == (6, bits)


def test_lab_without_runs_has_no_evidence(lab: Lab, check_code: Ask) -> None:
    reply = check_code(lab, "head/evidence")
    assert reply.meta["names"] == []
    assert reply.arrays["sizes"].shape == (0, 2)
