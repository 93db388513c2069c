"""`rowspace.encode.warm` compiles what a scan uses."""

import pytest

from rowspace.encode.scanners.wordpiece.kernels import scan
from rowspace.encode.warm import warm_scanners

pytestmark = pytest.mark.kernels


def test_warm_runs_the_scan() -> None:
    warm_scanners()
    assert getattr(scan, "signatures", [()])  # a plain function if compilation is disabled
