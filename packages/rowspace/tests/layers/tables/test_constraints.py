import pytest
import torch
from torch import nn

from rowspace.errors import UsageError
from rowspace.layers import MaxNorm, TokenEmbedding, UnitNorm, apply_constraints, constrain

DTYPES = [torch.float32, torch.float64, torch.bfloat16]


def norms(table: TokenEmbedding) -> torch.Tensor:
    return table.weight.detach().double().norm(dim=1)


def unconstrained(
    constraint: MaxNorm | UnitNorm, dtype: torch.dtype = torch.float32, **options: object
) -> TokenEmbedding:
    """Rows with norms from near 0 to near 4."""
    table = TokenEmbedding(50, 8, init="inverse_sqrt", constraint=constraint, **options)
    with torch.no_grad():
        table.weight.mul_(torch.linspace(0, 4, 50).unsqueeze(1))
    return table.to(dtype)


def test_max_norm_matches_torch() -> None:
    # Oracle: max_norm of nn.Embedding, which divides by the norm + 1e-7.
    table = unconstrained(MaxNorm(1.5))
    theirs = nn.Embedding(50, 8, max_norm=1.5)
    theirs.load_state_dict(table.state_dict())
    theirs(torch.arange(50))
    apply_constraints(table)
    torch.testing.assert_close(table.weight, theirs.weight, atol=1e-6, rtol=0)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_max_norm_does_not_change_rows_within_it(dtype: torch.dtype) -> None:
    table = unconstrained(MaxNorm(1.5), dtype)
    before, within = table.weight.detach().clone(), norms(table) <= 1.5
    apply_constraints(table)
    assert 0 < within.sum() < 50
    assert torch.equal(table.weight[within], before[within])
    assert (norms(table) <= 1.5 * (1 + 4 * torch.finfo(dtype).eps)).all()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_unit_norm_keeps_zeros(dtype: torch.dtype) -> None:
    table = unconstrained(UnitNorm(), dtype)  # row 0 is zero
    apply_constraints(table)
    assert norms(table)[0] == 0
    assert (norms(table)[1:] - 1).abs().max() <= 4 * torch.finfo(dtype).eps


@pytest.mark.parametrize("sparse", [False, True])
def test_constraint_holds_after_each_step_and_forward_changes_nothing(sparse: bool) -> None:
    table = unconstrained(MaxNorm(1.0), sparse=sparse)
    optimizer = torch.optim.SGD(table.parameters(), lr=10.0)
    constrain(optimizer, nn.Sequential(table))
    assert norms(table).max() <= 1 + 1e-6
    for ids in (torch.tensor([1, 2, 2]), torch.tensor([40])):
        optimizer.zero_grad()
        before = table.weight.detach().clone()
        table(ids).sum().backward()
        assert torch.equal(table.weight, before)
        optimizer.step()
        moved = (table.weight - before).abs().amax(dim=1) > 1e-6
        assert moved.nonzero().flatten().tolist() == ids.unique().tolist()
        assert norms(table).max() <= 1 + 1e-6


def test_sparse_step_constrains_only_the_updated_rows() -> None:
    table = unconstrained(MaxNorm(1.0), sparse=True)
    optimizer = torch.optim.SGD(table.parameters(), lr=1e-6)
    constrain(optimizer, table)
    with torch.no_grad():
        table.weight[[3, 7]] = 5.0
    table(torch.tensor([7])).sum().backward()
    optimizer.step()
    assert table.weight[3].tolist() == [5.0] * 8
    assert norms(table)[7].item() == pytest.approx(1.0)


@pytest.mark.filterwarnings("ignore:Sparse invariant checks")  # from torch's Adagrad
def test_rows_updated_by_momentum_are_constrained() -> None:
    optimizers = {
        "SGD": lambda weights: torch.optim.SGD(weights, lr=0.5, momentum=0.9),
        "Nesterov": lambda weights: torch.optim.SGD(weights, lr=0.5, momentum=0.9, nesterov=True),
        "SparseAdam": lambda weights: torch.optim.SparseAdam(weights, lr=0.5),
        "Adagrad": lambda weights: torch.optim.Adagrad(weights, lr=0.5),
        "another": lambda weights: MovesAllRows(weights, lr=0.5),
    }
    for name, build in optimizers.items():
        table = unconstrained(UnitNorm(), sparse=True)
        optimizer = build(list(table.parameters()))
        constrain(optimizer, table)
        for row in (1, 2, 3):
            optimizer.zero_grad()
            table(torch.tensor([row])).sum().backward()
            optimizer.step()
            assert (norms(table)[1:] - 1).abs().max() < 1e-6, name  # row 0 is zero


class MovesAllRows(torch.optim.SGD):
    """An unknown optimizer, which may change any row."""

    def step(self, closure=None):
        with torch.no_grad():
            self.param_groups[0]["params"][0].mul_(2)


def test_rows_whose_squared_norm_overflows_or_underflows_keep_their_direction() -> None:
    cases = [(torch.float32, [1e20, 3e38, 1e-20, 1e-44]), (torch.bfloat16, [1e20, 3e38, 1e-20, 1e-39])]
    cases.append((torch.float64, [1e200, 1.7e308, 1e-200, 1e-310]))
    for dtype, values in cases:
        for constraint in (UnitNorm(), MaxNorm(1.0)):
            table = TokenEmbedding(5, 8, constraint=constraint).to(dtype)
            with torch.no_grad():
                table.weight.copy_(torch.tensor([*values, 0.0], dtype=torch.float64).unsqueeze(1))
            before = table.weight.detach().clone()
            apply_constraints(table)
            changed = 4 if constraint == UnitNorm() else 2  # MaxNorm changes only the large rows
            expected = torch.full((changed, 8), 8**-0.5, dtype=dtype)
            torch.testing.assert_close(table.weight[:changed], expected, atol=0, rtol=4 * torch.finfo(dtype).eps)
            assert torch.equal(table.weight[changed:], before[changed:])


def test_hook_can_be_removed() -> None:
    table = unconstrained(UnitNorm())
    optimizer = torch.optim.SGD(table.parameters(), lr=1.0)
    constrain(optimizer, table).remove()
    table(torch.tensor([1])).sum().backward()
    optimizer.step()
    assert norms(table)[1] > 1.1


def test_step_without_gradients_keeps_the_constraint() -> None:
    table = unconstrained(UnitNorm())
    optimizer = torch.optim.SGD(table.parameters(), lr=1.0)
    constrain(optimizer, table)
    optimizer.step()
    assert norms(table)[1].item() == pytest.approx(1.0)


def test_invalid_arguments_raise() -> None:
    with pytest.raises(UsageError, match="max_norm must be above 0, not -1"):
        MaxNorm(-1)
    table = TokenEmbedding(3, 2)
    with pytest.raises(UsageError, match="module must contain a table with a constraint"):
        constrain(torch.optim.SGD(table.parameters()), table)
