"""A short run of the page's job, in this process, and a lab that has it."""

from collections.abc import Callable

import numpy as np
import pytest

import rowspace as rs
from rowspace.lab.jobs.kinds import Progress
from rowspace.lab.lab import Lab
from rowspace.lab.pages.training import runs
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply


def train(lab: Lab, run: str, **options: object) -> list[Progress | Reply]:
    """Train one of the page's runs for a few steps."""
    read = runs.JOB_KINDS["train"].read(lab, Query({"run": [run]}))
    read = {**read, "options": {**read["options"], "steps": 6, "record": 2, "evaluate": 3, "batch": 2, **options}}
    return list(runs.JOB_KINDS["train"].run(**read))


@pytest.fixture(scope="module")
def trained() -> tuple[Lab, list[Progress | Reply]]:
    """A lab of a table, and what its job has yielded."""
    lab = Lab(rs.Table(["a"], np.ones((1, 1))), "some-table")
    return lab, train(lab, "base")


@pytest.fixture(scope="session")
def train_in() -> Callable[..., list[Progress | Reply]]:
    return train
