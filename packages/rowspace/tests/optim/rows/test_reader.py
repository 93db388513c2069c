"""`TokenEmbedding` with deferred rows reads them in one pass with their catch-up."""

import pytest
import torch
from tests.optim.races import Race
from torch import nn

from rowspace.errors import UsageError
from rowspace.layers import TokenEmbedding
from rowspace.optim import DeferredAdamW, DeferredSGD, RowAdagrad

pytestmark = pytest.mark.kernels

CLOSE = 1e-12


def both_tables(**options):
    """A table that was trained for some steps, and an ordinary one with the same rows."""
    torch.manual_seed(0)
    table = TokenEmbedding(40, 5, sparse=True, dtype=torch.float64, **options)
    optimizer = DeferredAdamW(table, lr=0.1)
    for _ in range(20):
        optimizer.zero_grad()
        table(torch.randint(40, (3,))).square().sum().backward()
        optimizer.step()
    plain = TokenEmbedding(40, 5, sparse=True, dtype=torch.float64, **options)
    plain.load_state_dict(table.state_dict())
    return table, plain, optimizer


@pytest.mark.parametrize("make", [DeferredAdamW, DeferredSGD, RowAdagrad])
def test_rows_equal_those_that_are_read_after_a_flush(make):
    """Each id once or several times, of any shape, as int32 and as a view that is not contiguous."""
    torch.manual_seed(0)
    table = TokenEmbedding(40, 5, sparse=True, dtype=torch.float64)
    optimizer = make(table, lr=0.1, weight_decay=0.1)
    ids = torch.randint(40, (6, 4))
    for some in (ids, ids.int(), ids.T, ids[:, 1], ids[0, 0], torch.tensor([3, 3, 3])):
        for _ in range(5):
            optimizer.zero_grad()
            table(torch.randint(40, (3,))).square().sum().backward()
            optimizer.step()
        read = table(some).detach()
        optimizer.flush()
        assert read.equal(nn.functional.embedding(some, table.weight)), some


@pytest.mark.parametrize("options", [{}, {"padding_idx": 3}, {"scale": "sqrt"}], ids=str)
def test_gradient_equals_that_of_lookup(options):
    table, plain, _ = both_tables(**options)
    for ids in (torch.tensor([[3, 7], [7, 39]]), torch.tensor([3]), torch.tensor([1], dtype=torch.int32)):
        gradients = []
        for module in (table, plain):
            module.weight.grad = None
            rows = module(ids)
            (rows * torch.arange(rows.numel()).view(rows.shape)).sum().backward()
            gradients.append(module.weight.grad.to_dense())
        assert gradients[0].equal(gradients[1]), ids


def test_second_derivative_equals_that_of_lookup():
    results = []
    for module in both_tables()[:2]:
        (first,) = torch.autograd.grad(module(torch.tensor([2, 5, 2])).pow(3).sum(), module.weight, create_graph=True)
        (second,) = torch.autograd.grad(first.to_dense().square().sum(), module.weight)
        results.append(second.to_dense())
    assert (results[0] - results[1]).abs().max() < CLOSE * results[1].abs().max()


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # from torch, when it first needs a forward rule
def test_forward_derivative_equals_that_of_lookup():
    table, plain, _ = both_tables()
    ids, tangent = torch.tensor([4, 4, 1]), torch.randn(40, 5, dtype=torch.float64)
    ordinary = nn.Embedding.from_pretrained(plain.weight.detach(), freeze=False, sparse=True)
    ordinary_optimizer = DeferredAdamW(ordinary)
    ordinary(ids).sum().backward()
    ordinary_optimizer.step()
    for module in (table, plain, ordinary):
        _, derivative = torch.func.jvp(
            lambda weight, module=module: torch.func.functional_call(module, {"weight": weight}, (ids,)),
            (module.weight.detach(),),
            (tangent,),
        )
        assert derivative.equal(tangent[ids])


def test_a_view_of_the_weight_in_functional_call_is_up_to_date():
    table, _, optimizer = both_tables()
    for _ in range(2):
        optimizer.step()
    optimizer.zero_grad()
    ids = torch.arange(40)
    rows = torch.func.functional_call(table, {"weight": table.weight.detach()}, (ids,))
    optimizer.flush()
    assert rows.equal(table.weight)


def test_another_weight_in_functional_call_is_read():
    table, _, _ = both_tables()
    other = torch.randn(40, 5, dtype=torch.float64)
    ids = torch.tensor([4, 7])
    assert torch.func.functional_call(table, {"weight": other}, (ids,)).equal(other[ids])


def test_the_output_may_be_changed_and_kept():
    """Its memory is not used again while it, or a view of it, exists."""
    table = TokenEmbedding(3000, 512, sparse=True)
    optimizer = DeferredAdamW(table)
    ids = torch.randint(3000, (2500,))
    kept = []
    for _ in range(6):
        optimizer.zero_grad()
        rows = table(ids).mul_(2)
        kept.append((rows.detach()[7:], rows.detach()[7:].clone()))
        rows.sum().backward()
        optimizer.step()
    assert all(view.equal(copy) for view, copy in kept)
    assert table.weight.grad.to_dense()[ids[0]].equal((ids == ids[0]).sum() * torch.full((512,), 2.0))


def test_threads_do_not_change_the_rows():
    results = []
    for threads in (1, 3):
        torch.set_num_threads(threads)
        torch.manual_seed(1)
        table = TokenEmbedding(3000, 512, sparse=True)
        optimizer = DeferredAdamW(table, weight_decay=0.5)
        for _ in range(3):
            optimizer.zero_grad()
            rows = table(torch.randint(3000, (2500,)) % torch.tensor([7, 3000]).repeat(1250))
            rows.square().sum().backward()
            optimizer.step()
        results.append(rows.detach())
    assert results[0].equal(results[1])


def test_the_reader_is_gone_with_its_optimizer():
    table, _, optimizer = both_tables()
    assert table.row_reader is not None
    del optimizer
    assert table.row_reader is None


def test_classes_with_a_forward_of_their_own_are_caught_up_before():
    class Doubled(TokenEmbedding):
        def forward(self, ids):
            return 2 * nn.functional.embedding(ids, self.weight, sparse=True)

    race = Race()
    table = Doubled.from_pretrained(race.dense.weight.detach().clone(), freeze=False, sparse=True)
    optimizer = DeferredAdamW(table)
    for _ in range(20):
        ids = race.ids()
        for module, factor, each in ((race.dense, 2, race.dense_optimizer), (table, 1, optimizer)):
            each.zero_grad()
            (factor * module(ids)).square().sum().backward()
            each.step()
    ids = torch.arange(40)
    assert (table(ids) - 2 * race.dense(ids)).abs().max() < CLOSE


def test_ids_of_another_type_raise_the_error_of_the_module():
    table, _, _ = both_tables()
    with pytest.raises(UsageError, match=r"ids must be int64 or int32, not torch.float32"):
        table(torch.tensor([1.0]))
    assert table(torch.empty(0, dtype=torch.int64)).shape == (0, 5)
