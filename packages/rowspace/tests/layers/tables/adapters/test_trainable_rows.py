"""`TrainableRows` and `LoraTable` learn what they should, and PEFT reads and writes the same adapters."""

import copy
import json

import accelerate
import pytest
import torch
from peft import LoraConfig, PeftModel, TrainableTokensConfig, get_peft_model
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.models.gemma3.modeling_gemma3 import Gemma3TextScaledWordEmbedding

from rowspace.errors import FileFormatError, UsageError
from rowspace.layers import (
    HashedEmbedding,
    LoraTable,
    MatryoshkaEmbedding,
    TiedHead,
    TokenEmbedding,
    TrainableRows,
    check_tied,
    extend,
)
from rowspace.optim import DeferredAdamW

# Of PEFT itself, for any tied model and with this release of transformers.
PEFT_OF_TIED = pytest.mark.filterwarnings(
    "ignore:Model has .tie_word_embeddings:UserWarning",
    "ignore:.is_gradient_checkpointing:FutureWarning",
    "ignore:Found missing adapter keys while loading the checkpoint.*lm_head:UserWarning",
)


class Model(nn.Module):
    """A table in a model, for PEFT."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.embed = nn.Embedding(10, 4)

    def forward(self, ids):
        return self.embed(ids)


def train(module, make=torch.optim.AdamW, steps=10):
    """A few steps on all rows."""
    optimizer = make(module) if make is DeferredAdamW else make(p for p in module.parameters() if p.requires_grad)
    for _ in range(steps):
        optimizer.zero_grad()
        (module(torch.arange(10)) - 1).square().sum().backward()
        optimizer.step()
    if make is DeferredAdamW:
        optimizer.flush()


@pytest.mark.parametrize("make", [torch.optim.AdamW, DeferredAdamW])
def test_only_chosen_rows_learn(make):
    table = TokenEmbedding(10, 4, padding_idx=5, scale=2.0)
    before = table.weight.detach().clone()
    module = TrainableRows(table, [7, 2, 5], sparse=make is DeferredAdamW)
    train(module, make)
    assert table.weight.equal(before)
    expected = module(torch.arange(10))
    assert module.merge() is table
    others = [0, 1, 3, 4, 5, 6, 8, 9]
    assert table.weight[others].equal(before[others])
    assert not table.weight[[7, 2]].isclose(before[[7, 2]]).any()
    assert table(torch.arange(10)).equal(expected)


@pytest.mark.parametrize(
    "make", [lambda table, **o: TrainableRows(table, [9, 7, 2], **o), lambda t, **o: LoraTable(t, 2, **o)]
)
def test_deferred_rows_equal_those_of_adamw(make):
    """Rows that are some steps behind are found by their own number, not by the id."""
    results = []
    for sparse in (False, True):
        torch.manual_seed(0)
        module = make(nn.Embedding(10, 4, dtype=torch.float64), sparse=sparse)
        learned = [parameter for parameter in module.parameters() if parameter.requires_grad]
        optimizer = DeferredAdamW(module) if sparse else torch.optim.AdamW(learned)
        for _ in range(30):
            optimizer.zero_grad()
            module(torch.randint(10, (2,))).square().sum().backward()
            optimizer.step()
        results.append(module.state_dict())
    for name, value in results[0].items():
        assert (value - results[1][name]).abs().max() < 1e-12


def test_new_rows_learn_and_old_ones_stay():
    table = nn.Embedding(8, 4)
    before = table.weight.detach().clone()
    module = TrainableRows(table, extend(table, 2))
    train(module)
    assert module.merge().weight[:8].equal(before)


def test_peft_opens_our_adapter(tmp_path):
    model = Model()
    module = TrainableRows(model.embed, [5, 2])
    train(module)
    module.save(tmp_path / "adapter", "embed")
    ids = torch.arange(10)
    assert PeftModel.from_pretrained(Model(), tmp_path / "adapter")(ids).equal(module(ids))


def test_we_open_an_adapter_of_peft(tmp_path):
    model = get_peft_model(Model(), TrainableTokensConfig(token_indices=[3, 9], target_modules=["embed"]))
    train(model)
    model.save_pretrained(tmp_path)
    ids = torch.arange(10)
    assert TrainableRows.load(tmp_path, Model().embed)(ids).equal(model(ids))


def tiny_llama(tied=True):
    """A model of transformers, of which the adapters are."""
    torch.manual_seed(0)
    sizes = {"vocab_size": 40, "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 2}
    return LlamaForCausalLM(LlamaConfig(**sizes, **heads, tie_word_embeddings=tied))


def learned(model):
    with torch.no_grad():
        for number, (name, parameter) in enumerate(model.named_parameters()):
            if "trainable_tokens" in name:
                parameter.add_(number + 1)
    return model


@PEFT_OF_TIED
@pytest.mark.parametrize("tied", [True, False])
def test_adapters_of_models_of_transformers_open(tied, tmp_path):
    rows = {"embed_tokens": [3, 39], "lm_head": [5]}
    names = ["embed_tokens"] if tied else list(rows)
    configs = {
        "tokens": TrainableTokensConfig(token_indices=[3, 39], target_modules=names),
        "list": LoraConfig(target_modules=["q_proj"], trainable_token_indices=[3, 39]),
        "names": LoraConfig(target_modules=["q_proj"], trainable_token_indices={name: rows[name] for name in names}),
    }
    for kind, config in configs.items():
        model = learned(get_peft_model(tiny_llama(tied), config))
        model.save_pretrained(tmp_path / kind)
        embedding = model.base_model.model.model.embed_tokens
        if not tied and kind != "list":
            with pytest.raises(UsageError, match=r"has rows for .*; pass one of these names as module_name"):
                TrainableRows.load(tmp_path / kind, nn.Embedding(40, 16))
        module = TrainableRows.load(tmp_path / kind, tiny_llama().model.embed_tokens, module_name="embed_tokens")
        assert module(torch.arange(40)).equal(embedding(torch.arange(40)))
        assert module.token_ids == [3, 39]
    with pytest.raises(UsageError, match=r"has rows for model\.embed_tokens; pass one of these names as module_name"):
        TrainableRows.load(tmp_path / "list", nn.Embedding(40, 16), module_name="wte")


@PEFT_OF_TIED
def test_transformers_model_opens_our_adapter(tmp_path):
    """PEFT finds the rows by the full name of the table, also in a tied model."""
    for kind in (TokenEmbedding, nn.Embedding):
        model = tiny_llama()
        table = kind.from_pretrained(model.model.embed_tokens.weight.detach())
        module = TrainableRows(table, [7, 38])
        module.rows.weight.data.add_(1)
        module.save(tmp_path / kind.__name__, "model.embed_tokens")
        loaded = PeftModel.from_pretrained(model, tmp_path / kind.__name__)
        ids = torch.arange(40)
        assert loaded.base_model.model.model.embed_tokens(ids).equal(module(ids))
        states = torch.rand(3, 16)
        assert (loaded.base_model.model.lm_head(states) - states @ module(ids).T).abs().max() < 1e-5  # tied by PEFT


def test_scale_of_a_table_of_transformers():
    """Gemma's embedding multiplies by `embed_scale`."""
    table = Gemma3TextScaledWordEmbedding(10, 4, 0, embed_scale=2.0)
    ids = torch.arange(10)
    for module in (TrainableRows(table, [7, 2]), LoraTable(table, 2)):
        assert module(ids).equal(table(ids))
        train(module)
        rows = module(ids).detach()
        assert (module.merge()(ids) - rows).abs().max() < 1e-6


def test_tables_offloaded_by_accelerate_are_loaded(tmp_path):
    ids = torch.tensor([[1, 8, 3]])
    for make in (lambda table: TrainableRows(table, [3, 8]), lambda table: LoraTable(table, 2)):
        torch.manual_seed(0)
        module = make(TokenEmbedding(10, 4, scale=2.0))
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.add_(torch.randn_like(parameter))
            rows = module(ids)
            accelerate.cpu_offload(module, execution_device="cpu")
            assert module(ids).equal(rows)
        calls = [module.merge, lambda module=module: extend(module.table, 2)]
        if isinstance(module, TrainableRows):
            calls.append(lambda module=module: module.save(tmp_path, "tokens"))
        for call in calls:
            with pytest.raises(UsageError, match="the rows are on the meta device; load them, or remove the hooks"):
                call()


def test_a_tied_head_reads_the_rows_that_learn(assert_close):
    for make in (lambda table: TrainableRows(table, [1, 7]), lambda table: LoraTable(table, 2)):
        model = nn.ModuleDict({"tokens": TokenEmbedding(10, 4, scale=2.0)})
        model["head"] = TiedHead(model["tokens"])
        frozen = model["tokens"].weight.detach().clone()
        model["tokens"] = make(model["tokens"])  # the head follows
        check_tied(model)
        optimizer = torch.optim.SGD([each for each in model.parameters() if each.requires_grad], lr=0.5)
        ids, targets = torch.tensor([7, 3]), torch.tensor([1, 7])
        for _ in range(3):
            optimizer.zero_grad()
            model["head"].loss(model["tokens"](ids), targets).backward()
            optimizer.step()
        states = torch.rand(5, 4)
        rows = (model["tokens"](torch.arange(10)) / 2.0).detach()
        assert not rows.equal(frozen)
        assert_close(model["head"](states).detach(), states @ rows.T)
        logits = model["head"](states).detach()
        model["tokens"] = model["tokens"].merge()  # and follows back
        check_tied(model)
        assert_close(model["head"](states).detach(), logits)


@PEFT_OF_TIED
def test_a_tied_head_over_trainable_rows_learns_as_in_peft(assert_close):
    """PEFT's TrainableTokensConfig with tied weights, in a model of transformers."""
    config = LlamaConfig(
        vocab_size=12, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=2,
        tie_word_embeddings=True,
    )  # fmt: skip
    torch.manual_seed(0)
    theirs = LlamaForCausalLM(config)
    ours = copy.deepcopy(theirs)
    peft = get_peft_model(theirs, TrainableTokensConfig(token_indices=[2, 5], target_modules=["embed_tokens"]))
    for parameter in ours.parameters():
        parameter.requires_grad_(False)
    ours.model.embed_tokens = TrainableRows(ours.model.embed_tokens, [2, 5])
    head = TiedHead(ours.model.embed_tokens)
    ids = torch.tensor([[2, 3, 5, 7, 2]])
    losses = []
    for parameters, loss in (
        (peft.parameters(), lambda: peft(input_ids=ids, labels=ids).loss),
        (ours.parameters(), lambda: head.loss(ours.model(input_ids=ids).last_hidden_state[:, :-1], ids[:, 1:])),
    ):
        optimizer = torch.optim.Adam([each for each in parameters if each.requires_grad], lr=0.1)
        values = []
        for _ in range(4):
            optimizer.zero_grad()
            value = loss()
            value.backward()
            optimizer.step()
            values.append(value.detach())
        losses.append(torch.stack(values))
    assert_close(*losses)
    assert losses[0][-1] < losses[0][0]


def test_a_head_on_the_table_inside_is_found():
    model = nn.ModuleDict({"tokens": TokenEmbedding(10, 4)})
    head = TiedHead(model["tokens"])
    model["tokens"] = nn.Identity()
    model["tokens"] = TrainableRows(head.embedding, [1])
    model["head"] = head
    with pytest.raises(UsageError, match=r"head reads the frozen table inside of tokens, .* set head.embedding to"):
        check_tied(model)


def test_tables_of_other_kinds_are_refused():
    cases = [
        (HashedEmbedding(10, 4, num_rows=10), "not HashedEmbedding"),
        (MatryoshkaEmbedding(10, 4), "not MatryoshkaEmbedding"),
        (nn.Embedding(10, 4, max_norm=1.0), "has a max_norm"),
    ]
    for table, message in cases:
        for make in (lambda table: TrainableRows(table, [1]), lambda table: LoraTable(table, 2)):
            with pytest.raises(UsageError, match=message):
                make(table)
    for ids in ([10], [-1]):
        for make in (nn.Embedding, TokenEmbedding):
            with pytest.raises(UsageError, match=r"is out of range for a table of 10 rows"):
                TrainableRows(make(10, 4), [1])(torch.tensor(ids))


def test_adapters_that_do_not_fit(tmp_path):
    module = TrainableRows(Model().embed, [5, 2])
    module.save(tmp_path / "adapter", "embed")
    with pytest.raises(UsageError, match=r"has rows of shape \[2, 4\] for 2 ids, but the table has rows of length 3"):
        TrainableRows.load(tmp_path / "adapter", nn.Embedding(10, 3))
    config = tmp_path / "adapter" / "adapter_config.json"
    (tmp_path / "adapter" / "adapter_model.safetensors").write_bytes(b"damaged")
    with pytest.raises(FileFormatError, match=r"adapter_model\.safetensors: cannot be read"):
        TrainableRows.load(tmp_path / "adapter", Model().embed)
    config.write_text(json.dumps({"peft_type": "LORA"}))
    with pytest.raises(FileFormatError, match="is not an adapter of trainable tokens"):
        TrainableRows.load(tmp_path / "adapter", Model().embed)


def test_invalid_ids():
    for ids, message in [([], "at least one row"), ([10], "id 10 is out of range"), ([1, 3, 1], "id 1 is duplicated")]:
        with pytest.raises(UsageError, match=message):
            TrainableRows(nn.Embedding(10, 4), ids)


@pytest.mark.parametrize("make", [torch.optim.AdamW, DeferredAdamW])
def test_lora_learns_and_merges(make):
    table = nn.Embedding(10, 4, dtype=torch.float64)
    before = table.weight.detach().clone()
    module = LoraTable(table, 2, alpha=4.0, sparse=make is DeferredAdamW)
    assert module(torch.arange(10)).equal(before)
    train(module, make)
    assert table.weight.equal(before)
    with torch.no_grad():
        module.rows.weight[3] = 0
    expected = module(torch.arange(10)).detach()
    assert (module.merge().weight - expected).abs().max() < 1e-15
    assert table.weight[3].equal(before[3])
    assert (module(torch.arange(10)) - expected).abs().max() < 1e-15


@pytest.mark.parametrize("make", [torch.optim.AdamW, DeferredAdamW])
@pytest.mark.parametrize("table_type", [TokenEmbedding, nn.Embedding])
def test_lora_leaves_the_row_of_padding(table_type, make):
    table = table_type(10, 4, padding_idx=5)
    module = LoraTable(table, 2, sparse=make is DeferredAdamW)
    train(module, make)
    rows = module(torch.arange(10))
    assert rows.eq(0).all(1).nonzero().flatten().tolist() == [5]
    assert module.merge().weight[5].equal(rows[5])


def test_lora_equals_peft(assert_close):
    model = get_peft_model(Model(), LoraConfig(r=2, lora_alpha=6, target_modules=["embed"], init_lora_weights=False))
    layer = model.base_model.model.embed
    module = LoraTable(Model().embed, 2, alpha=6.0)
    with torch.no_grad():
        module.rows.weight.copy_(layer.lora_embedding_A["default"].T)
        module.columns.copy_(layer.lora_embedding_B["default"].T)
    assert_close(module(torch.arange(10)).detach(), model(torch.arange(10)).detach())
    assert_close(module.merge().weight.detach(), model.merge_and_unload().embed.weight.detach())
    with pytest.raises(UsageError, match="rank must be at least 1, not 0"):
        LoraTable(nn.Embedding(3, 2), 0)


def test_the_state_of_other_ids_is_refused():
    state = TrainableRows(nn.Embedding(20, 8), [1, 2]).state_dict()
    TrainableRows(nn.Embedding(20, 8), [1, 2]).load_state_dict(state)
    other = TrainableRows(nn.Embedding(20, 8), [5, 6])
    before = copy.deepcopy(other.state_dict())
    with pytest.raises(RuntimeError, match=r"the state has the rows of the ids \[1, 2\], not of \[5, 6\]"):
        other.load_state_dict(state)
    assert all(values.equal(before[name]) for name, values in other.state_dict().items())


def test_a_table_that_was_resized_inside_is_refused():
    for module in (TrainableRows(nn.Embedding(10, 4), [2]), LoraTable(nn.Embedding(10, 4), 2)):
        extend(module.table, 2)
        with pytest.raises(UsageError, match="the table has 12 rows now, and had 10 when TrainableRows or LoraTable"):
            module(torch.tensor([1]))
