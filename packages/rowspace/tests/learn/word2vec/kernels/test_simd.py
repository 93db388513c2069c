"""The functions of `simd`, called in a kernel, behave like their Python form."""

import numpy as np
import pytest

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.kernels.simd import LANES, broadcast, fma, load, store, sum_lanes

pytestmark = pytest.mark.kernels


@kernel
def scaled_and_summed(source, target, scale, row):
    sum_of_blocks = broadcast(np.float32(0))
    for column in range(0, source.shape[1], LANES):
        block = fma(broadcast(scale), load(source, row, column), broadcast(np.float32(1)))
        store(target, row, column, block)
        sum_of_blocks = fma(block, broadcast(np.float32(1)), sum_of_blocks)
    return sum_lanes(sum_of_blocks)


def test_block_operations_on_one_row(assert_close):
    source = np.random.default_rng(0).normal(size=(3, 2 * LANES)).astype(np.float32)
    target = np.zeros_like(source)
    summed = scaled_and_summed(source, target, np.float32(2), 1)
    assert_close(target[1], 2 * source[1] + 1)
    assert_close(summed, target[1].sum(), slack=10)
    assert not target[[0, 2]].any()
