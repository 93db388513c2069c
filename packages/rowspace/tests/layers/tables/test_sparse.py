"""Sparse gradients of every kind of table: equal to dense ones, compiled, in transforms, with sparse optimizers."""

import pytest
import torch
from torch import nn
from torch.func import functional_call, grad, vmap

from rowspace.layers import (
    AdaptiveEmbedding,
    FactorizedEmbedding,
    HashedEmbedding,
    QuotientRemainderEmbedding,
    TokenEmbedding,
    lookup,
)
from rowspace.layers.tables.lookup import _rows_in_graph, _sums_at_first
from rowspace.optim import DeferredAdamW

# From torch, while it compiles.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:VecISA:UserWarning")

IDS = torch.tensor([[2, 2, 5, 0], [9, 1, 2, 0]])
TABLES = {
    "token": lambda **options: TokenEmbedding(10, 4, 0, scale="sqrt", **options),
    "hashed": lambda **options: HashedEmbedding(10, 4, num_rows=6, **options),
    "hashed weighted": lambda **options: HashedEmbedding(10, 4, num_rows=6, weighted=True, **options),
    "factorized": lambda **options: FactorizedEmbedding(10, 4, inner_dim=3, padding_idx=0, **options),
    "quotient": lambda **options: QuotientRemainderEmbedding(10, 4, **options),
    "adaptive": lambda **options: AdaptiveEmbedding(10, 8, cutoffs=[3, 6], factor=2, **options),
}
SPARSE = {"hashed weighted": 2, "quotient": 2, "adaptive": 3}  # number of tables, else 1


def pair(name: str) -> list[nn.Module]:
    """A dense and a sparse module with the same parameters."""
    dense, sparse = (TABLES[name](sparse=sparse, dtype=torch.float64) for sparse in (False, True))
    sparse.load_state_dict(dense.state_dict())
    return [dense, sparse]


@pytest.fixture
def no_graphs_of_others():
    torch._dynamo.reset()


@pytest.mark.parametrize("name", TABLES)
def test_sparse_gradient_equals_the_dense_one_also_compiled(name: str, no_graphs_of_others) -> None:
    dense, sparse = pair(name)
    dense(IDS).cos().sum().backward()
    for call in (sparse, torch.compile(sparse, fullgraph=True, backend="aot_eager")):
        sparse.zero_grad()
        call(IDS).cos().sum().backward()
        gradients = [parameter.grad for parameter in sparse.parameters()]
        assert sum(gradient.is_sparse for gradient in gradients) == SPARSE.get(name, 1)
        for parameter, gradient in zip(dense.parameters(), gradients, strict=True):
            torch.testing.assert_close(gradient.to_dense(), parameter.grad)


@pytest.mark.parametrize("name", TABLES)
def test_deferred_adamw_equals_adamw(name: str) -> None:
    dense, sparse = pair(name)
    adamw, deferred = torch.optim.AdamW(dense.parameters(), 1e-2), DeferredAdamW(sparse, lr=1e-2)
    for number in range(40):
        ids = torch.randint(10, (2,), generator=torch.Generator().manual_seed(number))
        for module, optimizer in ((dense, adamw), (sparse, deferred)):
            optimizer.zero_grad()
            (module(ids) - 0.3).square().sum().backward()
            optimizer.step()
    deferred.flush()
    for one, other in zip(dense.parameters(), sparse.parameters(), strict=True):
        assert (one - other).abs().max() < 1e-12


def test_compiled_training_equals_eager(no_graphs_of_others) -> None:
    rows = []
    for compiled in (False, True):
        torch.manual_seed(0)
        table = TokenEmbedding(10, 4, 2, sparse=True)
        call = torch.compile(table, fullgraph=True, backend="aot_eager", dynamic=True) if compiled else table
        optimizer = torch.optim.SparseAdam(table.parameters(), lr=0.1)
        for number in range(5):
            optimizer.zero_grad()
            (call(torch.tensor([1, 1, 2, number])[: 3 + number % 2]) - 1).square().sum().backward()
            optimizer.step()
        rows.append(table.weight.detach())
    torch.testing.assert_close(*rows, rtol=0, atol=0)


def test_compiled_gradient_is_summed_in_float32(no_graphs_of_others) -> None:
    table = TokenEmbedding(3, 2, sparse=True, dtype=torch.bfloat16)
    torch.compile(table, fullgraph=True, backend="aot_eager")(torch.zeros(4096, dtype=torch.int64)).sum().backward()
    assert table.weight.grad.to_dense()[0].tolist() == [4096.0, 4096.0]


def test_operators_pass_opcheck() -> None:
    weight, ids = torch.randn(10, 4, requires_grad=True), torch.tensor([2, 2, 5])
    checks = ("test_schema", "test_autograd_registration", "test_faketensor")  # the other compares dense gradients
    torch.library.opcheck(_rows_in_graph, (ids, weight, 5), test_utils=checks)
    torch.library.opcheck(_sums_at_first, (ids, torch.randn(3, 4), 5))


def test_examples_in_vmap_have_dense_gradients(no_graphs_of_others) -> None:
    dense, sparse = pair("token")
    values = {name: parameter.detach() for name, parameter in dense.named_parameters()}

    def gradients(module, values, ids):
        return vmap(grad(lambda values, some: functional_call(module, values, (some,)).cos().sum()), (None, 0))(
            values, ids
        )["weight"]

    expected = gradients(dense, values, IDS)
    torch.testing.assert_close(gradients(sparse, values, IDS), expected)
    compiled = torch.compile(lambda values, ids: gradients(sparse, values, ids), fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(values, IDS), expected)
    vmap(sparse)(IDS).cos().sum().backward()
    torch.testing.assert_close(sparse.weight.grad.to_dense(), expected.sum(0))


def test_tables_in_vmap_have_dense_gradients() -> None:
    weights = torch.randn(2, 10, 4, dtype=torch.float64, requires_grad=True)
    results = []
    for sparse in (False, True):
        rows = vmap(lambda ids, weight, sparse=sparse: lookup(ids, weight, sparse=sparse))(IDS, weights)
        results.append(torch.autograd.grad(rows.cos().sum(), weights))
    torch.testing.assert_close(results[1][0], results[0][0])


def test_sparse_table_is_exported() -> None:
    table = TokenEmbedding(10, 4, sparse=True)
    assert torch.export.export(table, (IDS,)).module()(IDS).equal(table(IDS))
