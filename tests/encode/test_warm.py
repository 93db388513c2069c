"""`rowspace.encode.warm` compiles what a scan uses."""

import pytest

from rowspace.encode.scanners.cache import kernels as cache_kernels
from rowspace.encode.scanners.wordpiece import kernels
from rowspace.encode.warm import warm_scanners

pytestmark = pytest.mark.kernels


def test_warm_runs_the_scan() -> None:
    warm_scanners()
    for kernel in (kernels.scan, cache_kernels.insert):
        assert getattr(kernel, "signatures", True)
