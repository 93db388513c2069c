"""Each test of optimizers runs on one thread, with the kernels and with torch operations."""

from collections.abc import Iterator

import pytest

from rowspace._base.parallel import torch_threads
from rowspace.optim.rows.table import RowTable


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Small tensors are faster without OpenMP's threads."""
    with torch_threads(1):
        yield


@pytest.fixture(params=["kernels", "torch"])
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs a test with the kernels, and with torch operations as on other devices."""
    if request.param == "torch":
        monkeypatch.setattr(RowTable, "runs_kernels", lambda _: False)
    return str(request.param)
