import pytest

from rowspace.serve.embeddings import kernels
from rowspace.serve.warm import warm

pytestmark = pytest.mark.kernels


def test_warm_compiles_the_kernels() -> None:
    warm()
    assert getattr(kernels.write_floats, "signatures", [None])  # plain Python under NUMBA_DISABLE_JIT has none
