"""Tied heads read the table that PEFT's wrapper of their embedding looks up, before and after merging."""

import copy
import pickle

import pytest
import torch
from peft import (
    HiraConfig,
    LoHaConfig,
    LoraConfig,
    OFTConfig,
    PeftModel,
    TinyLoraConfig,
    TrainableTokensConfig,
    get_peft_model,
)
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers import InputEmbedding, MatryoshkaEmbedding, TiedHead, TokenEmbedding, UntiedHead, check_tied

IDS = torch.arange(9)
STATES = torch.randn(5, 4, generator=torch.Generator().manual_seed(3))
CONFIGS = {
    "modules_to_save": lambda: LoraConfig(target_modules=["middle"], modules_to_save=["tokens"]),
    "trainable_token_indices": lambda: LoraConfig(
        target_modules=["middle"], trainable_token_indices={"tokens": [2, 7]}
    ),
    "trainable tokens": lambda: TrainableTokensConfig(target_modules=["tokens"], token_indices=[2, 7]),
    "lora": lambda: LoraConfig(target_modules=["tokens"], r=2, lora_alpha=6),
    "dora": lambda: LoraConfig(target_modules=["tokens"], r=2, use_dora=True),
    "mica": lambda: LoraConfig(target_modules=["tokens"], r=2, init_lora_weights="mica"),
}


class Model(nn.Module):
    def __init__(self, make=TokenEmbedding, **options):
        super().__init__()
        torch.manual_seed(0)
        self.tokens = make(9, 4, **options)
        self.middle = nn.Linear(4, 4)
        self.head = TiedHead(self.tokens, bias=True)

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.middle(self.tokens(ids)))


def adapted(kind: str, model: nn.Module | None = None) -> nn.Module:
    """A model with an adapter whose parameters are not those of the start."""
    peft = get_peft_model(Model() if model is None else model, CONFIGS[kind]())
    torch.manual_seed(1)
    with torch.no_grad():
        for parameter in peft.parameters():
            if parameter.requires_grad:
                parameter.add_(torch.randn_like(parameter) / 2)
    return peft


@pytest.mark.parametrize("kind", CONFIGS)
def test_head_reads_the_adapted_table(kind, assert_close, tmp_path):
    peft = adapted(kind)
    model = peft.base_model.model
    before = Model()
    check_tied(peft)
    # The rows of PEFT's own lookup, since the embedding has no scale.
    table = model.tokens(IDS).detach()
    assert not table.isclose(before.tokens.weight).all()
    assert_close(model.head(STATES).detach(), STATES @ table.T)
    targets = torch.tensor([0, 2, 7, 8, 1])
    expected = nn.functional.cross_entropy(STATES @ table.T, targets)
    assert_close(model.head.loss(STATES, targets).detach(), expected)
    with peft.disable_adapter():
        assert model.head(STATES).equal(before.head(STATES))
    for other in (copy.deepcopy(peft), pickle.loads(pickle.dumps(peft))):
        assert other(IDS).equal(peft(IDS))
        other.base_model.model.head.bias.data.add_(1)  # the copy is apart
    peft.save_pretrained(tmp_path)
    loaded = PeftModel.from_pretrained(Model(), tmp_path)
    assert loaded(IDS).equal(peft(IDS))
    logits = peft(IDS).detach()
    merged = peft.merge_and_unload()
    check_tied(merged)
    assert_close(merged(IDS).detach(), logits)
    assert_close(merged.head.weight.detach(), table)


@pytest.mark.parametrize("kind", CONFIGS)
def test_gradients_reach_the_adapter_from_the_head(kind, assert_close):
    peft = adapted(kind)
    model = peft.base_model.model
    learned = [p for n, p in peft.named_parameters() if p.requires_grad and "tokens" in n]
    ours = torch.autograd.grad(model.head(STATES).square().sum(), learned)
    expected = torch.autograd.grad((STATES @ model.tokens(IDS).T).square().sum(), learned)
    for one, other in zip(ours, expected, strict=True):
        assert_close(one, other)


@pytest.mark.parametrize("use_dora", [False, True])
def test_head_reads_two_adapters_at_once(use_dora, assert_close):
    config = LoraConfig(target_modules=["tokens"], r=2, use_dora=use_dora)
    peft = get_peft_model(Model(), config)
    peft.add_adapter("second", config)
    peft.base_model.set_adapter(["default", "second"])
    model = peft.base_model.model
    with torch.no_grad():
        for parameter in model.tokens.parameters():
            parameter.add_(torch.randn_like(parameter))
    logits = model.head(STATES).detach()
    assert_close(logits, (STATES @ model.tokens(IDS).T).detach())
    peft.merge_adapter()
    assert_close(model.head(STATES).detach(), logits)
    with peft.disable_adapter():
        assert_close(model.head(STATES).detach(), (STATES @ model.tokens.base_layer(IDS).T).detach())


def test_head_follows_a_second_adapter_and_unloading():
    peft = adapted("lora")
    model = peft.base_model.model
    first = model.head(STATES).detach()
    peft.add_adapter("second", LoraConfig(target_modules=["tokens"], r=2))
    peft.set_adapter("second")
    assert model.head(STATES).equal(Model().head(STATES))
    peft.set_adapter("default")
    assert model.head(STATES).equal(first)
    plain = peft.unload()
    check_tied(plain)
    assert plain.head(STATES).equal(Model().head(STATES))
    again = adapted("modules_to_save", plain)
    assert again.base_model.model.head.weight is again.base_model.model.tokens.weight


def test_plain_embedding_is_followed_too(assert_close):
    peft = adapted("lora", Model(nn.Embedding))
    model = peft.base_model.model
    assert_close(model.head(STATES).detach(), (STATES @ model.tokens(IDS).T).detach())
    assert model.head.embedding is model.tokens


def test_batch_with_several_adapters_is_refused():
    peft = adapted("lora")
    peft.add_adapter("second", LoraConfig(target_modules=["tokens"], r=2))
    peft.eval()
    with pytest.raises(UsageError, match="run one batch for each adapter"):
        peft(IDS[:2, None], adapter_names=["default", "second"])


def test_tables_of_other_adapters_and_copies_of_heads_are_refused():
    cases = [
        (OFTConfig(target_modules=["tokens"], oft_block_size=2, r=0), "with an adapter of oft of this kind"),
        (LoraConfig(target_modules=["middle"], modules_to_save=["head"]), "modules_to_save contains head"),
    ]
    for config, message in cases:
        with pytest.raises(UsageError, match=message):
            get_peft_model(Model(), config)(IDS)
    inside = nn.ModuleDict({"embed": InputEmbedding(tokens=TokenEmbedding(9, 4)), "middle": nn.Linear(4, 4)})
    inside["head"] = TiedHead(inside["embed"].tokens)
    with pytest.raises(
        UsageError, match="embed, which contains a table that another module reads; name the table itself"
    ):
        get_peft_model(inside, LoraConfig(target_modules=["middle"], modules_to_save=["embed"]))
    config = LoraConfig(target_modules=["middle"], modules_to_save=["head"])
    untied = nn.ModuleDict({"middle": nn.Linear(4, 4), "head": UntiedHead(4, 9)})
    assert get_peft_model(untied, config).base_model.model.head(STATES).shape == (5, 9)


class Scaled(nn.Module):
    def __init__(self, scale, dtype=torch.float32, width=16):
        super().__init__()
        torch.manual_seed(0)
        self.tokens = TokenEmbedding(9, width, scale=scale, dtype=dtype)
        self.middle = nn.Linear(width, width, dtype=dtype)

    def forward(self, ids: Tensor) -> Tensor:
        return self.tokens(ids)


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("scale", ["sqrt", "rounded_sqrt", 3, 0.5])
def test_peft_keeps_the_scale(kind, scale, assert_close, tmp_path):
    peft = get_peft_model(Scaled(scale), CONFIGS[kind]())
    assert_close(peft(IDS).detach(), Scaled(scale)(IDS).detach())
    assert set(Scaled(scale).state_dict()) == {"tokens.weight", "middle.weight", "middle.bias"}
    peft = adapted(kind, Scaled(scale))
    peft.save_pretrained(tmp_path)
    rows = peft(IDS).detach()
    assert PeftModel.from_pretrained(Scaled(scale), tmp_path)(IDS).equal(rows)
    assert not rows.isclose(Scaled(scale)(IDS)).all()
    assert_close(peft.merge_and_unload()(IDS).detach(), rows)


def test_peft_keeps_a_scale_rounded_to_bfloat16():
    model = Scaled("rounded_sqrt", torch.bfloat16, 17)  # √17 is 4.123, in bfloat16 4.125
    rows = model(IDS).detach()
    assert model.tokens.embed_scale.dtype == torch.bfloat16
    assert model.tokens.embed_scale == 4.125
    for kind in ("trainable_token_indices", "trainable tokens", "modules_to_save", "lora"):
        assert get_peft_model(Scaled("rounded_sqrt", torch.bfloat16, 17), CONFIGS[kind]())(IDS).equal(rows)
    assert Scaled(None).tokens.embed_scale is None


def test_adapters_that_lose_the_scale_are_refused(assert_close):
    for config in (HiraConfig(target_modules=["tokens"]), TinyLoraConfig(target_modules=["tokens"])):
        with pytest.raises(UsageError, match=r"tokens has the scale 3, which PEFT's .* does not apply; use LoRA"):
            get_peft_model(Scaled(3), config)
        get_peft_model(Scaled(None), config)
    with pytest.raises(TypeError, match="not supported"):  # PEFT's own error
        get_peft_model(Scaled(3), LoHaConfig(target_modules=["tokens"]))
    rotated = get_peft_model(Scaled(3), OFTConfig(target_modules=["tokens"], oft_block_size=4, r=0))
    assert_close(rotated(IDS).detach(), Scaled(3)(IDS).detach())


def test_sparse_tables_under_adapters_are_refused():
    for kind in ("lora", "trainable tokens", "trainable_token_indices"):
        with pytest.raises(UsageError, match=r"tokens has sparse gradients, .*; set tokens\.sparse = False"):
            get_peft_model(Model(sparse=True), CONFIGS[kind]())
    peft = get_peft_model(
        nn.ModuleDict({"tokens": TokenEmbedding(9, 4, sparse=True), "middle": nn.Linear(4, 4)}),
        CONFIGS["modules_to_save"](),
    )
    tokens = peft.base_model.model.tokens
    tokens(IDS).sum().backward()
    assert tokens.weight.grad.is_sparse


def test_rows_that_peft_would_not_cut_are_refused():
    for kind in ("lora", "trainable tokens"):
        peft = get_peft_model(nn.ModuleDict({"tokens": MatryoshkaEmbedding(9, 4, dim=2)}), CONFIGS[kind]())
        with pytest.raises(UsageError, match="without cutting them to dim=2 or normalizing them"):
            peft.base_model.model.tokens(IDS)
        peft.base_model.model.tokens.base_layer.dim = 4
        assert peft.base_model.model.tokens(IDS).shape == (9, 4)
