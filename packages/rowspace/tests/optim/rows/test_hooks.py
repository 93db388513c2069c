"""Modules with deferred rows: copies, files, loading, transforms and compiled models have rows that are up to date."""

import copy
import io
import pickle

import pytest
import torch
from tests.optim.races import Race
from torch import nn

from rowspace.errors import UsageError
from rowspace.layers import TokenEmbedding
from rowspace.optim import DeferredAdamW

CLOSE = 1e-12
WHILE_COMPILING = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:VecISA:UserWarning")  # from torch


def test_copies_have_current_rows_and_no_optimizer():
    race = Race().run(20)
    duplicate = copy.deepcopy(nn.ModuleDict({"table": race.sparse}))["table"]
    assert (duplicate.weight - race.dense.weight).abs().max() < CLOSE
    duplicate(torch.tensor([1]))
    race.run(5)
    before = duplicate.weight.detach().clone()
    duplicate(torch.arange(40))
    assert duplicate.weight.equal(before)


def test_saved_modules_have_current_rows_and_no_optimizer():
    race = Race().run(20)
    file = io.BytesIO()
    torch.save(race.sparse, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    assert (loaded.weight - race.dense.weight).abs().max() < CLOSE
    assert len(pickle.dumps(race.sparse)) < 2 * race.sparse.weight.nbytes + 4000


def test_state_dict_of_a_model_has_current_rows():
    race = Race().run(20)
    state = nn.ModuleDict({"table": race.sparse}).state_dict()
    assert (state["table.weight"] - race.dense.weight).abs().max() < CLOSE


def test_loaded_rows_do_not_take_the_steps_missed_before():
    race = Race().run(20)
    rows = torch.randn(40, 5, dtype=torch.float64)
    for table in (race.dense, race.sparse):
        table.load_state_dict({"weight": rows})
    assert race.run(20).deviation < CLOSE


def test_ids_out_of_range_raise_the_error_of_the_module():
    table = TokenEmbedding(5, 2, sparse=True)
    optimizer = DeferredAdamW(table)
    for _ in range(2):
        table(torch.tensor([1, 2])).sum().backward()
        optimizer.step()
    with pytest.raises(UsageError, match=r"id 7 at \[1\] is out of range"):
        table(torch.tensor([0, 7]))
    with pytest.raises(UsageError, match=r"id -1 at \[0\] is out of range"):
        table(torch.tensor([-1, 1], dtype=torch.int32))


def test_transforms_of_torch_func():
    race = Race().run(20)
    ids = torch.tensor([[3, 4], [5, 6]])
    with torch.no_grad():
        assert (torch.func.vmap(race.sparse)(ids) - race.dense(ids)).abs().max() < CLOSE


@WHILE_COMPILING
@pytest.mark.parametrize("backend", ["aot_eager", pytest.param("inductor", marks=pytest.mark.long)])
def test_compiled_models_in_one_graph(backend):
    race = Race(size=30)
    compiled = torch.compile(race.sparse, fullgraph=True, backend=backend)
    for _ in range(10):
        ids = race.ids()
        for read, optimizer in ((race.dense, race.dense_optimizer), (compiled, race.optimizer)):
            optimizer.zero_grad()
            read(ids).square().sum().backward()
            optimizer.step()
        with torch.no_grad():
            assert (compiled(ids) - race.dense(ids)).abs().max() < CLOSE
    assert race.deviation < CLOSE


@WHILE_COMPILING
def test_compiled_token_embeddings_read_current_rows():
    """Only without gradients: `lookup` does not compile with sparse ones."""
    race = Race()
    table = TokenEmbedding.from_pretrained(race.sparse.weight.detach().clone(), freeze=False, sparse=True)
    optimizer = DeferredAdamW(table, lr=0.1)
    compiled = torch.compile(table, fullgraph=True, backend="aot_eager")
    for _ in range(10):
        optimizer.zero_grad()
        table(race.ids()).square().sum().backward()
        optimizer.step()
    with torch.no_grad():
        rows = compiled(torch.arange(40))
    optimizer.flush()
    assert rows.equal(table.weight)


def test_optimizers_are_not_copied():
    with pytest.raises(UsageError, match="save its state_dict"):
        copy.deepcopy(DeferredAdamW(nn.Embedding(3, 2, sparse=True)))
