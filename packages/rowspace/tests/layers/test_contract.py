"""The contract of every module of rowspace.layers. Compilers: `test_contract_compiled.py`.

Recipes, which are compositions of these modules, run only the tests that a composition can fail.

The oracle is the module itself, eager, on the CPU, in float32; the other files test that its results are correct.
"""

import copy
import inspect
import pickle

import pytest
import torch
from safetensors.torch import load, save
from tests.layers.cases_recipes import NOT_RECIPES
from tests.layers.contract import CASES, MODULE_CASES, assert_same, floats, learned, loss_at, made, mapped, tensors
from torch import nn
from torch.func import functional_call, grad, jvp, vmap
from torch.utils._python_dispatch import TorchDispatchMode

from rowspace import layers
from rowspace.layers import recipes
from rowspace.layers.tables.wrapped import PartlyLearned

each_case = pytest.mark.parametrize("case", MODULE_CASES, ids=lambda case: case.name)
each_case_and_recipe = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
LEARNED = [case for case in MODULE_CASES if learned(made(case))]
each_learned = pytest.mark.parametrize("case", LEARNED, ids=lambda case: case.name)
DEVICES = ["meta", *(["cuda"] if torch.cuda.is_available() else [])]


def exported_modules():
    """The module classes exported by rowspace.layers."""
    exported = [getattr(layers, name) for name in layers.__all__]
    return [value for value in exported if inspect.isclass(value) and issubclass(value, nn.Module)]


def test_every_exported_module_has_a_case():
    held = {type(module) for case in MODULE_CASES for module in made(case).modules()}
    assert set(exported_modules()) - {layers.MappedEmbedding} <= held  # whose rows are in a file, not in the module


def test_every_recipe_has_a_case():
    written = {name for name in recipes.__all__ if inspect.isfunction(getattr(recipes, name))}
    assert written - NOT_RECIPES <= {case.name.split(",")[0] for case in CASES}


def test_case_names_are_unique():
    names = [case.name for case in CASES]
    assert sorted(set(names)) == sorted(names)


@each_case
def test_calls_are_deterministic_and_do_not_modify_inputs(case):
    module, inputs = made(case), case.inputs()
    before = mapped(torch.clone, inputs)
    first = mapped(torch.clone, module(*inputs))
    assert_same(module(*inputs), first)
    assert_same(inputs, before)


@each_case_and_recipe
def test_training_mode_gives_finite_outputs_and_gradients(case):
    module, inputs = made(case).train(), case.inputs()
    assert module.training
    assert all(part.training for part in module.modules())
    for output in floats(module(*inputs)):
        assert output.isfinite().all()
    weights = [weight for weight in module.parameters() if weight.requires_grad]
    if weights:
        sum(output.square().sum() for output in floats(module(*inputs))).backward()
        assert any(weight.grad is not None for weight in weights)
        assert all(weight.grad is None or weight.grad.isfinite().all() for weight in weights)


def padded(module):
    """The submodules with a padding row."""
    return [part for part in module.modules() if getattr(part, "padding_idx", None) is not None]


def to_double(tree):
    return mapped(lambda x: x.double() if x.is_floating_point() else x, tree)


@each_learned
def test_gradients_match_finite_differences(case):
    module, inputs = made(case).double(), to_double(case.inputs())
    for part in padded(module):  # its row is read but has no gradient; from zeros there may be none at all
        nn.init.normal_(part.weight)
        part.padding_idx = None
    weights = learned(module)

    def outputs(*values):
        return tuple(floats(functional_call(module, dict(zip(weights, values, strict=True)), inputs)))

    values = tuple(weight.requires_grad_() for weight in weights.values())
    assert torch.autograd.gradcheck(outputs, values, fast_mode=True)


@pytest.mark.parametrize("case", [case for case in LEARNED if padded(made(case))], ids=lambda case: case.name)
def test_padding_row_gets_no_gradient(case):
    module = made(case)
    sum(output.sum() for output in floats(module(*case.inputs()))).backward()
    rows = [(part.weight.grad, part.padding_idx) for part in padded(module) if hasattr(part, "weight")]
    assert rows
    for gradient, row in rows:
        assert gradient.any()
        assert not gradient[row].any()


@each_case
def test_deep_copy_is_equal_and_independent(case):
    module, inputs = made(case), case.inputs()
    twin = copy.deepcopy(module)
    expected = mapped(torch.clone, module(*inputs))
    assert_same(twin(*inputs), expected)
    assert len(list(twin.parameters())) == len(list(module.parameters()))  # what is tied stays tied
    with torch.no_grad():
        for weight in twin.parameters():
            weight.add_(1)
    assert_same(module(*inputs), expected)


@each_case
def test_pickle_round_trip(case):
    module, inputs = made(case), case.inputs()
    opened = pickle.loads(pickle.dumps(module))  # created in this test
    assert_same(opened(*inputs), module(*inputs))
    assert len(list(opened.parameters())) == len(list(module.parameters()))


@each_case_and_recipe
@pytest.mark.parametrize("assign", [False, True], ids=["copied", "assigned"])
def test_safetensors_round_trip(case, assign):
    module, inputs = made(case), case.inputs()
    written = save(module.state_dict())  # save refuses tensors that share memory: a tied table must be there once
    other = made(case, seed=1)
    other.load_state_dict(load(written), assign=assign)
    assert_same(other(*inputs), module(*inputs))


@each_case_and_recipe
def test_module_can_be_built_on_meta_and_materialized(case):
    module, inputs = made(case), case.inputs()
    with torch.device("meta"):
        empty = case.module().eval()
    shapes = empty(*mapped(lambda x: x.to("meta"), inputs))
    expected = module(*inputs)
    assert [(x.shape, x.dtype) for x in tensors(shapes)] == [(x.shape, x.dtype) for x in tensors(expected)]
    filled = empty.to_empty(device="cpu")
    filled.load_state_dict(module.state_dict())
    assert_same(filled(*inputs), expected)


class SeededDraws(TorchDispatchMode):
    """Seed torch before each parameter is initialized, so that its values do not depend on the order."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        draws = function in {torch.ops.aten.normal_.default, torch.ops.aten.uniform_.default}
        if draws and isinstance(args[0], nn.Parameter):
            torch.default_generator.manual_seed(0)
        return function(*args, **(kwargs or {}))


def test_reset_parameters_initializes_modules_built_on_meta():
    # As with FSDP2: each module by itself, including submodules. Partly learned tables begin with rows that are loaded.
    for case in CASES:
        if not learned(made(case)) or any(isinstance(part, PartlyLearned) for part in made(case).modules()):
            continue
        with SeededDraws():
            expected = case.module()
            with torch.device("meta"):
                module = case.module()
            module.to_empty(device="cpu")
            with torch.no_grad():
                for weight in module.parameters():
                    weight.fill_(7)
            for part in module.modules():
                if hasattr(part, "reset_parameters"):
                    part.reset_parameters()
        for name, weight in expected.named_parameters():
            assert torch.equal(module.get_parameter(name), weight), f"{name} of {case.name}"


@each_case
@pytest.mark.parametrize("device", DEVICES)
def test_module_moves_to_a_device(case, device):
    module, inputs = made(case), case.inputs()
    expected = module(*inputs)
    actual = module.to(device)(*mapped(lambda x: x.to(device), inputs))
    assert {x.device.type for x in tensors(actual)} <= {device}
    if device == "meta":
        assert [(x.shape, x.dtype) for x in tensors(actual)] == [(x.shape, x.dtype) for x in tensors(expected)]
    else:
        assert_same(mapped(torch.Tensor.cpu, actual), expected, rtol=1e-5, atol=1e-6)


@each_case
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64], ids=["bfloat16", "float64"])
def test_module_computes_in_other_dtypes(case, dtype):
    module, inputs = made(case), case.inputs()
    expected = module(*inputs)
    cast = mapped(lambda x: x.to(dtype) if x.is_floating_point() else x, inputs)
    actual = module.to(dtype)(*cast)
    if list(module.parameters()) or floats(inputs):
        assert {x.dtype for x in floats(actual) if x.dim()} <= {dtype}  # a scalar loss may be float32
    slack = 0.05 if dtype is torch.bfloat16 else 1e-5
    for x, y in zip(floats(actual), floats(expected), strict=True):
        torch.testing.assert_close(x.float(), y, rtol=slack, atol=slack)


@each_case
def test_module_runs_under_autocast(case):
    module, inputs = made(case), case.inputs()
    expected = module(*inputs)
    with torch.autocast("cpu", torch.bfloat16):
        actual = module(*inputs)
    for x, y in zip(floats(actual), floats(expected), strict=True):
        torch.testing.assert_close(x.float(), y, rtol=0.05, atol=0.05)


@each_learned
def test_functional_gradients_match_autograd(case):
    module, inputs = made(case), case.inputs()
    functional = grad(lambda weights: loss_at(module, weights, inputs))(learned(module))
    weights = {name: weight.requires_grad_() for name, weight in learned(module).items()}
    direct = torch.autograd.grad(loss_at(module, weights, inputs), list(weights.values()), materialize_grads=True)
    assert_same(list(functional.values()), list(direct), rtol=1e-5, atol=1e-6)


@each_learned
def test_vmap_over_an_ensemble_matches_a_loop(case):
    module, other, inputs = made(case), made(case, seed=1), case.inputs()
    first, second = learned(module), learned(other)
    stacked = {name: torch.stack([first[name], second[name]]) for name in first}
    buffers = dict(module.named_buffers())
    together = vmap(lambda weights: floats(functional_call(module, {**buffers, **weights}, inputs)))(stacked)
    for position, weights in enumerate((first, second)):
        alone = floats(functional_call(module, {**buffers, **weights}, inputs))
        assert_same([output[position] for output in together], alone, rtol=1e-5, atol=1e-6)


# A tangent of a padding row changes the output although its gradient is zero; the loss has no forward-mode rule.
FORWARD = [case for case in LEARNED if not padded(made(case)) and case.name != "TiedHead loss"]


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # from torch, when it first needs a forward rule
@pytest.mark.parametrize("case", FORWARD, ids=lambda case: case.name)
def test_forward_derivatives_match_gradients(case):
    module, inputs = made(case), case.inputs()
    weights, directions = learned(module), learned(made(case, seed=1))
    _, slope = jvp(lambda weights: loss_at(module, weights, inputs), (weights,), (directions,))
    gradients = grad(lambda weights: loss_at(module, weights, inputs))(weights)
    expected = sum((gradients[name] * directions[name]).sum() for name in weights)
    torch.testing.assert_close(slope, expected, rtol=1e-4, atol=1e-5)


SINGLE = [case for case in LEARNED if len(case.inputs()) == 1 == len(tensors(case.inputs()))]


@pytest.mark.parametrize("case", SINGLE, ids=lambda case: case.name)
def test_per_sample_gradients_match_a_loop(case):
    module, (batch,) = made(case), case.inputs()
    weights = learned(module)

    def gradients(weights, sample):
        return grad(lambda weights: loss_at(module, weights, (sample.unsqueeze(0),)))(weights)

    together = vmap(gradients, in_dims=(None, 0))(weights, batch)
    for position, sample in enumerate(batch):
        alone = gradients(weights, sample)
        assert_same([stack[position] for stack in together.values()], list(alone.values()), rtol=1e-5, atol=1e-6)
