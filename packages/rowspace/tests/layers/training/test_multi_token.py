"""Several tokens ahead; the oracle writes out the equations 21 to 24 of DeepSeek-V3's report for one text."""

import copy

import pytest
import torch
from peft import LoraConfig, TrainableTokensConfig, get_peft_model
from torch import nn
from torch.nn import functional

from rowspace.errors import UsageError
from rowspace.layers import MultiTokenPrediction, TiedHead, TokenEmbedding, UntiedHead, extend


def make(depths=2):
    torch.manual_seed(0)
    tokens = TokenEmbedding(20, 6, dtype=torch.float64)
    nn.init.normal_(tokens.weight)
    blocks = [nn.Sequential(nn.Linear(6, 6), nn.Tanh()) for _ in range(depths)]
    return tokens, MultiTokenPrediction(tokens, TiedHead(tokens), 6, blocks).double()


def test_the_loss_is_that_of_the_report():
    tokens, ahead = make()
    ids = torch.randint(20, (1, 7))
    states = torch.randn(1, 7, 6, dtype=torch.float64)

    def norm(vector):
        return vector / (vector.square().mean() + 1e-6).sqrt()

    current, losses = dict(enumerate(states[0])), []
    for depth in (1, 2):
        following, terms = {}, []
        for place in range(7 - depth):
            joined = torch.cat([norm(current[place]), norm(tokens.weight[ids[0, place + depth]])])
            following[place] = ahead.blocks[depth - 1](ahead.projections[depth - 1].weight @ joined)
            if place + depth + 1 < 7:
                logits = tokens.weight @ following[place]
                terms.append(-logits.log_softmax(0)[ids[0, place + depth + 1]])
        losses.append(torch.stack(terms).mean())
        current = following
    torch.testing.assert_close(ahead(states, ids), torch.stack(losses).mean())


def test_table_and_head_are_shared_and_saved_once():
    tokens, ahead = make()
    assert not [name for name in ahead.state_dict() if "weight" in name and ahead.state_dict()[name].shape == (20, 6)]
    ids = torch.randint(20, (3, 7))
    ahead(tokens(ids), ids).backward()
    assert tokens.weight.grad.abs().sum() > 0


def test_it_learns_a_text_that_repeats():
    """After 3, 4, 5, … the token two places ahead is known, so the loss goes to zero."""
    tokens, ahead = make(depths=1)
    ids = torch.arange(40).remainder(20).reshape(2, 20)
    optimizer = torch.optim.Adam([*ahead.parameters(), *tokens.parameters()], lr=0.03)
    for _ in range(150):
        optimizer.zero_grad()
        loss = ahead(tokens(ids), ids)
        loss.backward()
        optimizer.step()
    assert loss < 0.1


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.ahead = make(depths=1)
        self.middle = nn.Linear(6, 6)

    def forward(self, ids):
        return self.ahead(self.tokens(ids), ids)


@pytest.mark.parametrize(
    "config",
    [
        LoraConfig(target_modules=["tokens"], r=2),
        TrainableTokensConfig(target_modules=["tokens"], token_indices=[2, 7]),
        LoraConfig(target_modules=["middle"], modules_to_save=["tokens"]),
    ],
    ids=["lora", "trainable tokens", "modules_to_save"],
)
def test_rows_ahead_are_those_of_peft_and_of_the_merged_table(config):
    peft = get_peft_model(Model(), config)
    with torch.no_grad():
        for parameter in peft.parameters():
            if parameter.requires_grad:
                parameter.add_(torch.rand_like(parameter))
    ids = torch.arange(2, 16).reshape(2, 7)
    loss = peft(ids).detach()
    assert not loss.isclose(Model()(ids))
    assert copy.deepcopy(peft)(ids).equal(loss)
    merged = peft.merge_and_unload()
    assert merged.ahead.embedding is merged.ahead.head.embedding is merged.tokens
    torch.testing.assert_close(merged(ids).detach(), loss)


def test_rows_of_an_extended_table_are_read():
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters())
    ids = torch.arange(2, 16).reshape(2, 7)
    model(ids).backward()
    optimizer.step()
    assert extend(model.tokens, 2, optimizer=optimizer) == range(20, 22)
    optimizer.zero_grad()
    model(ids + 6).backward()  # up to 21
    assert model.tokens.weight.grad[20:].abs().sum() > 0


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # from torch, while it compiles an autograd.Function
def test_the_loss_compiles_as_one_graph():
    model, ids = Model(), torch.arange(2, 16).reshape(2, 7)
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(ids), model(ids))


def test_a_copy_that_peft_would_make_is_refused():
    config = LoraConfig(target_modules=["middle"], modules_to_save=["ahead"])
    with pytest.raises(UsageError, match="modules_to_save contains ahead, which would read a copy of the table"):
        get_peft_model(Model(), config)


class ModelWithHead(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.tokens, self.middle = TokenEmbedding(20, 6), nn.Linear(6, 6)
        self.output = nn.Sequential(UntiedHead(6, 20))
        self.prediction = MultiTokenPrediction(self.tokens, self.output[0], 6, [nn.Identity()])

    def forward(self, ids):
        return self.prediction(self.middle(self.tokens(ids)), ids)


def test_the_head_ahead_is_the_one_that_peft_trains():
    ids = torch.arange(2, 16).reshape(2, 7)
    peft = get_peft_model(ModelWithHead(), LoraConfig(target_modules=["middle"], modules_to_save=["output.0"]))
    model = peft.base_model.model
    trained = model.output[0].modules_to_save["default"].weight
    start = peft(ids)
    start.backward()
    assert trained.grad.abs().sum() > 0
    with torch.no_grad():
        trained.add_(torch.rand_like(trained))
    loss = peft(ids).detach()
    assert not loss.isclose(start)
    assert copy.deepcopy(peft)(ids).equal(loss)
    with peft.disable_adapter():
        assert peft(ids).equal(start)
    merged = peft.merge_and_unload()
    assert merged.prediction.head is merged.output[0]
    assert merged.prediction.head.weight is trained
    torch.testing.assert_close(merged(ids).detach(), loss)
    with pytest.raises(UsageError, match="contains output, which contains a table that another module reads"):
        get_peft_model(ModelWithHead(), LoraConfig(target_modules=["middle"], modules_to_save=["output"]))


def test_ignored_targets_and_wrong_shapes():
    tokens, ahead = make(depths=1)
    ids = torch.randint(20, (2, 6))
    states = tokens(ids).detach()
    ignored, logits = int(ids[0, 2]), ahead.states(states, ids)[0] @ tokens.weight.T
    expected = functional.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 2:].flatten(), ignore_index=ignored)
    torch.testing.assert_close(ahead(states, ids, ignore_index=ignored), expected)
    with pytest.raises(UsageError, match="texts of 2 tokens are too short to predict 2 tokens ahead"):
        ahead(states[:, :2], ids[:, :2])
    with pytest.raises(UsageError, match="do not match"):
        ahead(states, ids[:, 1:])
    with pytest.raises(UsageError, match="blocks must have one module for each token ahead"):
        make(depths=0)
