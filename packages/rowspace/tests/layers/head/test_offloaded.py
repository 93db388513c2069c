"""Heads under accelerate, which keeps the numbers of offloaded modules outside of them."""

import accelerate
import pytest
import torch
from accelerate import dispatch_model, init_empty_weights, load_checkpoint_and_dispatch
from accelerate.hooks import remove_hook_from_submodules
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers import (
    FactorizedEmbedding,
    LoraTable,
    MatryoshkaEmbedding,
    MultiTokenPrediction,
    QuantizedEmbedding,
    TiedHead,
    TokenEmbedding,
    TrainableRows,
    UntiedHead,
    cross_entropy,
)

IDS = torch.tensor([[1, 8, 3]])
TARGETS = torch.tensor([[0, 5, 2]])


class Model(nn.Module):
    def __init__(self, make=TokenEmbedding):
        super().__init__()
        torch.manual_seed(0)
        self.tokens = make(9, 4)
        self.middle = nn.Linear(4, 4)
        self.head = TiedHead(self.tokens, bias=True)
        self.other = UntiedHead(4, 9, bias=True)

    def forward(self, ids: Tensor) -> Tensor:
        hidden = self.middle(self.tokens(ids))
        return torch.stack([self.head(hidden), self.other(hidden)])

    def losses(self, ids: Tensor) -> Tensor:
        hidden = self.middle(self.tokens(ids))
        return torch.stack([self.head.loss(hidden, TARGETS), self.other.loss(hidden, TARGETS)])


def offload_to_disk(model, tmp_path):
    accelerate.disk_offload(model, tmp_path, execution_device="cpu")


def dispatch(model, tmp_path):
    places = {"tokens": "disk", "middle": "cpu", "head": "cpu", "other": "disk"}
    dispatch_model(model, places, main_device="cpu", offload_dir=tmp_path)


WAYS = {
    "cpu_offload": lambda model, _: accelerate.cpu_offload(model, execution_device="cpu"),
    "disk_offload": offload_to_disk,
    "dispatch_model": dispatch,
    "cpu_offload_with_hook": lambda model, _: accelerate.cpu_offload_with_hook(model.tokens, "cpu"),
}


COMPUTED = {
    "trainable rows": lambda: TrainableRows(TokenEmbedding(9, 4), [2, 5]),
    "lora": lambda: LoraTable(TokenEmbedding(9, 4), 2),
    "factorized": lambda: FactorizedEmbedding(9, 4, inner_dim=2),
    "quantized": lambda: QuantizedEmbedding.from_float(torch.rand(9, 4)),
}


@pytest.mark.parametrize("way", ["cpu_offload", "disk_offload"])
@pytest.mark.parametrize("kind", COMPUTED)
def test_heads_over_computed_tables_are_loaded_with_their_parts(way, kind, tmp_path):
    tokens = COMPUTED[kind]()
    model = nn.ModuleDict({"tokens": tokens, "head": TiedHead(tokens, bias=True)})
    model["ahead"] = MultiTokenPrediction(tokens, model["head"], 4, [nn.Linear(4, 4)])
    hidden = torch.rand(1, 3, 4)
    with torch.no_grad():
        expected = model["head"](hidden), model["head"].loss(hidden, TARGETS), model["ahead"](hidden, TARGETS)
        WAYS[way](model, tmp_path)
        assert model["head"](hidden).equal(expected[0])
        assert model["head"].loss(hidden, TARGETS).equal(expected[1])
        assert model["ahead"](hidden, TARGETS).equal(expected[2])
    assert all(parameter.is_meta for parameter in model.parameters())  # and are away again


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("make", [TokenEmbedding, nn.Embedding, MatryoshkaEmbedding])
def test_offloaded_heads_have_their_numbers(way, make, tmp_path):
    model = Model(make)
    with torch.no_grad():
        logits, losses = model(IDS), model.losses(IDS)
        WAYS[way](model, tmp_path)
        assert model(IDS).equal(logits)
        assert model.losses(IDS).equal(losses)
        assert model(IDS).equal(logits)
        assert way == "cpu_offload_with_hook" or model.tokens.weight.is_meta
        remove_hook_from_submodules(model)
        assert model(IDS).equal(logits)


def test_model_loaded_in_parts(tmp_path):
    model = Model()
    accelerate.Accelerator().save_model(model, tmp_path / "model")
    with init_empty_weights():
        empty = Model()
    hidden = torch.ones(2, 4)
    for head in (empty.head, empty.other):
        for call in (head, lambda states, head=head: head.loss(states, torch.zeros(2, dtype=torch.int64))):
            with pytest.raises(UsageError, match="is on the meta device, where it has no numbers; load the weights"):
                call(hidden)
    with pytest.raises(UsageError, match=r"a tensor of \[9, 4\] is on the meta device"):
        cross_entropy(hidden, empty.tokens.weight, torch.zeros(2, dtype=torch.int64))
    assert empty.head(hidden.to("meta")).is_meta
    places = {"tokens": "disk", "middle": "cpu", "head": "cpu", "other": "cpu"}
    loaded = load_checkpoint_and_dispatch(empty, tmp_path / "model", places, offload_folder=tmp_path / "offload")
    assert loaded(IDS).equal(model(IDS))


def test_table_offloaded_with_its_surroundings_is_an_error():
    model = nn.ModuleDict({"inside": nn.ModuleDict({"tokens": TokenEmbedding(9, 4)})})
    model["head"] = TiedHead(model["inside"]["tokens"])
    accelerate.cpu_offload(model["inside"], execution_device="cpu", preload_module_classes=["ModuleDict"])
    with pytest.raises(UsageError, match=r"a tensor of \[9, 4\] is on the meta device"):
        model["head"](torch.ones(2, 4))
