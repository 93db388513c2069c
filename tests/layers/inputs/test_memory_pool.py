"""Memory is used again when its tensor is gone, and never before."""

import pytest
import torch

from rowspace.layers.inputs import _memory_pool as module
from rowspace.layers.inputs._memory_pool import lazy_zeros, pooled_empty

SHAPE = (1024, 1024)  # 4 MiB, the least that is reused


def test_memory_is_used_again_once_its_tensor_is_gone():
    others = [pooled_empty(*SHAPE) for _ in range(2)]
    del others  # two pieces wait
    tensor = pooled_empty(*SHAPE)
    place = tensor.data_ptr()
    del tensor
    assert pooled_empty(*SHAPE).data_ptr() == place


@pytest.mark.parametrize("view", [lambda tensor: tensor[3:5], lambda tensor: tensor.T, lambda tensor: tensor.numpy()])
def test_a_view_keeps_the_memory(view):
    tensor = pooled_empty(*SHAPE).fill_(7)
    kept = view(tensor)
    del tensor
    other = pooled_empty(*SHAPE).fill_(1)
    assert bool((kept == 7).all())
    assert other.data_ptr() != (kept.ctypes.data if not isinstance(kept, torch.Tensor) else kept.data_ptr())


def test_what_autograd_has_saved_keeps_the_memory():
    tensor = pooled_empty(*SHAPE).fill_(3).requires_grad_()
    product = tensor * tensor.detach()
    del tensor
    pooled_empty(*SHAPE).fill_(0)
    (gradient,) = torch.autograd.grad(product.sum(), product)
    assert gradient.sum() == SHAPE[0] * SHAPE[1]
    assert product[0, 0] == 9


def test_another_size_takes_other_memory_and_few_pieces_wait():
    places = [pooled_empty(1024 + i, 1024) for i in range(5)]
    del places
    assert len(module._waiting) == module.KEPT
    assert pooled_empty(2048, 1024).shape == (2048, 1024)
    assert len(module._waiting) == module.KEPT


@pytest.mark.parametrize("shape", [(0, 5), (3, 4), SHAPE], ids=str)
def test_zeros_are_zeros_even_after_memory_was_written(shape):
    pooled_empty(*shape).fill_(5)
    assert not lazy_zeros(*shape).any()
    assert lazy_zeros(*shape).shape == pooled_empty(*shape).shape == shape
