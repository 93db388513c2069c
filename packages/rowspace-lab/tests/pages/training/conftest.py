"""A short run of the page's job, in this process, and a lab that has it."""

from collections.abc import Callable

import numpy as np
import pytest
from tests.short_runs import train_short

import rowspace as rs
from rowspace_lab.jobs.kinds import Progress
from rowspace_lab.lab import Lab
from rowspace_lab.server.reply import Reply


@pytest.fixture(scope="module")
def trained() -> tuple[Lab, list[Progress | Reply]]:
    """A lab of a table, and what its job has yielded."""
    lab = Lab(rs.Table(["a"], np.ones((1, 1))), "some-table")
    return lab, train_short(lab, "base")


@pytest.fixture(scope="session")
def train_in() -> Callable[..., list[Progress | Reply]]:
    return train_short
