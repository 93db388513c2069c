"""The oracle is `nn.EmbeddingBag`."""

import pytest
import torch
from peft import LoraConfig, TrainableTokensConfig, get_peft_model
from torch import nn

from rowspace.errors import UsageError
from rowspace.layers import LoraTable, MultiHotEmbedding
from rowspace.optim import DeferredAdamW

IDS = torch.tensor([[3, 5, 0], [7, 3, 3], [0, 0, 0]])


def test_sums_and_means_are_those_of_embedding_bag():
    weights = torch.rand(IDS.shape)
    for mode, given in (("sum", None), ("sum", weights), ("mean", None)):
        ours = MultiHotEmbedding(10, 4, padding_idx=0, mode=mode)
        theirs = nn.EmbeddingBag.from_pretrained(ours.weight.detach().clone(), freeze=False, mode=mode, padding_idx=0)
        found = []
        for module in (ours, theirs):
            rows = (
                module(IDS)
                if given is None
                else module(IDS, given)
                if module is ours
                else module(IDS, per_sample_weights=given)
            )
            (rows * torch.arange(1.0, 13).reshape(3, 4)).sum().backward()
            found.append((rows.detach(), module.weight.grad))
        torch.testing.assert_close(*found, msg=f"{mode}, weights {given is not None}")


def test_weighted_means_and_more_dimensions():
    table = MultiHotEmbedding(10, 4, padding_idx=0, mode="mean", dtype=torch.float64)
    weights = torch.rand(IDS.shape, dtype=torch.float64, requires_grad=True)
    factors = weights * (IDS != 0)
    rows = (table.weight[IDS] * factors.unsqueeze(-1)).sum(1)[:2] / factors.sum(1, keepdim=True)[:2]
    torch.testing.assert_close(table(IDS, weights)[:2], rows)
    assert table(IDS, weights)[2].eq(0).all()
    assert table(IDS.reshape(3, 1, 3)).shape == (3, 1, 4)
    assert torch.autograd.gradcheck(lambda given: table(IDS, given), weights)


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_no_bags_and_bags_without_ids(mode):
    table = MultiHotEmbedding(20, 8, mode=mode)
    assert table(torch.zeros(0, 3, dtype=torch.long)).shape == (0, 8)
    for ids in (torch.zeros(2, 0, dtype=torch.long), torch.zeros(3, 2, 0, dtype=torch.long)):
        assert table(ids, torch.ones(ids.shape)).equal(torch.zeros(*ids.shape[:-1], 8))
    assert torch.func.vmap(table)(torch.zeros(2, 0, dtype=torch.long)).equal(torch.zeros(2, 8))


def test_deferred_rows_are_those_of_adam():
    found = []
    for is_sparse in (True, False):
        torch.manual_seed(1)
        table = MultiHotEmbedding(10, 4, padding_idx=0, sparse=is_sparse, dtype=torch.float64)
        options = {"lr": 0.1, "weight_decay": 0.1}
        optimizer = DeferredAdamW(table, **options) if is_sparse else torch.optim.AdamW(table.parameters(), **options)
        for step in range(5):
            optimizer.zero_grad()
            table(torch.tensor([[step + 1, 3, 0]]), torch.tensor([[1.0, 0.5, 1.0]])).square().sum().backward()
            optimizer.step()
        if is_sparse:
            optimizer.flush()
        found.append(table.weight.detach()[1:])
    torch.testing.assert_close(*found, rtol=1e-12, atol=1e-12)


def test_peft_that_would_not_add_the_rows_is_refused():
    for config in (
        LoraConfig(target_modules=["tokens"], r=2),
        TrainableTokensConfig(target_modules=["tokens"], token_indices=[2]),
    ):
        model = nn.ModuleDict({"tokens": MultiHotEmbedding(10, 4), "middle": nn.Linear(4, 4)})
        with pytest.raises(UsageError, match="tokens adds the rows of several ids, which PEFT's layers do not"):
            get_peft_model(model, config)
    config = LoraConfig(target_modules=["middle"], modules_to_save=["tokens"])
    peft = get_peft_model(nn.ModuleDict({"tokens": MultiHotEmbedding(10, 4), "middle": nn.Linear(4, 4)}), config)
    assert peft.base_model.model.tokens(IDS, torch.rand(IDS.shape)).shape == (3, 4)


def test_what_does_not_fit_is_refused():
    table = MultiHotEmbedding(10, 4)
    for call, message in (
        (lambda: MultiHotEmbedding(10, 4, mode="max"), 'mode must be "sum" or "mean"'),
        (lambda: table(torch.tensor([[3, 10]])), r"id 10 at \[0, 1\] is out of range"),
        (lambda: LoraTable(table, 2), "table must be a TokenEmbedding or an nn.Embedding, not MultiHotEmbedding"),
        (lambda: table(IDS, torch.ones(3, 2)), r"one shape \(..., n\), got \(3, 3\) and \(3, 2\)"),
    ):
        with pytest.raises(UsageError, match=message):
            call()
