"""Kernels with checked indexes (`ROWSPACE_CHECK_BOUNDS=1`) raise where others would access memory outside the array."""

import numpy as np
import pytest

from rowspace._base.jit import compile_kernel
from rowspace.learn.word2vec.kernels.simd import LANES, load, store

pytestmark = pytest.mark.kernels


def read_unsigned(array, place):
    return array[np.uint64(place)]


def read_signed(array, place):
    return array[place]


def copy_block(array, source, target, column):
    store(array, target, column, load(array, source, column))


@pytest.mark.parametrize("read", [read_unsigned, read_signed])
def test_index_outside_its_array_raises(read):
    checked = compile_kernel(read, check_bounds=True)
    array = np.arange(4)
    assert checked(array, np.int64(3)) == 3
    # Without compilation these are Python integers, which do not become unsigned.
    for place in (4, -5, 2**40):
        with pytest.raises((IndexError, OverflowError)):
            checked(array, np.int64(place))


def test_block_outside_its_array_raises():
    checked = compile_kernel(copy_block, check_bounds=True)
    array = np.arange(3 * 2 * LANES, dtype=np.float32).reshape(3, 2 * LANES)
    checked(array, 0, 2, LANES)
    np.testing.assert_array_equal(array[2, LANES:], array[0, LANES:])
    before = array.copy()
    for source, target, column in [(3, 0, 0), (-1, 0, 0), (0, 3, 0), (0, -1, 0), (0, 1, LANES + 1), (0, 1, -1)]:
        with pytest.raises(IndexError):
            checked(array, source, target, column)
    np.testing.assert_array_equal(array, before)
