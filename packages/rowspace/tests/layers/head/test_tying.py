import copy

import pytest
import torch
from peft import LoraConfig, TrainableTokensConfig, get_peft_model
from torch import Tensor, nn
from transformers import LlamaConfig, LlamaForCausalLM, T5Config, T5ForConditionalGeneration

from rowspace.errors import UsageError
from rowspace.layers import (
    AdaptiveEmbedding,
    FactorizedEmbedding,
    HashedEmbedding,
    MatryoshkaEmbedding,
    QuantizedEmbedding,
    QuotientRemainderEmbedding,
    TiedHead,
    TokenEmbedding,
    UntiedHead,
    check_tied,
)

IDS = torch.tensor([[1, 2, 3]])


class Model(nn.Module):
    def __init__(self, *, bias: bool = False) -> None:
        super().__init__()
        self.embedding = TokenEmbedding(10, 4)
        self.decoder = nn.ModuleDict({"head": TiedHead(self.embedding, bias=bias)})

    def forward(self, ids: Tensor) -> Tensor:
        return self.decoder["head"](self.embedding(ids))


def test_error_names_a_replaced_embedding():
    model = Model()
    check_tied(model)
    model.embedding = TokenEmbedding(12, 4)
    message = (
        r"decoder.head is tied to a table of 10 × 4 that is not in the model; set decoder.head.embedding to the "
        r"embedding of the model \(embedding: 12 × 4\)"
    )
    with pytest.raises(UsageError, match=message):
        check_tied(model)


def test_head_can_be_tied_again_without_a_copy():
    model = Model()
    model.embedding = TokenEmbedding(12, 4)
    model.decoder["head"].embedding = model.embedding
    check_tied(model)
    assert model(IDS).shape == (1, 3, 12)
    assert list(model.state_dict()) == ["embedding.weight"]
    with pytest.raises(UsageError, match=r"embedding must be a module with a weight \(V, d\), got Dropout"):
        model.decoder["head"].embedding = nn.Dropout()


def test_copied_loaded_and_materialized_models_stay_tied():
    model = Model()
    loaded = Model()
    loaded.load_state_dict(model.state_dict(), assign=True)
    with torch.device("meta"):
        empty = Model().to_empty(device="cpu")
    for each in (copy.deepcopy(model), loaded, empty, nn.Sequential(model), nn.Linear(2, 2)):
        check_tied(each)


def test_head_copied_without_its_embedding_is_found():
    model = Model()
    model.decoder["head"] = copy.deepcopy(model.decoder["head"])
    with pytest.raises(UsageError, match=r"decoder.head is tied to a table"):
        check_tied(model)
    with pytest.raises(UsageError, match=r"TiedHead is tied .* \(it has none\)"):
        check_tied(model.decoder["head"])


def test_table_shared_by_two_modules_is_in_the_model():
    model = Model()
    other = nn.Embedding(10, 4)
    other.weight = model.embedding.weight
    model.embedding = other
    check_tied(model)


def test_bias_of_another_size_than_a_resized_table_is_found():
    model = Model(bias=True)
    model.embedding.weight = nn.Parameter(torch.zeros(12, 4))
    with pytest.raises(UsageError, match=r"decoder.head has a bias of 10 numbers for a table of 12 rows"):
        check_tied(model)


# Of PEFT itself: for any tied model, for a head that it does not know, and with this release of transformers.
PEFT_OF_TIED = pytest.mark.filterwarnings(
    "ignore:Model has .tie_word_embeddings:UserWarning",
    "ignore:Unsupported layer type .*TiedHead:UserWarning",
    "ignore:.is_gradient_checkpointing:FutureWarning",
)
UNTIED = r"lm_head(\.weight)? does not read the table of .*model\.embed_tokens"


def llama(tied: bool = True) -> LlamaForCausalLM:
    torch.manual_seed(0)
    sizes = {"vocab_size": 40, "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 2}
    return LlamaForCausalLM(LlamaConfig(**sizes, **heads, tie_word_embeddings=tied))


def llama_with_our_modules(bias: bool = True) -> LlamaForCausalLM:
    model = llama()
    model.model.embed_tokens = TokenEmbedding(40, 16)
    model.lm_head = TiedHead(model.model.embed_tokens, bias=bias)
    return model


def test_heads_of_transformers_are_checked():
    resized = llama()
    resized.resize_token_embeddings(50, mean_resizing=False)
    for model in (llama(), llama(tied=False), resized, llama_with_our_modules(), nn.Sequential(llama())):
        check_tied(model)
    for change in (
        lambda model: model.set_input_embeddings(nn.Embedding(40, 16)),
        lambda model: setattr(model.model, "embed_tokens", TokenEmbedding(40, 16)),
        lambda model: setattr(model, "lm_head", nn.Linear(16, 40, bias=False)),
    ):
        model = llama()
        change(model)
        with pytest.raises(UsageError, match=UNTIED + r".* by tie_weights\(\)"):
            check_tied(nn.Sequential(model))
        model.tie_weights()
        check_tied(model)
    model = llama_with_our_modules()
    model.other = TokenEmbedding(40, 16)
    model.lm_head.embedding = model.other
    with pytest.raises(UsageError, match=UNTIED):
        check_tied(model)
    sizes = {"vocab_size": 9, "d_model": 4, "d_kv": 2, "d_ff": 4, "num_layers": 1, "num_heads": 2}
    t5 = T5ForConditionalGeneration(T5Config(**sizes))
    check_tied(t5)
    t5.decoder.embed_tokens = nn.Embedding(9, 4)
    with pytest.raises(UsageError, match=r"decoder\.embed_tokens\.weight does not read the table of shared\.weight"):
        check_tied(t5)


@PEFT_OF_TIED
def test_adapters_of_tied_models_of_transformers():
    saved = {"target_modules": ["q_proj"], "modules_to_save": ["embed_tokens"]}
    low_rank = {"target_modules": ["embed_tokens"]}
    for options in (saved, low_rank):
        check_tied(get_peft_model(llama(), LoraConfig(**options, ensure_weight_tying=True)))
        with pytest.raises(UsageError, match=UNTIED + ".*; train both with ensure_weight_tying=True"):
            check_tied(get_peft_model(llama(), LoraConfig(**options)))
    tokens = [
        LoraConfig(target_modules=["q_proj"], trainable_token_indices=[3, 5]),
        TrainableTokensConfig(target_modules=["embed_tokens"], token_indices=[3, 5]),
    ]
    states = torch.rand(2, 16)
    ours = [LoraConfig(**saved), LoraConfig(**saved, ensure_weight_tying=True), LoraConfig(**low_rank), *tokens]
    for config in tokens:
        check_tied(get_peft_model(llama(), config))
    for config in ours:
        model = get_peft_model(llama_with_our_modules(), config)
        for name, parameter in model.named_parameters():
            if parameter.requires_grad and "embed_tokens" in name:
                parameter.data.add_(0.5)
        check_tied(model)
        head, table = model.base_model.model.lm_head, model.base_model.model.model.embed_tokens(torch.arange(40))
        assert isinstance(head, TiedHead)
        assert (head(states) - states @ table.T).abs().max() < 1e-5


def test_resizing_by_transformers_keeps_our_modules():
    for bias in (False, True):
        model = llama_with_our_modules(bias)
        model.tie_weights()
        resized = model.resize_token_embeddings(50, mean_resizing=False)
        check_tied(model)
        assert resized is model.model.embed_tokens is model.lm_head.embedding
        assert type(resized) is TokenEmbedding
        assert resized.num_embeddings == 50
        assert model(torch.tensor([[49, 3]])).logits.shape == (1, 2, 50)
    model.config.tie_word_embeddings = False
    model.resize_token_embeddings(60, mean_resizing=False)
    for call in (lambda: model(torch.tensor([[3]])), lambda: check_tied(model)):
        with pytest.raises(UsageError, match="has a bias of 50 numbers for a table of 60 rows; replace it by a bias"):
            call()
    with pytest.raises(UsageError, match="the weight of a tied head is that of its embedding"):
        model.lm_head.weight = nn.Parameter(torch.zeros(60, 16))


class Plain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.middle = TokenEmbedding(9, 4), nn.Linear(4, 4)
        self.head = nn.Linear(4, 9, bias=False)
        self.head.weight = self.tokens.weight


def test_linear_heads_are_checked_by_name_and_under_peft():
    model = Plain()
    check_tied(model, {"head": "tokens"})
    for options in ({"target_modules": ["middle"], "modules_to_save": ["tokens"]}, {"target_modules": ["tokens"]}):
        with pytest.raises(UsageError, match=r"head does not read the table of .*tokens, .*; train both"):
            check_tied(get_peft_model(Plain(), LoraConfig(**options)))
    model.tokens = TokenEmbedding(9, 4)
    with pytest.raises(UsageError, match=r"head does not read the table of tokens, .*; tie them again"):
        check_tied(model, {"head": "tokens"})


def test_head_left_inside_a_wrapper_is_found():
    model = Model()
    inner = model.embedding
    peft = get_peft_model(model, LoraConfig(target_modules=["embedding"]))
    check_tied(peft)
    model.decoder["head"].embedding = inner
    with pytest.raises(UsageError, match=r"head reads the table inside of PEFT's wrapper .*embedding, without its"):
        check_tied(peft)


def test_tables_without_a_row_per_id_are_refused():
    hashed = HashedEmbedding(9, 4, num_rows=9)
    for table in (hashed, QuotientRemainderEmbedding(9, 4), AdaptiveEmbedding(9, 4, cutoffs=[3])):
        message = rf"got {type(table).__name__}, which has none with one row per id; use UntiedHead\(4, 9\), or tie"
        with pytest.raises(UsageError, match=message):
            TiedHead(table)
    with pytest.raises(UsageError, match="got Dropout, which has none with one row per id; use UntiedHead, or tie"):
        TiedHead(nn.Dropout())
    assert UntiedHead(4, 9)(hashed(torch.arange(3))).shape == (3, 9)


def test_head_reads_the_rows_of_quantized_and_factorized_tables(assert_close):
    states, ids, every = torch.rand(5, 4), torch.tensor([0, 3, 8, 1, 2]), torch.arange(9)
    for table in (
        QuantizedEmbedding.from_float(torch.randn(9, 4)),
        FactorizedEmbedding(9, 4, inner_dim=2),
        FactorizedEmbedding(9, 4, inner_dim=2, bias=False),
    ):
        if isinstance(table, FactorizedEmbedding) and table.projection.bias is not None:
            nn.init.normal_(table.projection.bias)
        head = TiedHead(table, bias=True, scale="rsqrt", softcap=3.0)
        nn.init.normal_(head.bias)
        logits = states @ table(every).T / 2 + head.bias
        expected = torch.tanh(logits / 3.0) * 3.0
        assert_close(head(states).detach(), expected.detach())
        parts = [each for each in table.parameters() if each.requires_grad]
        ours, theirs = head.loss(states, ids, z_loss=0.1), nn.functional.cross_entropy(expected, ids)
        theirs = theirs + 0.1 * expected.logsumexp(-1).square().mean()
        assert_close(ours.detach(), theirs.detach())
        if parts:
            torch.testing.assert_close(torch.autograd.grad(ours, parts), torch.autograd.grad(theirs, parts))
        with pytest.raises(UsageError, match=r"hidden must have shape \(..., 4\), got \(5, 3\)"):
            head(states[:, :3])


def test_head_reads_the_rows_that_a_matryoshka_embedding_gives(assert_close):
    table = MatryoshkaEmbedding(9, 4, dim=2, normalize=True)
    head = TiedHead(table)
    for table.dim, table.normalize in ((2, True), (3, False), (4, True)):
        states = torch.rand(5, table.dim)
        assert_close(head(states).detach(), (states @ table(torch.arange(9)).T).detach())
