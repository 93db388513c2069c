"""Every module of rowspace.layers is one graph: `torch.compile(fullgraph=True)` and `torch.export`.

The oracle is the module itself, eager. What can be said of modules without a compiler: `test_contract.py`.
"""

import os

import pytest
import torch
from tests.layers.contract import CASES, MODULE_CASES, assert_same, floats, learned, made, tensors
from torch.export import Dim

# Torch's own, while it compiles: Dynamo makes an instance of each `autograd.Function`, inductor opens `torch.jit`.
# On a busy machine inductor gives up asking which vector instructions there are, and does without.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:VecISA:UserWarning")

each_case = pytest.mark.parametrize("case", MODULE_CASES, ids=lambda case: case.name)


@pytest.fixture(autouse=True)
def one_thread_and_no_graphs_of_others():
    """A compiler of its own for each test; the graphs are small."""
    torch._dynamo.reset()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def gradients(module, outputs):
    """Of a number that depends on all outputs, for each parameter that was learned from."""
    module.zero_grad()
    sum((output * output.detach().cos()).sum() for output in floats(outputs)).backward()
    return [weight.grad for weight in module.parameters() if weight.grad is not None]


@each_case
def test_it_compiles_whole_with_its_gradients(case):
    module, inputs = made(case), case.inputs()
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    expected, actual = module(*inputs), compiled(*inputs)
    assert_same(actual, expected, rtol=1e-5, atol=1e-6)
    if learned(module):
        assert_same(gradients(module, actual), gradients(module, expected), rtol=1e-4, atol=1e-5)


# A batch is whatever is as long as the first input, but for row and column of patches, which are two of another kind.
FIXED = {"AxialRotaryPosition"}
BATCHED = [case for case in MODULE_CASES if tensors(case.inputs()[:1]) and case.name not in FIXED]


@pytest.mark.parametrize("case", BATCHED, ids=lambda case: case.name)
def test_it_is_exported_for_batches_of_any_size(case):
    module, inputs = made(case), case.inputs()
    batched = [torch.is_tensor(given) and given.shape[0] == inputs[0].shape[0] for given in inputs]
    sizes = tuple({0: Dim.AUTO} if grows else None for grows in batched)
    exported = torch.export.export(module, inputs, dynamic_shapes=sizes)
    longer = tuple(torch.cat([given] * 3) if grows else given for given, grows in zip(inputs, batched, strict=True))
    for given in (inputs, longer):
        assert_same(exported.module()(*given), module(*given), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", [case for case in MODULE_CASES if case not in BATCHED], ids=lambda case: case.name)
def test_it_is_exported(case):
    module, inputs = made(case), case.inputs()
    exported = torch.export.export(module, inputs)
    assert_same(exported.module()(*inputs), module(*inputs), rtol=1e-5, atol=1e-6)


# The default backend writes and builds C++, which takes a minute for the sum of tables with a norm.
BUILT = {"llama", "bert"} if os.environ.get("ROWSPACE_LONG_TESTS") == "1" else {"llama"}


@pytest.mark.parametrize("case", [case for case in CASES if case.name in BUILT], ids=lambda case: case.name)
def test_inductor_compiles_it_whole(case):
    module, inputs = made(case), case.inputs()
    compiled = torch.compile(module, fullgraph=True)
    expected, actual = module(*inputs), compiled(*inputs)
    assert_same(actual, expected, rtol=1e-4, atol=1e-6)
    assert_same(gradients(module, actual), gradients(module, expected), rtol=1e-4, atol=1e-6)
