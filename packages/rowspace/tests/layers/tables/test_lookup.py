"""The oracles are the one-hot products of `reference.py` and `torch.nn.functional.embedding`."""

from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st
from torch import Tensor
from torch.func import grad, hessian, jacrev, jvp, vmap
from torch.nn import functional

from rowspace._base.parallel import torch_threads
from rowspace.errors import UsageError
from rowspace.layers import lookup
from rowspace.layers.tables import reference
from rowspace.layers.tables.lookup import row_sums

HALVES = [torch.bfloat16, torch.float16]
DTYPES = [torch.float32, torch.float64, *HALVES]


def table(num_embeddings: int = 10, dim: int = 4, *, dtype: torch.dtype = torch.float32, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(num_embeddings, dim, generator=generator).to(dtype).requires_grad_()


def gradient(ids: Tensor, upstream: Tensor, num_embeddings: int = 10, **options: object) -> Tensor:
    weight = table(num_embeddings, upstream.shape[-1], dtype=upstream.dtype)
    lookup(ids, weight, **options).backward(upstream)
    return weight.grad


def cubes(weight: Tensor, ids: Tensor, function=lookup, **options: object) -> Tensor:
    """A loss whose derivatives of all orders differ."""
    return (function(ids, weight, **options) ** 3).sum()


some_ids = st.lists(st.integers(0, 9), max_size=30).map(lambda ids: torch.tensor(ids, dtype=torch.int64))


@given(some_ids)
def test_rows_match_the_one_hot_product(ids: Tensor) -> None:
    weight = table(dtype=torch.float64).detach()
    expected = reference.one_hot(ids, 10) @ weight.numpy()
    np.testing.assert_array_equal(lookup(ids, weight).numpy(), expected)


@given(some_ids)
def test_gradient_matches_the_transposed_one_hot_product(ids: Tensor) -> None:
    upstream = torch.randn(len(ids), 4, dtype=torch.float64)
    expected = reference.one_hot(ids, 10).T @ upstream.numpy()
    np.testing.assert_allclose(gradient(ids, upstream).numpy(), expected, atol=1e-14)


def test_gradients_of_repeated_ids_are_summed() -> None:
    upstream = torch.tensor([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]])
    expected = torch.zeros(10, 2)
    expected[2], expected[5] = upstream[0] + upstream[1], upstream[2]
    assert torch.equal(gradient(torch.tensor([2, 2, 5]), upstream), expected)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (7,), (3, 5), (2, 3, 4), (0,), (2, 0)], ids=str)
@pytest.mark.parametrize("id_dtype", [torch.int64, torch.int32], ids=str)
def test_rows_match_torch(dtype: torch.dtype, shape: tuple[int, ...], id_dtype: torch.dtype) -> None:
    ids = torch.randint(10, shape).to(id_dtype)
    weight = table(dtype=dtype)
    rows = lookup(ids, weight)
    assert torch.equal(rows, functional.embedding(ids, weight))
    rows.sum().backward()
    assert weight.grad.sum() == ids.numel() * 4


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("padding_idx", [None, 2])
def test_gradient_matches_torch_bit_for_bit(dtype: torch.dtype, padding_idx: int | None) -> None:
    ids, upstream = torch.randint(10, (40, 30)), torch.randn(40, 30, 4, dtype=dtype)
    weight = table(dtype=dtype)
    functional.embedding(ids, weight, padding_idx).backward(upstream)
    assert torch.equal(gradient(ids, upstream, padding_idx=padding_idx), weight.grad)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_half_precision_gradients_are_summed_in_float32(dtype: torch.dtype, sparse: bool) -> None:
    ids, ones = torch.full((4096,), 3), torch.ones(4096, 4, dtype=dtype)
    sums = gradient(ids, ones, sparse=sparse).to_dense()
    assert sums[3].tolist() == [4096.0] * 4
    weight = table(dtype=dtype)
    functional.embedding(ids, weight).backward(ones)
    assert weight.grad[3, 0] == {torch.bfloat16: 256, torch.float16: 2048}[dtype]  # torch's sums are wrong


@pytest.mark.parametrize("dim", [1, 3, 8, 17, 256])
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_half_precision_gradients_are_rounded_once(dtype: torch.dtype, dim: int) -> None:
    ids, upstream = torch.randint(10, (500,)), torch.randn(500, dim).to(dtype)
    exact = torch.from_numpy(reference.lookup_backward(ids, upstream.float().numpy(), 10))
    # No value of the dtype is nearer; in a tie, the kernels for bfloat16 do not round to even.
    assert torch.equal((gradient(ids, upstream) - exact).abs(), (exact.to(dtype) - exact).abs())


def test_gradient_does_not_depend_on_the_number_of_threads() -> None:
    ids, upstream = torch.randint(50, (3000,)), torch.randn(3000, 16)
    answers = []
    for threads in (1, 2, 3):
        with torch_threads(threads):
            answers.append(gradient(ids, upstream, num_embeddings=50))
    assert all(torch.equal(answer, answers[0]) for answer in answers)


@pytest.mark.parametrize("padding_idx", [None, 2])
def test_sparse_gradient_is_coalesced_and_equals_the_dense_one(padding_idx: int | None) -> None:
    ids, upstream = torch.tensor([[2, 9, 2], [0, 5, 0]], dtype=torch.int32), torch.randn(2, 3, 4)
    weight = table()
    (sparse,) = torch.autograd.grad(lookup(ids, weight, padding_idx=padding_idx, sparse=True), weight, upstream)
    assert sparse.is_coalesced()
    assert sparse.indices().tolist() == [[0, 5, 9] if padding_idx == 2 else [0, 2, 5, 9]]
    assert torch.equal(sparse.to_dense(), gradient(ids, upstream, padding_idx=padding_idx))


@pytest.mark.parametrize("sparse", [False, True])
def test_padding_may_be_counted_from_the_end(sparse: bool) -> None:
    ids, weight = torch.tensor([2, 9, 9]), table()
    rows = lookup(ids, weight, padding_idx=-1, sparse=sparse)
    (found,) = torch.autograd.grad(rows, weight, torch.ones(3, 4))
    assert found.to_dense().equal(gradient(ids, torch.ones(3, 4), padding_idx=9))
    with pytest.raises(UsageError, match="padding_idx must be a row of the table of 10 rows, not 10"):
        lookup(ids, weight, padding_idx=10, sparse=sparse)


def test_sparse_adam_accepts_the_sparse_gradient() -> None:
    weight = table()
    before = weight.detach().clone()
    optimizer = torch.optim.SparseAdam([weight])
    lookup(torch.tensor([2, 2, 5]), weight, sparse=True).sum().backward()
    optimizer.step()
    assert (weight != before).any(dim=1).nonzero().flatten().tolist() == [2, 5]


def test_gradients_of_two_lookups_add_up() -> None:
    weight = table()
    (lookup(torch.tensor([1, 2]), weight).sum() + lookup(torch.tensor([2]), weight).sum()).backward()
    assert weight.grad[:, 0].tolist() == [0, 1, 2, 0, 0, 0, 0, 0, 0, 0]


def test_upstream_gradient_may_be_non_contiguous() -> None:
    ids, upstream = torch.randint(10, (5, 6)), torch.randn(4, 6, 5).permute(2, 1, 0)
    assert torch.equal(gradient(ids, upstream), gradient(ids, upstream.contiguous()))


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # from torch, when it first needs a forward rule
def test_first_and_second_derivatives() -> None:
    ids, weight = torch.tensor([[2, 2, 5], [0, 2, 9]]), table(dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda weight: lookup(ids, weight), (weight,), check_forward_ad=True)
    for padding_idx in (None, 2):
        loss = partial(cubes, ids=ids, padding_idx=padding_idx)
        assert torch.autograd.gradgradcheck(loss, (weight,))


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
@pytest.mark.parametrize("derivative", [grad, jacrev, hessian, lambda f: jacrev(jacrev(f))])
@pytest.mark.parametrize("padding_idx", [None, 1])
def test_derivatives_by_torch_func_match_torch(derivative, padding_idx: int | None) -> None:
    ids, weight = torch.randint(10, (3, 5)), table(dtype=torch.float64).detach()
    ours = derivative(lambda weight: cubes(weight, ids, padding_idx=padding_idx))(weight)
    theirs = derivative(lambda weight: cubes(weight, ids, functional.embedding, padding_idx=padding_idx))(weight)
    torch.testing.assert_close(ours, theirs)


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_forward_derivative_of_the_sums() -> None:
    ids, rows, tangent = torch.randint(10, (6,)), torch.randn(6, 4), torch.randn(6, 4)
    _, sums = jvp(lambda rows: row_sums(ids, rows, 10, padding_idx=2), (rows,), (tangent,))
    assert torch.equal(sums, row_sums(ids, tangent, 10, padding_idx=2))


@pytest.mark.parametrize("padding_idx", [None, 1])
@pytest.mark.parametrize("in_dims", [(None, 0), (0, None), (0, 0), (1, 0), (0, 1)], ids=str)
def test_vmap_over_tables_and_ids_matches_a_loop(
    in_dims: tuple[int | None, int | None], padding_idx: int | None
) -> None:
    def gradient_of_one(weight: Tensor, ids: Tensor) -> Tensor:
        return grad(cubes)(weight, ids, padding_idx=padding_idx)

    weights, ids = torch.randn(3, 10, 4), torch.randint(10, (3, 5))
    pairs = [
        (weights[0] if in_dims[0] is None else weights[b], ids[0] if in_dims[1] is None else ids[b]) for b in range(3)
    ]
    expected = torch.stack([gradient_of_one(*pair) for pair in pairs])
    inputs = [
        stacked[0] if dim is None else stacked.movedim(0, dim)
        for stacked, dim in zip((weights, ids), in_dims, strict=True)
    ]
    torch.testing.assert_close(vmap(gradient_of_one, in_dims)(*inputs), expected)


@pytest.mark.parametrize("padding_idx", [None, 1])
def test_gradient_through_vmap(padding_idx: int | None) -> None:
    weights, ids = torch.randn(3, 10, 4), torch.randint(10, (5,))
    ours = grad(lambda weights: vmap(lambda weight: cubes(weight, ids, padding_idx=padding_idx))(weights).sum())(
        weights
    )
    expected = torch.stack([grad(cubes)(weight, ids, padding_idx=padding_idx) for weight in weights])
    torch.testing.assert_close(ours, expected)


@pytest.mark.parametrize("in_dims", [(0, None), (0, 0)], ids=str)
def test_error_names_the_id_out_of_range_inside_vmap(in_dims: tuple[int | None, int | None]) -> None:
    ids, weight = torch.tensor([[0, 1], [2, 10]]), torch.randn(2, 10, 4)
    with pytest.raises(UsageError, match=r"id 10 at \[1, 1\] is out of range for a table of 10 rows"):
        vmap(lookup, in_dims)(ids, weight if in_dims[1] == 0 else weight[0])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # from torch, while it compiles
@pytest.mark.long
def test_compiles_as_one_graph_that_checks_ids() -> None:
    ids, weight = torch.randint(10, (3, 5)), table(dtype=torch.bfloat16)
    other = weight.detach().clone().requires_grad_()
    compiled = torch.compile(lookup, fullgraph=True)
    compiled(ids, weight, padding_idx=2).sum().backward()
    lookup(ids, other, padding_idx=2).sum().backward()
    assert torch.equal(weight.grad, other.grad)
    for wrong in (-1, 10):
        with pytest.raises(RuntimeError, match="out of bounds"):
            compiled(torch.full((3, 5), wrong), weight, padding_idx=2)


def test_exported_graph_checks_ids() -> None:
    class Lookup(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(table().detach())

        def forward(self, ids: Tensor) -> Tensor:
            return lookup(ids, self.weight)

    module, ids = Lookup(), torch.randint(10, (3, 5))
    exported = torch.export.export(module, (ids,), dynamic_shapes=({0: torch.export.Dim("batch")},)).module()
    assert torch.equal(exported(ids[:2]), module(ids[:2]))
    with pytest.raises(IndexError):
        exported(torch.full((3, 5), -1))
