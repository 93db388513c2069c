import pytest

from rowspace.space import kernels
from rowspace.space.warm import warm

pytestmark = pytest.mark.kernels


def test_warm_compiles_the_kernel():
    warm()
    assert getattr(kernels.select, "signatures", [()])  # a plain function if compilation is disabled
