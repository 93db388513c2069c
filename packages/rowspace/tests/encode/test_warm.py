"""`rowspace.encode.warm` compiles the kernels of scanners and of pooling."""

import pytest

from rowspace.encode import kernels
from rowspace.encode.scanners.byte_bpe.kernels import scan as byte_bpe
from rowspace.encode.scanners.sentencepiece.kernels import merges, unigram
from rowspace.encode.scanners.wordpiece import kernels as wordpiece
from rowspace.encode.warm import warm

pytestmark = pytest.mark.kernels


def test_warm_compiles_each_kernel() -> None:
    warm()
    for kernel in (wordpiece.scan, byte_bpe.scan, merges.scan, unigram.scan, kernels.pool_rows):
        assert getattr(kernel, "signatures", [()])  # a plain function if compilation is disabled
