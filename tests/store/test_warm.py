import pytest

from rowspace.store import kernels
from rowspace.store.warm import warm

pytestmark = pytest.mark.kernels


def test_every_kernel_is_compiled():
    warm()
    for name in kernels.__all__:
        signatures = getattr(getattr(kernels, name), "signatures", [()])  # a plain function where none is compiled
        assert signatures, name
