"""Each function of lanes, called in a kernel, does what its Python form says."""

import numpy as np
import pytest

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.kernels.simd import WIDTH, add_product, load, splat, store, total

pytestmark = pytest.mark.kernels


@kernel
def scaled_and_summed(source, target, scale, row):
    sum_of_blocks = splat(np.float32(0))
    for column in range(0, source.shape[1], WIDTH):
        block = add_product(splat(scale), load(source, row, column), splat(np.float32(1)))
        store(target, row, column, block)
        sum_of_blocks = add_product(block, splat(np.float32(1)), sum_of_blocks)
    return total(sum_of_blocks)


def test_blocks_scale_shift_store_and_sum_one_row(assert_close):
    source = np.random.default_rng(0).normal(size=(3, 2 * WIDTH)).astype(np.float32)
    target = np.zeros_like(source)
    summed = scaled_and_summed(source, target, np.float32(2), 1)
    assert_close(target[1], 2 * source[1] + 1)
    assert_close(summed, target[1].sum(), slack=10)
    assert not target[[0, 2]].any()
