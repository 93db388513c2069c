import pytest

from rowspace.space import kernels
from rowspace.space.warm import warm

pytestmark = pytest.mark.kernels


def test_the_kernel_is_compiled():
    warm()
    assert getattr(kernels.select, "signatures", [()])  # a plain function where none is compiled
