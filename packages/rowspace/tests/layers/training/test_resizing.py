"""Resized tables keep their rows, ties, padding and the state of their optimizer."""

import copy

import pytest
import torch
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel

from rowspace.errors import UsageError
from rowspace.layers import (
    HashedEmbedding,
    LearnedPosition,
    MappedEmbedding,
    TiedHead,
    TokenEmbedding,
    UntiedHead,
    check_tied,
    extend,
    resize,
    shrink,
)
from rowspace.optim import DeferredAdamW, DeferredSGD, RowAdagrad

ROWS, DIM = 10, 4


class Model(nn.Module):
    """A table with a tied head with a bias, and another one that transformers would tie: a linear layer."""

    def __init__(self, make=TokenEmbedding, **options):
        super().__init__()
        torch.manual_seed(0)
        self.tokens = make(ROWS, DIM, padding_idx=1, **options)
        self.positions = LearnedPosition(6, DIM, offset=2)
        self.head = TiedHead(self.tokens, bias=True)
        self.linear = nn.Linear(DIM, ROWS)
        self.linear.weight = self.tokens.weight
        self.free = UntiedHead(DIM, ROWS, bias=True)

    def loss(self, ids, targets):
        states = self.tokens(ids) + self.positions(ids)
        losses = [head.loss(states, targets) for head in (self.head, self.free)]
        return losses[0] + losses[1] + nn.functional.cross_entropy(self.linear(states).flatten(0, 1), targets.flatten())


IDS, TARGETS = torch.tensor([[0, 5, 9], [1, 2, 3]]), torch.tensor([[5, 9, 0], [2, 3, 7]])


def trained(model, optimizer, steps=3):
    for _ in range(steps):
        optimizer.zero_grad()
        model.loss(IDS, TARGETS).backward()
        optimizer.step()


@pytest.mark.parametrize("make", [TokenEmbedding, nn.Embedding])
def test_extended_tables_keep_rows_ties_biases_and_state(make):
    model = Model(make)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    trained(model, optimizer)
    before, state = copy.deepcopy(model.state_dict()), copy.deepcopy(optimizer.state_dict())
    new = extend(model.tokens, 3, heads=[model.linear, model.free], optimizer=optimizer)
    assert new == range(10, 13)
    assert model.tokens.weight is model.linear.weight is model.head.weight
    check_tied(model)
    assert model.tokens.padding_idx == 1
    assert (model.tokens.num_embeddings, model.linear.out_features) == (13, 13)
    for name, values in model.state_dict().items():
        assert values[: len(before[name])].equal(before[name]), name
    for each in (model.head.bias, model.free.bias, model.linear.bias):
        assert each[10:].eq(0).all()
    for index, old in state["state"].items():
        for name, values in optimizer.state_dict()["state"][index].items():
            if values.dim():
                assert values[: len(old[name])].equal(old[name])
                assert values[len(old[name]) :].eq(0).all()
    assert model.head(torch.rand(2, DIM)).shape == model.free(torch.rand(2, DIM)).shape == (2, 13)
    trained(model, optimizer)  # also the new rows
    assert torch.cat([model.tokens.weight[10:], model.free.weight[10:]]).unique(dim=0).shape == (6, DIM)


def test_old_rows_learn_as_in_a_table_that_was_larger_from_the_start():
    """New rows of a table that nothing reads take no part: with SGD both runs give the same old rows."""
    found = []
    for first in (ROWS, ROWS + 4):
        torch.manual_seed(3)
        table = TokenEmbedding(ROWS, DIM)
        if first > ROWS:
            extend(table, 4)
        optimizer = torch.optim.Adam(table.parameters(), lr=0.1)
        for step in range(6):
            if first == ROWS and step == 3:
                extend(table, 4, optimizer=optimizer)
            optimizer.zero_grad()
            table(IDS).square().sum().backward()
            optimizer.step()
        found.append(table.weight[:ROWS].detach())
    torch.testing.assert_close(*found, rtol=0, atol=0)


def test_new_rows_are_near_the_mean_and_differ():
    table = TokenEmbedding(1000, 32)
    mean, deviation = table.weight.mean(0).detach(), table.weight.std(0).detach()
    generator = torch.Generator().manual_seed(1)
    resize(table, 1200, generator=generator)
    added = table.weight[1000:].detach()
    assert ((added - mean).abs() < 0.06 * deviation).all()
    assert added.unique(dim=0).shape == added.shape
    resize(table, 1201, init=nn.init.ones_)
    assert table.weight[1200].eq(1).all()


def test_fewer_rows():
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    trained(model, optimizer)
    rows, bias = model.tokens.weight.detach().clone(), model.head.bias.detach().clone()
    moments = optimizer.state[model.tokens.weight]["exp_avg"].clone()
    shrink(model.tokens, [5, 1, 9], heads=[model.linear, model.free], optimizer=optimizer)
    assert model.tokens.weight.equal(rows[[5, 1, 9]])
    assert model.head.bias.equal(bias[[5, 1, 9]])
    assert optimizer.state[model.tokens.weight]["exp_avg"].equal(moments[[5, 1, 9]])
    assert model.tokens.padding_idx == 1
    resize(model.tokens, 2, heads=[model.linear, model.free], optimizer=optimizer)
    assert model.tokens.weight.equal(rows[[5, 1]])


OPTIMIZERS = {
    "adamw": (DeferredAdamW, torch.optim.AdamW, {"lr": 0.1, "weight_decay": 0.1}),
    "amsgrad": (DeferredAdamW, torch.optim.AdamW, {"lr": 0.1, "amsgrad": True}),
    "sgd": (DeferredSGD, torch.optim.SGD, {"lr": 0.1, "momentum": 0.9}),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("change", ["extend", "shrink"])
def test_deferred_tables_go_on_as_those_of_torch(name, change):
    """Rows are behind when the table is resized, and the loss of the last step still exists."""
    deferred, plain, options = OPTIMIZERS[name]
    found = []
    for make, is_sparse in ((deferred, True), (plain, False)):
        torch.manual_seed(0)
        table = TokenEmbedding(ROWS, DIM, sparse=is_sparse, dtype=torch.float64)
        optimizer = make(table if is_sparse else table.parameters(), **options)
        for step in range(12):
            if step == 6 and change == "extend":
                extend(table, 3, optimizer=optimizer, generator=torch.Generator().manual_seed(1))
            elif step == 6:
                shrink(table, [8, 2, 3, 0, 9, 7], optimizer=optimizer)
            optimizer.zero_grad()
            ids = torch.tensor([[step % 5, 1], [5 if step < 6 else len(table.weight) - 1, 1]])
            loss = table(ids).square().sum()
            loss.backward()
            optimizer.step()
        state = optimizer.state_dict()["state"][0]
        found.append([table.weight.detach(), *(state[each] for each in sorted(state) if state[each].dim())])
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("make", "options", "change"), [
    (DeferredAdamW, {"weight_decay": 0.0}, 0.5 * (0.1 / 0.19) / (0.001 / 0.001999) ** 0.5), (RowAdagrad, {}, 0.5),
    (DeferredSGD, {}, 0.5),
])  # fmt: skip
def test_new_rows_in_bfloat16_learn_from_where_they_begin(make, options, change):
    """Their copy in float32 begins with them, although nothing but a lookup reads them."""
    table = TokenEmbedding(ROWS, DIM, sparse=True, dtype=torch.bfloat16)
    optimizer = make(table, lr=0.5, **options)
    for ids in ([1, 2], [ROWS]):
        optimizer.zero_grad()
        table(torch.tensor(ids)).sum().backward()
        optimizer.step()
        if len(table.weight) == ROWS:
            extend(table, 2, optimizer=optimizer, init=nn.init.ones_)
    assert ((table.weight[ROWS] - (1 - change)).abs() < 0.01).all()
    assert table.weight[ROWS + 1].eq(1).all()


def test_sums_of_adagrad_begin_as_those_of_old_rows():
    for make, is_sparse in ((RowAdagrad, True), (torch.optim.Adagrad, False)):
        table = TokenEmbedding(ROWS, DIM, sparse=is_sparse)
        optimizer = make(table if is_sparse else table.parameters(), initial_accumulator_value=0.5)
        table(torch.tensor([1, 2])).sum().backward()
        optimizer.step()
        extend(table, 2, optimizer=optimizer)
        assert optimizer.state[table.weight]["sum"][[0, ROWS]].eq(0.5).all()


def test_a_table_is_deferred_again_after_it_was_resized():
    table = TokenEmbedding(ROWS, DIM, sparse=True)
    optimizer = DeferredAdamW(table, lr=0.1)
    for ids in ([1, 2], [3, ROWS + 1]):
        optimizer.zero_grad()
        table(torch.tensor(ids)).sum().backward()
        optimizer.step()
        if len(table.weight) == ROWS:
            extend(table, 2, optimizer=optimizer)
    behind = optimizer._slots[table.weight].table.value_steps < 2
    assert behind.nonzero().flatten().tolist() == [0, 1, 2, *range(4, ROWS + 1)]
    assert table(torch.tensor([1])).equal(table.weight[[1]])


def test_positions_are_counted_without_their_offset():
    positions = LearnedPosition(6, DIM, offset=2)
    rows = positions.weight.detach().clone()
    resize(positions, 9)
    assert positions.weight.shape == (11, DIM)
    assert positions(torch.zeros(1, 9)).shape == (9, DIM)
    assert positions.weight[:8].equal(rows)
    assert extend(positions, 1) == range(9, 10)
    with pytest.raises(UsageError, match="positions cannot be picked"):
        shrink(positions, [1])


def test_a_model_of_transformers_stays_tied():
    config = GPT2Config(vocab_size=20, n_embd=8, n_layer=1, n_head=2)
    model = GPT2LMHeadModel(config)
    extend(model.transformer.wte, 4, heads=[model.lm_head])
    check_tied(model)
    assert model(torch.tensor([[1, 23]])).logits.shape == (1, 2, 24)


def test_what_cannot_be_resized_is_refused_and_unchanged():
    model = Model()
    optimizer, other = torch.optim.SGD(model.parameters()), torch.optim.SGD(nn.Linear(2, 2).parameters())
    deferred = TokenEmbedding(ROWS, DIM, sparse=True)
    held = DeferredAdamW(deferred)
    before = copy.deepcopy(model.state_dict())
    heads = [model.linear, model.free]
    for call, message in (
        (lambda: resize(HashedEmbedding(9, 4, num_rows=3), 12), "a HashedEmbedding cannot be resized"),
        (lambda: resize(model.tokens, 0), "num_embeddings must be at least 1, not 0"),
        (lambda: extend(model.tokens, 0), "count must be at least 1, not 0"),
        (lambda: resize(model.tokens, 1), "the padding row 1 would be lost"),
        (lambda: shrink(model.tokens, [0, 2]), "the padding row 1 would be lost"),
        (lambda: shrink(model.tokens, torch.tensor([True, False])), "ids must be integers from 0 to 9"),
        (lambda: shrink(model.tokens, [1, 1]), "each id may be kept only once"),
        (lambda: shrink(model.tokens, [1, 10]), r"ids must be integers from 0 to 9, at least one; got \[1, 10\]"),
        (lambda: extend(model.tokens, 2, heads=[nn.Linear(DIM, 9)]), "a Linear with 9 rows is not a head of a table"),
        (lambda: extend(model.tokens, 2, heads=heads, optimizer=other), "is not one of the optimizer"),
        (lambda: extend(deferred, 2), "is a DeferredParameter; pass its deferred optimizer"),
        (lambda: extend(deferred, 2, optimizer=other), "is a DeferredParameter; pass its deferred optimizer"),
    ):
        with pytest.raises(UsageError, match=message):
            call()
    for name, values in model.state_dict().items():
        assert values.equal(before[name]), name
    assert held is not None
    assert optimizer.state == {}


def test_rows_in_a_file_are_refused(tmp_path):
    table = MappedEmbedding.create(tmp_path / "rows.safetensors", ROWS, DIM)
    for change in (lambda: resize(table, 12), lambda: extend(table, 2), lambda: shrink(table, [0, 2])):
        with pytest.raises(UsageError, match=r"rows\.safetensors; make a new file with MappedEmbedding\.create"):
            change()
    assert table.weight.shape == (ROWS, DIM)
