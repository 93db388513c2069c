"""Every module of rowspace.layers compiles to one graph: `torch.compile(fullgraph=True)` and `torch.export`.

The oracle is the eager module. `test_contract.py` has the tests without a compiler.
"""

import pytest
import torch
from tests.layers.contract import CASES, MODULE_CASES, assert_same, floats, learned, made, tensors
from torch import nn
from torch.export import Dim

from rowspace._base.parallel import torch_threads

# From torch, while it compiles: Dynamo creates an instance of each `autograd.Function`, inductor uses `torch.jit`.
# On a busy machine inductor times out while detecting vector instructions, and continues without them.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:VecISA:UserWarning")

IN_CI = (
    "TokenEmbedding",
    "AdaptiveEmbedding",
    "HashedEmbedding",
    "LoraTable",
    "TiedHead loss",
    "RotaryPosition YaRN",
    "LearnedPosition OPT",
    "PatchEmbedding linear",
    "InputEmbedding",
)
each_case = pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=() if case.name in IN_CI else pytest.mark.long) for case in MODULE_CASES],
    ids=lambda case: case.name,
)


@pytest.fixture(autouse=True)
def one_thread_and_no_graphs_of_others():
    """Reset the compiler for each test; the graphs are small."""
    torch._dynamo.reset()
    with torch_threads(1):
        yield


def gradients(module, outputs):
    """Gradients of a scalar that depends on all outputs, for each parameter that has one."""
    module.zero_grad()
    sum((output * output.detach().cos()).sum() for output in floats(outputs)).backward()
    return [weight.grad for weight in module.parameters() if weight.grad is not None]


@each_case
def test_forward_and_backward_compile_as_one_graph(case):
    module, inputs = made(case), case.inputs()
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    expected, actual = module(*inputs), compiled(*inputs)
    assert_same(actual, expected, rtol=1e-5, atol=1e-6)
    if learned(module):
        assert_same(gradients(module, actual), gradients(module, expected), rtol=1e-4, atol=1e-5)


# Inputs as long as the first one have a batch dimension, except row and column of patches, which happen to be two.
FIXED = {"AxialRotaryPosition"}
BATCHED = [case for case in MODULE_CASES if tensors(case.inputs()[:1]) and case.name not in FIXED]


@pytest.mark.long
@pytest.mark.parametrize("case", BATCHED, ids=lambda case: case.name)
def test_export_with_a_dynamic_batch_size(case):
    module, inputs = made(case), case.inputs()
    batched = [torch.is_tensor(arguments) and arguments.shape[0] == inputs[0].shape[0] for arguments in inputs]
    sizes = tuple({0: Dim.AUTO} if grows else None for grows in batched)
    exported = torch.export.export(module, inputs, dynamic_shapes=sizes)
    longer = tuple(
        torch.cat([arguments] * 3) if grows else arguments for arguments, grows in zip(inputs, batched, strict=True)
    )
    for arguments in (inputs, longer):
        assert_same(exported.module()(*arguments), module(*arguments), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", [case for case in MODULE_CASES if case not in BATCHED], ids=lambda case: case.name)
def test_export(case):
    module, inputs = made(case), case.inputs()
    exported = torch.export.export(module, inputs)
    assert_same(exported.module()(*inputs), module(*inputs), rtol=1e-5, atol=1e-6)


class Losses(nn.Module):
    """A model of the suite with a head, whose loss is computed without all logits."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids):
        return self.model.head.loss(self.model.tokens(ids), ids)


@pytest.mark.long
@pytest.mark.parametrize("case", [case for case in CASES if case.name.startswith("Tied ")], ids=lambda case: case.name)
def test_losses_of_heads_over_other_tables_compile_as_one_graph(case):
    module, inputs = Losses(made(case)), case.inputs()
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    expected, actual = module(*inputs), compiled(*inputs)
    assert_same(actual, expected, rtol=1e-5, atol=1e-6)
    if learned(module):
        assert_same(gradients(module, actual), gradients(module, expected), rtol=1e-4, atol=1e-5)
    assert_same(torch.export.export(module, inputs).module()(*inputs), expected, rtol=1e-5, atol=1e-6)


# The default backend generates and compiles C++, which takes a minute for the sum of tables with a norm.
BUILT = {"llama", "bert"}


@pytest.mark.long
@pytest.mark.parametrize("case", [case for case in CASES if case.name in BUILT], ids=lambda case: case.name)
def test_inductor_compiles_one_graph(case):
    module, inputs = made(case), case.inputs()
    compiled = torch.compile(module, fullgraph=True)
    expected, actual = module(*inputs), compiled(*inputs)
    assert_same(actual, expected, rtol=1e-4, atol=1e-6)
    assert_same(gradients(module, actual), gradients(module, expected), rtol=1e-4, atol=1e-6)
