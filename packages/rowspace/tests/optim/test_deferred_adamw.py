"""`DeferredAdamW` equals `torch.optim.AdamW` on the dense gradient."""

import gc
import math
from collections import defaultdict

import pytest
import torch
from tests.optim.races import Race, changing
from torch import nn

from rowspace.errors import UsageError
from rowspace.layers import TokenEmbedding, UnitNorm
from rowspace.optim import DeferredAdamW, DenseGradientWarning

pytestmark = pytest.mark.kernels

CLOSE = 1e-12  # relative, in float64


@pytest.mark.large
@pytest.mark.long
def test_equals_adamw_over_two_thousand_steps():
    assert Race(size=300, dim=8).run(2000).deviation < 1e-9


@pytest.mark.parametrize(
    "options",
    [{}, {"amsgrad": True}, {"maximize": True}, {"amsgrad": True, "maximize": True}, {"weight_decay": 0.0}],
    ids=str,
)
def test_equals_adamw_with_each_option(backend, options):
    race = Race(options=options)
    fixed = {"weight_decay": 0.0} if "weight_decay" in options else {}
    assert race.run(150, lambda *args: changing(*args) | fixed).deviation < CLOSE


def test_equals_adamw_for_gradients_of_any_size(backend):
    """Gradients far below eps, around it, where the sum over missed steps is taken term by term, and above."""
    for scale in (1e-12, 1e-8, 1e-7, 1e-6, 1e-5, 1e-3, 1e5):
        assert Race(scale=scale).run(100).deviation < CLOSE, scale


@pytest.mark.parametrize(
    "settings",
    [
        {"betas": (0.0, 0.999)},
        {"betas": (0.9, 0.0)},
        {"betas": (0.99, 0.9)},
        {"eps": 1e-20},
        {"eps": 0.1},
        {"lr": 0.0},
        {"lr": 2.0, "weight_decay": 0.7},
    ],
    ids=str,
)
def test_equals_adamw_with_unusual_hyperparameters(backend, settings):
    """Among them a weight decay that changes the sign of the rows."""
    assert Race().run(60, lambda *args: changing(*args) | settings).deviation < CLOSE


@pytest.mark.long
def test_float32_is_as_close_to_float64_as_adamw_is(backend):
    exact = Race().run(300).dense.weight.detach()
    race = Race(dtype=torch.float32).run(300)
    race.optimizer.flush()
    ours, theirs = (float((table.weight.detach() - exact).abs().max()) for table in (race.sparse, race.dense))
    assert ours < 1.5 * theirs


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_low_precision_equals_adamw_on_a_float32_copy_rounded_once(backend, dtype):
    torch.manual_seed(0)
    table = nn.Embedding(20, 4, sparse=True, dtype=dtype)
    master = nn.Embedding.from_pretrained(table.weight.detach().float(), freeze=False)
    ours, theirs = DeferredAdamW(table, lr=1e-3), torch.optim.AdamW(master.parameters(), lr=1e-3)
    for _ in range(60):
        ids, upstream = torch.randint(20, (3,)), torch.randn(3, 4).to(dtype)
        for module, optimizer in ((table, ours), (master, theirs)):
            optimizer.zero_grad()
            module(ids).backward(upstream.to(module.weight.dtype))
            optimizer.step()
    ours.flush()
    assert (ours.state[table.weight]["master"] - master.weight).abs().max() < 2e-5  # each step of AdamW rounds
    assert table.weight.equal(ours.state[table.weight]["master"].to(dtype))


def test_rows_are_up_to_date_in_each_forward(backend):
    race = Race().run(30)
    for _ in range(2):  # a second forward without a step between, and one without gradients
        ids = race.ids()
        assert (race.sparse(ids) - race.dense(ids)).abs().max() < CLOSE
        with torch.no_grad():
            assert (race.sparse.eval()(ids) - race.dense(ids)).abs().max() < CLOSE
    assert race.run(30).deviation < CLOSE


def test_accumulated_gradients(backend):
    race = Race().run(10)
    for _ in range(20):
        race.optimizer.zero_grad()
        race.dense_optimizer.zero_grad()
        for _ in range(3):
            race.backward()
        race.optimizer.step()
        race.dense_optimizer.step()
    assert race.deviation < CLOSE


def test_gradients_of_rows_that_were_not_read(backend):
    """As with DistributedDataParallel, where the gradient has the rows of all processes."""
    race = Race(size=30, dim=3).run(20)
    for step in range(20):
        gradient = torch.zeros(30, 3, dtype=torch.float64)
        gradient[[step, 29 - step]] = torch.randn(2, 3, dtype=torch.float64)
        race.dense.weight.grad, race.sparse.weight.grad = gradient, gradient.to_sparse(1)
        race.optimizer.step()
        race.dense_optimizer.step()
    assert race.deviation < CLOSE


def test_empty_gradients_are_steps_and_missing_ones_are_not(backend):
    race = Race().run(20)
    for table in (race.dense, race.sparse):
        table.weight.grad = None
    race.optimizer.step()
    race.dense_optimizer.step()
    race.dense.weight.grad = torch.zeros_like(race.dense.weight)
    race.sparse.weight.grad = race.dense.weight.grad.to_sparse(1)
    for _ in range(3):
        race.optimizer.step()
        race.dense_optimizer.step()
    assert race.deviation < CLOSE


@pytest.mark.long
@pytest.mark.parametrize("bound", [4, 7, 64])
def test_history_is_bounded(backend, bound):
    class Forgetful(DeferredAdamW):
        history_bound = bound  # instead of thousands of steps

    race = Race(size=50, ours=Forgetful).run(200)
    assert len(race.optimizer._slots[race.sparse.weight].table.history.lines) <= 2 * bound + 2
    assert race.deviation < CLOSE


def test_threads_do_not_change_the_result():
    results = []
    for threads in (1, 3):
        torch.set_num_threads(threads)
        torch.manual_seed(1)
        table = TokenEmbedding(3000, 512, sparse=True)
        optimizer = DeferredAdamW(table)
        for _ in range(3):
            optimizer.zero_grad()
            table(torch.randint(3000, (2500,)) % torch.tensor([7, 3000]).repeat(1250)).square().sum().backward()
            optimizer.step()
        optimizer.flush()
        results.append(table.weight.detach().clone())
    assert results[0].equal(results[1])


def test_a_model_with_other_parameters_and_several_groups(backend):
    torch.manual_seed(0)
    sparse = nn.Sequential(TokenEmbedding(20, 4, sparse=True, dtype=torch.float64), nn.Linear(4, 3).double())
    dense = nn.Sequential(TokenEmbedding(20, 4, dtype=torch.float64), nn.Linear(4, 3).double())
    dense.load_state_dict(sparse.state_dict())
    pairs = []
    for model, make in ((sparse, DeferredAdamW), (dense, torch.optim.AdamW)):
        named = {"modules": [model[0]]} if model is sparse else {}
        optimizer = make([{"params": model[0].parameters(), "lr": 0.1}], weight_decay=0.3, **named)
        optimizer.add_param_group({"params": model[1].parameters(), "lr": 0.01, "betas": (0.8, 0.9)})
        pairs.append((model, optimizer, torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.95)))
    for _ in range(30):
        ids = torch.randint(20, (3,))
        for model, optimizer, scheduler in pairs:
            optimizer.step(lambda m=model, i=ids: m(i).square().sum().backward())
            scheduler.step()
            optimizer.zero_grad()
    for name, value in sparse.state_dict().items():
        assert (value - dense.state_dict()[name]).abs().max() < CLOSE


def test_one_table_read_by_two_modules(backend):
    torch.manual_seed(0)
    tables = []
    for sparse in (False, True):
        table = nn.Embedding(10, 3, sparse=sparse, dtype=torch.float64)
        bag = nn.EmbeddingBag(10, 3, sparse=sparse, dtype=torch.float64)
        bag.weight = table.weight
        tables.append(nn.ModuleList([table, bag]))
    tables[1].load_state_dict(tables[0].state_dict())
    optimizers = torch.optim.AdamW(tables[0].parameters()), DeferredAdamW(tables[1])
    for _ in range(30):
        ids = torch.randint(10, (4,))
        for (table, bag), optimizer in zip(tables, optimizers, strict=True):
            optimizer.zero_grad()
            (table(ids[:1]).square().sum() + bag(input=ids, offsets=torch.tensor([0, 1])).square().sum()).backward()
            optimizer.step()
    dense, sparse = (module.state_dict()["0.weight"] for module in tables)
    assert (dense - sparse).abs().max() < CLOSE


def test_dense_gradients_warn_once_and_equal_adamw(backend):
    """As with a tied head; a sparse gradient later defers rows again."""
    race = Race(options={"amsgrad": True}).run(20)
    race.optimizer.flush()

    def step():
        for table, optimizer in ((race.dense, race.dense_optimizer), (race.sparse, race.optimizer)):
            optimizer.zero_grad()
            table.weight.square().sum().backward()
            optimizer.step()

    with pytest.warns(DenseGradientWarning, match=r"table of shape \[40, 5\] got a dense gradient"):
        step()
    for _ in range(9):
        step()
    assert race.deviation < CLOSE
    assert race.run(20).deviation < CLOSE


def test_skipped_amp_steps_are_not_steps(backend):
    scalers = [torch.amp.GradScaler("cpu", init_scale=4.0) for _ in range(2)]
    race = Race(dtype=torch.float32)
    for step in range(20):
        ids = race.ids()
        pairs = (race.dense, race.dense_optimizer), (race.sparse, race.optimizer)
        for scaler, (table, optimizer) in zip(scalers, pairs, strict=True):
            optimizer.zero_grad()
            scaler.scale(table(ids).square().sum() * (math.inf if step % 4 == 2 else 1.0)).backward()
            scaler.step(optimizer)
            scaler.update()
    assert race.optimizer.state[race.sparse.weight]["step"] == 15
    assert race.deviation < 1e-5


def test_state_moves_to_torch_and_back_in_the_middle_of_a_run(backend):
    for amsgrad in (False, True):
        race = Race(options={"amsgrad": amsgrad}).run(40)
        ours, theirs = race.optimizer.state_dict(), race.dense_optimizer.state_dict()
        assert ours["state"][0].keys() == theirs["state"][0].keys()
        assert ours["param_groups"][0].keys() == theirs["param_groups"][0].keys()
        race.optimizer.load_state_dict(theirs)
        race.dense_optimizer.load_state_dict(ours)
        assert race.run(40).deviation < CLOSE


def zero_moments(optimizer):
    for state in optimizer.state.values():
        for name in ("exp_avg", "exp_avg_sq"):
            state[name].zero_()


CHANGES_OF_STATE = {
    "cleared": lambda optimizer: optimizer.state.clear(),
    "another dictionary": lambda optimizer: setattr(optimizer, "state", defaultdict(dict)),
    "moments of zero": zero_moments,
    "step of zero": lambda optimizer: [state["step"].zero_() for state in optimizer.state.values()],
}


@pytest.mark.parametrize("name", CHANGES_OF_STATE)
def test_a_state_that_was_changed_is_that_of_adamw(backend, name):
    race = Race().run(40)
    for optimizer in (race.optimizer, race.dense_optimizer):
        CHANGES_OF_STATE[name](optimizer)
    assert race.run(40).deviation < CLOSE


def test_moments_are_up_to_date_when_they_are_read(backend, assert_close):
    race = Race().run(20)
    for name in ("exp_avg", "exp_avg_sq"):
        theirs = race.dense_optimizer.state[race.dense.weight][name]
        assert_close(race.optimizer.state[race.sparse.weight][name], theirs)


def test_the_state_of_another_table_is_refused():
    tables = [nn.Embedding(size, 3, sparse=True) for size in (10, 12)]
    optimizers = [DeferredAdamW(table) for table in tables]
    tables[0](torch.tensor([1, 2])).sum().backward()
    optimizers[0].step()
    with pytest.raises(UsageError, match=r"state 'exp_avg' of shape \[10, 3\] does not belong to .* shape \[12, 3\]"):
        optimizers[1].load_state_dict(optimizers[0].state_dict())


def test_low_precision_state_survives_loading():
    table = nn.Embedding(10, 3, sparse=True, dtype=torch.bfloat16)
    optimizer = DeferredAdamW(table)
    table(torch.tensor([1, 2])).sum().backward()
    optimizer.step()
    saved = optimizer.state_dict()
    optimizer.load_state_dict(saved)
    state = optimizer.state[table.weight]
    assert all(state[name].dtype == torch.float32 for name in ("exp_avg", "exp_avg_sq", "master"))
    assert all(state[name].equal(saved["state"][0][name]) for name in ("exp_avg", "exp_avg_sq", "master"))


def test_rows_are_flushed_when_the_optimizer_is_gone(backend):
    race = Race().run(20)
    del race.optimizer
    gc.collect()
    assert (race.sparse.weight - race.dense.weight).abs().max() < CLOSE
    assert not race.sparse._forward_pre_hooks


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decoupled_weight_decay": False}, r"coupled weight decay \(L2\) gives every row a gradient"),
        ({"lr": -1.0}, "lr must be at least 0, not -1.0"),
        ({"eps": 0.0}, "eps must be above 0"),
        ({"betas": (1.0, 0.9)}, r"betas must be from 0 to below 1, not \(1.0, 0.9\)"),
        ({"weight_decay": -0.1}, "weight_decay must be at least 0"),
    ],
    ids=str,
)
def test_invalid_hyperparameters(options, message):
    with pytest.raises(UsageError, match=message):
        DeferredAdamW(nn.Embedding(3, 2, sparse=True), **options)


def test_modules_that_cannot_be_deferred():
    with pytest.raises(UsageError, match="no table with sparse gradients; build it with sparse=True"):
        DeferredAdamW(nn.Embedding(3, 2))
    constrained = TokenEmbedding(3, 2, sparse=True, constraint=UnitNorm())
    with pytest.raises(UsageError, match="has a constraint, which applies to all rows after each step"):
        DeferredAdamW(constrained)
    table = nn.Embedding(3, 2, sparse=True)
    with pytest.raises(UsageError, match="is not among the parameters"):
        DeferredAdamW(nn.Linear(2, 2).parameters(), modules=[table])
    optimizer = DeferredAdamW(table.parameters())
    table(torch.tensor([1])).sum().backward()
    with pytest.raises(UsageError, match=r"no module that reads it is known; pass the model, or modules=\[...\]"):
        optimizer.step()


@pytest.mark.parametrize("amsgrad", [False, True])
def test_amsgrad_cannot_change_after_the_first_step(amsgrad):
    table = nn.Embedding(3, 2, sparse=True)
    optimizer = DeferredAdamW(table, amsgrad=not amsgrad)
    optimizer.param_groups[0]["amsgrad"] = amsgrad  # allowed before the first step
    for _ in range(2):
        table(torch.tensor([1])).sum().backward()
        optimizer.step()
    optimizer.param_groups[0]["amsgrad"] = not amsgrad
    before = table.weight.detach().clone()
    with pytest.raises(UsageError, match=f"amsgrad cannot change to {not amsgrad} after the first step of a table"):
        optimizer.step()
    assert table.weight.equal(before)
    assert optimizer.state[table.weight]["step"] == 2


def test_loading_the_state_of_coupled_adam_is_refused():
    table = nn.Embedding(3, 2, sparse=True)
    adam = torch.optim.Adam(table.parameters())
    with pytest.raises(UsageError, match="decoupled_weight_decay must be True"):
        DeferredAdamW(table).load_state_dict(adam.state_dict())


@pytest.mark.long
@pytest.mark.large
def test_equals_adamw_after_long_gaps_with_a_small_beta2(backend):
    """Powers of β1 / √β2 grow over the gap, while the second moment vanishes."""
    for betas in ((0.9, 0.8), (0.9, 0.5)):
        gaps = (2, 60, 200, 620, 1500)
        race = Race(size=len(gaps) + 1, dim=3, options={"betas": betas, "lr": 1e-3})
        for step in range(1502):
            ids = [row for row, gap in enumerate(gaps) if step in (1501 - gap, 1500 - gap)]
            gradient = torch.zeros(len(gaps) + 1, 3, dtype=torch.float64)
            gradient[[*ids, len(gaps)]] = torch.randn(len(ids) + 1, 3, dtype=torch.float64) * torch.tensor(
                [1.0, 1e-4, 1e-9], dtype=torch.float64
            )
            race.dense.weight.grad, race.sparse.weight.grad = gradient, gradient.to_sparse(1)
            race.optimizer.step()
            race.dense_optimizer.step()
        assert race.deviation < CLOSE, betas
