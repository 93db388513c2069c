"""`DeferredSGD` equals `torch.optim.SGD`, and `RowAdagrad` Adagrad with one accumulator per row."""

import copy

import pytest
import torch
from tests.optim.races import Race, changing
from torch import nn

from rowspace.errors import UsageError
from rowspace.optim import DeferredSGD, DenseGradientWarning, RowAdagrad

pytestmark = pytest.mark.kernels

CLOSE = 1e-12


def sgd_race(ours=DeferredSGD, **options):
    return Race(options={"lr": 0.01, **options}, peer=torch.optim.SGD, ours=ours)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"momentum": 0.9},
        {"momentum": 0.9, "dampening": 0.3},
        {"momentum": 0.9, "nesterov": True},
        {"momentum": 0.9, "maximize": True},
    ],
    ids=str,
)
def test_sgd_equals_torch_with_a_schedule_and_weight_decay(backend, options):
    assert sgd_race(**options).run(150).deviation < CLOSE


def test_sgd_momentum_may_change_and_history_is_bounded(backend):
    class Forgetful(DeferredSGD):
        history_bound = 8  # instead of thousands of steps

    def settings(step, steps):
        return changing(step, steps) | {"momentum": 0.9 if step < steps // 2 else 0.5}

    assert sgd_race(Forgetful, momentum=0.9).run(150, settings).deviation < CLOSE


def test_sgd_momentum_starts_with_the_first_gradient_after_it_is_turned_on(backend):
    """Also off and on again, with dampening, from the state of torch, and with dense gradients in between."""

    def settings(step, steps):
        return changing(step, steps) | {"momentum": 0.9 if step % 40 >= 20 else 0.0, "dampening": 0.5}

    race = sgd_race().run(100, settings)
    assert race.deviation < CLOSE
    race = sgd_race(momentum=0.0, dampening=0.5).run(10)
    race.dense_optimizer.load_state_dict(race.optimizer.state_dict())
    assert race.run(100, settings).deviation < CLOSE
    race = sgd_race(momentum=0.0, dampening=0.5)
    for momentum in (0.0, 0.9):
        for optimizer in (race.optimizer, race.dense_optimizer):
            optimizer.param_groups[0]["momentum"] = momentum
        with pytest.warns(DenseGradientWarning):
            dense_step(race)
        assert race.run(20, lambda *_: {}).deviation < CLOSE


def test_sgd_state_moves_to_torch_and_back(backend):
    race = sgd_race(momentum=0.9).run(30)
    ours, theirs = race.optimizer.state_dict(), race.dense_optimizer.state_dict()
    race.optimizer.load_state_dict(theirs)
    race.dense_optimizer.load_state_dict(ours)
    assert race.run(30).deviation < CLOSE


def test_sgd_loads_the_state_of_torch_for_parameters_that_are_not_tables(backend):
    torch.manual_seed(0)
    ours = nn.Sequential(nn.Embedding(6, 3, sparse=True), nn.Linear(3, 2))
    theirs = nn.Sequential(nn.Embedding(6, 3), nn.Linear(3, 2))
    theirs.load_state_dict(ours.state_dict())
    peer = torch.optim.SGD(theirs.parameters(), lr=0.1, momentum=0.9)
    step(theirs, peer)
    ours.load_state_dict(theirs.state_dict())
    optimizer = DeferredSGD(ours, lr=0.1, momentum=0.9)
    optimizer.load_state_dict(copy.deepcopy(peer.state_dict()))
    for model, each in ((ours, optimizer), (theirs, peer)):
        step(model, each)
    torch.testing.assert_close(ours.state_dict(), theirs.state_dict())


def step(model, optimizer):
    """A step of SGD on two ids."""
    optimizer.zero_grad()
    model(torch.tensor([1, 4])).square().sum().backward()
    optimizer.step()


def test_sgd_with_dense_gradients(backend):
    race = sgd_race(momentum=0.9).run(20)
    race.optimizer.flush()
    with pytest.warns(DenseGradientWarning):
        dense_step(race)
    assert race.run(20).deviation < CLOSE


def dense_step(race):
    """A step of both optimizers with a gradient for all rows."""
    for table, optimizer in ((race.dense, race.dense_optimizer), (race.sparse, race.optimizer)):
        optimizer.zero_grad()
        (table.weight.square() * torch.arange(40).unsqueeze(1)).sum().backward()
        optimizer.step()


class PlainRowAdagrad(torch.optim.Optimizer):
    """The formula on the dense gradient, as in FBGEMM's documentation of exact row-wise Adagrad, with weight decay."""

    def __init__(self, params, lr, lr_decay, weight_decay, maximize=False):
        super().__init__(params, {"lr": lr, "lr_decay": lr_decay, "weight_decay": weight_decay, "maximize": maximize})
        self.sums, self.steps = 0, 0

    @torch.no_grad()
    def step(self):
        group, (weight,) = self.param_groups[0], self.param_groups[0]["params"]
        self.sums = self.sums + weight.grad.square().mean(1, keepdim=True)
        weight *= 1 - group["lr"] * group["weight_decay"]
        rate = group["lr"] / (1 + self.steps * group["lr_decay"])
        weight -= rate * (-1 if group["maximize"] else 1) * weight.grad / (self.sums.sqrt() + 1e-10)
        self.steps += 1


@pytest.mark.parametrize("maximize", [False, True])
def test_row_adagrad_equals_its_formula(backend, maximize):
    options = {"lr": 0.1, "lr_decay": 0.01, "weight_decay": 0.1, "maximize": maximize}
    race = Race(options=options, peer=PlainRowAdagrad, ours=RowAdagrad)

    def settings(step, steps):
        values = changing(step, steps)
        return {"lr": values["lr"], "weight_decay": values["weight_decay"]}

    assert race.run(100, settings).deviation < CLOSE


def test_row_adagrad_of_dense_parameters_is_that_of_rows():
    race = Race(options={"lr": 0.1, "lr_decay": 0.0, "weight_decay": 0.1}, peer=PlainRowAdagrad, ours=RowAdagrad)
    with pytest.warns(DenseGradientWarning):
        dense_step(race)
    assert race.run(10, lambda *_: {}).deviation < CLOSE
    model = nn.Sequential(nn.Embedding(3, 2, sparse=True), nn.LayerNorm(2))
    optimizer = RowAdagrad(model)
    model(torch.tensor([1])).square().sum().backward()
    optimizer.step()
    assert optimizer.state[model[1].weight]["sum"].shape == (2,)


def test_invalid_hyperparameters():
    table = nn.Embedding(3, 2, sparse=True)
    with pytest.raises(UsageError, match="lr, momentum and weight_decay must be at least 0, not -1"):
        DeferredSGD(table, lr=-1)
    with pytest.raises(UsageError, match="nesterov needs a momentum"):
        DeferredSGD(table, nesterov=True)
    with pytest.raises(UsageError, match="must be at least 0"):
        RowAdagrad(table, lr_decay=-1)
    with pytest.raises(UsageError, match="eps must be above 0"):
        RowAdagrad(table, eps=0)


@pytest.mark.parametrize("make", [DeferredSGD, RowAdagrad])
def test_invalid_hyperparameters_of_a_group(make):
    table, other = nn.Embedding(3, 2, sparse=True), nn.Linear(2, 2)
    with pytest.raises(UsageError, match="must be at least 0"):
        make([{"params": table.parameters(), "lr": -1.0}], modules=[table])
    optimizer = make(table)
    with pytest.raises(UsageError, match="must be at least 0"):
        optimizer.add_param_group({"params": other.parameters(), "weight_decay": -1.0})
    saved = optimizer.state_dict()
    saved["param_groups"][0]["lr"] = -1.0
    with pytest.raises(UsageError, match="must be at least 0"):
        optimizer.load_state_dict(saved)
