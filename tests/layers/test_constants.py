import copy

import pytest
import torch

from rowspace.layers.constants import ConstantBuffers


@pytest.fixture
def module():
    module = ConstantBuffers()
    module.register_constant("numbers", torch.tensor([0.1, 1e-9]))
    return module


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_a_cast_leaves_them_as_they_are(module, dtype):
    outer = torch.nn.Sequential(module).to(dtype)
    assert torch.equal(outer[0].numbers, torch.tensor([0.1, 1e-9]))


def test_they_move(module):
    assert module.to("meta").numbers.is_meta
    assert torch.equal(module.to_empty(device="cpu").numbers, torch.tensor([0.1, 1e-9]))


def test_copies_move_by_themselves(module):
    other = copy.deepcopy(module).to("meta")
    assert other.numbers.is_meta
    assert not module.numbers.is_meta


def test_they_are_not_saved(module):
    assert not module.state_dict()
    module.load_state_dict({}, assign=True)
    assert torch.equal(module.numbers, torch.tensor([0.1, 1e-9]))
