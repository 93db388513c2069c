import copy

import pytest
import torch

from rowspace.layers.base_modules import ConstantBuffers


@pytest.fixture
def module():
    module = ConstantBuffers()
    module.register_constant("numbers", torch.tensor([0.1, 1e-9]))
    return module


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_cast_does_not_change_constants(module, dtype):
    outer = torch.nn.Sequential(module).to(dtype)
    assert torch.equal(outer[0].numbers, torch.tensor([0.1, 1e-9]))


def test_constants_move_with_the_module(module):
    assert module.to("meta").numbers.is_meta
    assert torch.equal(module.to_empty(device="cpu").numbers, torch.tensor([0.1, 1e-9]))


def test_copies_move_independently(module):
    other = copy.deepcopy(module).to("meta")
    assert other.numbers.is_meta
    assert not module.numbers.is_meta


def test_constants_are_not_in_the_state(module):
    assert not module.state_dict()
    module.load_state_dict({}, assign=True)
    assert torch.equal(module.numbers, torch.tensor([0.1, 1e-9]))


def test_constants_leave_the_meta_device_when_a_state_is_assigned(module):
    outer = torch.nn.Sequential(module.to("meta"))
    outer.load_state_dict({}, assign=True)
    assert torch.equal(module.numbers, torch.tensor([0.1, 1e-9]))
