"""Every module of rowspace.layers is one graph: `torch.compile(fullgraph=True)` and `torch.export`.

The oracle is the module itself, eager. What can be said of modules without a compiler: `test_contract.py`.
"""

import pytest
import torch
from tests.layers.contract import CASES, assert_same, floats, learned, made

# Dynamo makes an instance of each `autograd.Function` that it meets, and torch warns of it.
pytestmark = pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


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
        assert_same(gradients(module, actual), gradients(module, expected), rtol=1e-5, atol=1e-6)


@each_case
def test_it_is_exported(case):
    module, inputs = made(case), case.inputs()
    exported = torch.export.export(module, inputs)
    assert_same(exported.module()(*inputs), module(*inputs), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", [case for case in CASES if case.name in {"bert", "llama"}], ids=lambda case: case.name)
def test_inductor_compiles_it_whole(case):
    # the default backend writes and builds C++, which takes seconds: a sum of tables with a norm, and a rotation
    module, inputs = made(case), case.inputs()
    compiled = torch.compile(module, fullgraph=True)
    expected, actual = module(*inputs), compiled(*inputs)
    assert_same(actual, expected, rtol=1e-5, atol=1e-6)
    assert_same(gradients(module, actual), gradients(module, expected), rtol=1e-5, atol=1e-6)
