"""Memory is reused after its tensor is freed, and never before."""

import pytest
import torch

from rowspace.layers.inputs import _memory_pool as module
from rowspace.layers.inputs._memory_pool import lazy_zeros, pooled_empty

SHAPE = (1024, 1024)  # 4 MiB, the smallest size that is pooled


def test_memory_is_reused_after_its_tensor_is_freed():
    others = [pooled_empty(*SHAPE) for _ in range(2)]
    del others  # two blocks in the pool
    tensor = pooled_empty(*SHAPE)
    place = tensor.data_ptr()
    del tensor
    assert pooled_empty(*SHAPE).data_ptr() == place


@pytest.mark.parametrize("view", [lambda tensor: tensor[3:5], lambda tensor: tensor.T, lambda tensor: tensor.numpy()])
def test_view_keeps_the_memory(view):
    tensor = pooled_empty(*SHAPE).fill_(7)
    held = view(tensor)
    del tensor
    other = pooled_empty(*SHAPE).fill_(1)
    assert bool((held == 7).all())
    assert other.data_ptr() != (held.ctypes.data if not isinstance(held, torch.Tensor) else held.data_ptr())


def test_tensor_saved_by_autograd_keeps_the_memory():
    tensor = pooled_empty(*SHAPE).fill_(3).requires_grad_()
    product = tensor * tensor.detach()
    del tensor
    pooled_empty(*SHAPE).fill_(0)
    (gradient,) = torch.autograd.grad(product.sum(), product)
    assert gradient.sum() == SHAPE[0] * SHAPE[1]
    assert product[0, 0] == 9


def test_pool_has_few_blocks_and_matches_sizes():
    places = [pooled_empty(1024 + i, 1024) for i in range(5)]
    del places
    assert len(module._free) == module.MAX_FREE
    assert pooled_empty(2048, 1024).shape == (2048, 1024)
    assert len(module._free) == module.MAX_FREE


@pytest.mark.parametrize("shape", [(0, 5), (3, 4), SHAPE], ids=str)
def test_lazy_zeros_do_not_reuse_written_memory(shape):
    pooled_empty(*shape).fill_(5)
    assert not lazy_zeros(*shape).any()
    assert lazy_zeros(*shape).shape == pooled_empty(*shape).shape == shape
