import pytest

from rowspace.serve.warm import warm
from rowspace.store.text_formats import print_kernels

pytestmark = pytest.mark.kernels


def test_warm_compiles_the_kernels() -> None:
    warm()
    assert getattr(print_kernels.print_numbers, "signatures", [None])  # plain Python under NUMBA_DISABLE_JIT has none
