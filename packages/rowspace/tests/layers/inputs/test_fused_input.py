"""The fused input against torch's separate operations: rows and gradients, eager and compiled."""

import pytest
import torch
from torch.func import grad, vmap

from rowspace._base.parallel import torch_threads
from rowspace.errors import UsageError
from rowspace.layers.inputs import fused_input as module
from rowspace.layers.inputs.fused_input import by_parts, fused_input

SIZES = (50, 2, 12)  # words, segments, positions


def made(shape, dim=20, dtype=torch.float32, sizes=SIZES):
    generator = torch.Generator().manual_seed(3)
    ids = tuple(torch.randint(0, size, shape, generator=generator) for size in sizes)
    weights = [
        torch.randn(*size, generator=generator, dtype=dtype) for size in (*((n, dim) for n in sizes), (dim,), (dim,))
    ]
    return ids, [weight.requires_grad_() for weight in weights]


def learned(function, ids, weights, **options):
    """The output and the gradient of each weight."""
    copies = [weight.detach().clone().requires_grad_() for weight in weights]
    output = function(ids, tuple(copies[:3]), copies[3], copies[4], eps=1e-12, **options)
    output.backward(torch.randn(output.shape, generator=torch.Generator().manual_seed(4)).to(output.dtype))
    return [output.detach(), *(copy.grad for copy in copies)]


def assert_near(ours, theirs):
    for one, other in zip(ours, theirs, strict=True):
        largest = float(other.abs().max()) if other.numel() else 0.0
        torch.testing.assert_close(one, other, rtol=2e-6, atol=2e-6 * largest)


@pytest.mark.kernels
@pytest.mark.parametrize("shape", [(1,), (3, 5), (2, 3, 4), (0, 5)], ids=str)
@pytest.mark.parametrize("padding_idx", [None, 7])
def test_rows_and_gradients_match_separate_operations(shape, padding_idx):
    ids, weights = made(shape)
    ids[0].reshape(-1)[:1] = ids[2].reshape(-1)[:1] = 7
    paddings = {"padding_idx": padding_idx, "position_padding_idx": padding_idx}
    assert_near(*(learned(form, ids, weights, **paddings) for form in (fused_input, by_parts)))


@pytest.mark.kernels
def test_result_does_not_depend_on_the_number_of_threads():
    ids, weights = made((33, 32), dim=64)  # enough for a second thread
    results = []
    for count in (1, 2):
        with torch_threads(count):
            results.append(learned(fused_input, ids, weights))
    torch.testing.assert_close(results[0][0], results[1][0], rtol=0, atol=0)
    assert_near(*results)


def test_large_inputs_match_and_are_deterministic():
    ids, weights = made((16, 200), dim=64)
    assert_near(learned(fused_input, ids, weights), learned(by_parts, ids, weights))
    for one, other in zip(learned(fused_input, ids, weights), learned(fused_input, ids, weights), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)


def test_compiles_as_one_graph():
    ids, weights = made((3, 5))
    compiled = torch.compile(fused_input, fullgraph=True, backend="aot_eager")
    assert_near(learned(compiled, ids, weights), learned(by_parts, ids, weights))


def test_operators_pass_opcheck():
    ids, weights = made((3, 5))
    inputs = (torch.stack(ids), weights[:3], weights[3], weights[4], 1e-12, [-1, 2])
    torch.library.opcheck(module._forward, (*inputs, False))
    checks = ("test_schema", "test_autograd_registration", "test_faketensor")  # the other compares dense gradients
    torch.library.opcheck(module._forward, (*inputs, True), test_utils=checks)


@pytest.mark.parametrize(
    ("dtype", "sizes"), [(torch.float64, SIZES), (torch.bfloat16, SIZES), (torch.float32, (50, 65, 12))], ids=str
)
def test_other_inputs_use_separate_operations(dtype, sizes):
    ids, weights = made((3, 5), dtype=dtype, sizes=sizes)
    for one, other in zip(learned(fused_input, ids, weights), learned(by_parts, ids, weights), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)


def test_function_transforms_use_separate_operations():
    ids, weights = made((4, 5))
    tables, weight, bias = tuple(each.detach() for each in weights[:3]), weights[3].detach(), weights[4].detach()

    def loss(bias, ids):
        return fused_input(ids, tables, weight, bias, eps=1e-12).square().sum()

    each = vmap(grad(loss), (None, 0))(bias, ids)
    torch.testing.assert_close(each.sum(0), grad(loss)(bias, ids))


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("wrong", [-1, 50])
def test_error_names_the_id_out_of_range(which, wrong):
    ids, weights = made((3, 5))
    ids[which][1, 2] = wrong
    with pytest.raises(UsageError, match=rf"id {wrong} at \[1, 2\] is out of range for a table of {SIZES[which]} rows"):
        fused_input(ids, tuple(weights[:3]), weights[3], weights[4], eps=1e-12)
