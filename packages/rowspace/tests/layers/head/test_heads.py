"""Parity with tiny, randomly initialized heads of transformers, and operations that must preserve a tie."""

import copy
import io
import pickle

import pytest
import safetensors.torch
import torch
from torch import Tensor, distributed, nn
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.nn import functional
from transformers import (
    BertConfig,
    BertForMaskedLM,
    Gemma2Config,
    Gemma2ForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    T5Config,
    T5ForConditionalGeneration,
)

from rowspace.errors import UsageError
from rowspace.layers.head.heads import TiedHead, UntiedHead


class TinyModel(nn.Module):
    """ids → logits, or the loss against targets."""

    def __init__(self, **options) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 4)
        self.middle = nn.Linear(4, 4)
        self.head = TiedHead(self.embedding, **options)

    def forward(self, ids: Tensor, targets: Tensor | None = None) -> Tensor:
        hidden = torch.tanh(self.middle(self.embedding(ids)))
        return self.head(hidden) if targets is None else self.head.loss(hidden, targets)


IDS = torch.tensor([[1, 2, 3], [3, 10, 0]])


def is_tied(model: TinyModel) -> bool:
    """Check that there is one table: an update of the model's embedding changes its head."""
    with torch.no_grad():
        model.embedding.weight.fill_(0.5)
    names = [name for name, _ in model.named_parameters(remove_duplicate=False) if "embedding" in name]
    return bool((model.head.weight == 0.5).all()) and names == ["embedding.weight"]


def test_logits_of_the_documented_example():
    rows = torch.tensor([[0.5, 0.3, -0.1], [0.8, -0.2, 0.4], [0.1, 0.9, 0.3], [-0.3, 0.5, 0.6]])
    logits = TiedHead(nn.Embedding.from_pretrained(rows))(torch.tensor([0.6, 0.1, 0.3]))
    torch.testing.assert_close(logits, torch.tensor([0.30, 0.58, 0.24, 0.05]))


def head_of(name: str):
    """transformers' hidden states → logits, its embedding, and the options of the equivalent `TiedHead`."""
    torch.manual_seed(0)
    small = {
        "vocab_size": 50,
        "hidden_size": 16,
        "intermediate_size": 8,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
    }
    if name == "GPT-2":
        model = GPT2LMHeadModel(GPT2Config(vocab_size=50, n_embd=16, n_layer=1, n_head=2))
        return model.lm_head, TiedHead(model.transformer.wte)
    if name == "BERT":
        decoder = BertForMaskedLM(BertConfig(**small))
        nn.init.normal_(decoder.cls.predictions.bias)
        head = TiedHead(decoder.bert.embeddings.word_embeddings, bias=True)
        head.bias.data.copy_(decoder.cls.predictions.bias)
        return decoder.cls.predictions.decoder, head
    if name == "T5":
        model = T5ForConditionalGeneration(
            T5Config(vocab_size=50, d_model=16, d_kv=4, d_ff=8, num_layers=1, num_heads=2)
        )
        assert model.config.scale_decoder_outputs
        return lambda hidden: model.lm_head(hidden * (model.model_dim**-0.5)), TiedHead(model.shared, scale="rsqrt")
    config = Gemma2Config(**small, num_key_value_heads=1, head_dim=8, final_logit_softcapping=0.5)
    model = Gemma2ForCausalLM(config)
    return model, TiedHead(model.model.embed_tokens, softcap=0.5)


@pytest.mark.parametrize("name", ["GPT-2", "BERT", "T5"])
def test_logits_match_the_published_heads_bit_for_bit(name):
    theirs, ours = head_of(name)
    hidden = torch.randn(2, 3, 16)
    assert torch.equal(ours(hidden), theirs(hidden))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_softcap_matches_gemma_2(dtype):
    model, ours = head_of("Gemma 2")
    model = model.to(dtype).eval()
    ids = torch.arange(6).view(2, 3)
    with torch.no_grad():
        hidden = model.model(ids).last_hidden_state
        assert torch.equal(ours(hidden), model(ids).logits)


def test_untied_head_matches_a_linear_layer():
    head = UntiedHead(4, 11, bias=True)
    assert (head.bias == 0).all()
    linear = nn.Linear(4, 11)
    head.load_state_dict(linear.state_dict())
    hidden = torch.randn(2, 3, 4)
    assert torch.equal(head(hidden), linear(hidden))


def test_reset_parameters_uses_only_the_generator():
    head, before = UntiedHead(4, 11), torch.get_rng_state()
    head.reset_parameters(torch.Generator().manual_seed(3))
    first = head.weight.clone()
    head.reset_parameters(torch.Generator().manual_seed(3))
    assert torch.equal(head.weight, first)
    assert torch.equal(torch.get_rng_state(), before)


def test_temperature_is_applied_last():
    table, hidden = nn.Embedding(7, 4), torch.randn(3, 4)
    hot = TiedHead(table, softcap=2.0, temperature=0.5)(hidden)
    assert torch.equal(hot, TiedHead(table, softcap=2.0)(hidden) / 0.5)


@pytest.mark.parametrize(
    "options",
    [{}, {"bias": True}, {"scale": "rsqrt"}, {"scale": 3.0}, {"softcap": 0.7}, {"temperature": 0.4},
     {"bias": True, "scale": 2.0, "softcap": 0.7, "temperature": 0.4}],
)  # fmt: skip
@pytest.mark.parametrize("tied", [True, False])
def test_loss_matches_the_cross_entropy_of_the_logits(options, tied):
    torch.manual_seed(0)
    head = TiedHead(nn.Embedding(11, 4), **options) if tied else UntiedHead(4, 11, **options)
    if head.bias is not None:
        nn.init.normal_(head.bias)
    head, hidden = head.double(), torch.randn(2, 3, 4, dtype=torch.float64)
    weight = head.weight.double() if tied else head.weight
    if tied:
        head.embedding.double()
    targets = torch.tensor([[1, 2, -100], [3, 10, 0]])
    expected = functional.cross_entropy(head(hidden).flatten(0, 1), targets.flatten(), reduction="sum")
    torch.testing.assert_close(head.loss(hidden, targets, reduction="sum"), expected)
    assert weight.shape == (11, 4)


def test_gradient_of_the_table_sums_both_uses():
    model = TinyModel()
    model(IDS, IDS).backward()
    both = model.embedding.weight.grad.clone()
    hidden = torch.tanh(model.middle(model.embedding(IDS)))
    lookup, weight = model.embedding.weight, model.embedding.weight.detach().clone().requires_grad_()
    loss = functional.cross_entropy((hidden @ weight.T).flatten(0, 1), IDS.flatten())
    by_lookup, by_head = torch.autograd.grad(loss, (lookup, weight))
    torch.testing.assert_close(both, by_lookup + by_head)


def test_table_is_counted_once():
    model = TinyModel(bias=True)
    assert sum(parameter.numel() for parameter in model.parameters()) == 11 * 4 + 4 * 4 + 4 + 11
    assert list(model.state_dict()) == ["embedding.weight", "middle.weight", "middle.bias", "head.bias"]


def moved(model):
    return model.to(torch.bfloat16)


def to_meta_and_back(model):
    return model.to("meta").to_empty(device="cpu")


def pickled(model):
    return pickle.loads(pickle.dumps(model))


def saved(model):
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


def loaded(model):
    fresh = TinyModel()
    fresh.load_state_dict(model.state_dict())
    assert torch.equal(fresh.head.weight, model.embedding.weight)
    return fresh


def assigned(model):
    fresh = TinyModel()
    fresh.load_state_dict({key: tensor.clone() for key, tensor in model.state_dict().items()}, assign=True)
    return fresh


def replaced(model):
    model.embedding.weight = nn.Parameter(torch.zeros(13, 4))
    return model


def resized_in_swap(model):
    torch.__future__.set_swap_module_params_on_conversion(True)
    try:
        return model.to(torch.float64)
    finally:
        torch.__future__.set_swap_module_params_on_conversion(False)


@pytest.mark.parametrize(
    "change", [copy.deepcopy, moved, to_meta_and_back, pickled, saved, loaded, assigned, replaced, resized_in_swap]
)
def test_tie_survives(change):
    assert is_tied(change(TinyModel()))


def test_deep_copy_has_its_own_table():
    model = TinyModel()
    twin = copy.deepcopy(model)
    assert is_tied(twin)
    assert not (model.embedding.weight == 0.5).any()


@pytest.mark.parametrize("with_save_model", [True, False])
def test_safetensors_round_trip(tmp_path, with_save_model):
    """`save_model` handles shared tensors and `save_file` refuses them; here there are none."""
    model, fresh, path = TinyModel(), TinyModel(), tmp_path / "model.safetensors"
    if with_save_model:
        safetensors.torch.save_model(model, str(path))
        safetensors.torch.load_model(fresh, str(path))
    else:
        safetensors.torch.save_file(model.state_dict(), path)
        fresh.load_state_dict(safetensors.torch.load_file(path))
    assert torch.equal(fresh(IDS), model(IDS))
    assert is_tied(fresh)


@pytest.fixture
def one_process(tmp_path):
    """A process group of only this process."""
    distributed.init_process_group(
        "gloo", store=distributed.FileStore(str(tmp_path / "store"), 1), rank=0, world_size=1
    )
    yield
    distributed.destroy_process_group()


@pytest.mark.usefixtures("one_process")
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")  # from FSDP, on a CPU
@pytest.mark.parametrize("original", [True, False])
def test_tie_survives_fsdp1(original):
    """Forward, backward, and the full table in the state dict."""
    torch.manual_seed(0)
    model = TinyModel()
    sharded = FullyShardedDataParallel(copy.deepcopy(model), device_id=torch.device("cpu"), use_orig_params=original)
    for each in (model, sharded):
        each(IDS, IDS).backward()
        torch.optim.SGD(each.parameters(), 0.1).step()
    torch.testing.assert_close(sharded(IDS), model(IDS))
    with FullyShardedDataParallel.summon_full_params(sharded):
        torch.testing.assert_close(sharded.module.embedding.weight, model.embedding.weight)
        assert sharded.module.head.weight is sharded.module.embedding.weight


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize("loss", [True, False])
def test_tie_survives_fsdp2(loss):
    """One step gives the same table as a step without sharding."""
    torch.manual_seed(0)
    model = TinyModel()
    sharded = copy.deepcopy(model)
    fully_shard(sharded, mesh=distributed.init_device_mesh("cpu", (1,)))
    for each in (model, sharded):
        result = each(IDS, IDS) if loss else each(IDS).square().sum()
        result.backward()
        torch.optim.SGD(each.parameters(), 0.1).step()
    table = sharded.embedding.weight.full_tensor()
    torch.testing.assert_close(table, model.embedding.weight)
    assert sharded.head.weight is sharded.embedding.weight
    assert len(list(sharded.parameters())) == 3


def test_repr_shows_the_arguments():
    assert repr(TinyModel().head) == "TiedHead(4, 11, bias=False, scale=None, softcap=None, temperature=1.0)"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TiedHead(nn.Dropout()), r"embedding must be a module with a weight \(V, d\), got Dropout"),
        (lambda: TiedHead(nn.Embedding(3, 2), scale="sqrt"), "scale must be a number"),
        (lambda: UntiedHead(2, 3, softcap=0.0), "softcap and temperature must be above 0"),
        (lambda: UntiedHead(2, 3, softcap=float("inf")), "got inf and 1.0"),
        (lambda: UntiedHead(2, 3, temperature=float("nan")), "got None and nan"),
        (lambda: UntiedHead(2, 3, temperature=0.0), "got None and 0.0"),
        (lambda: UntiedHead(0, 3), "must be at least 1, got 0 and 3"),
        (lambda: UntiedHead(2, 3)(torch.zeros(4, 3)), r"hidden must have shape \(..., 2\), got \(4, 3\)"),
    ],
)
def test_invalid_argument_raises(make, message):
    with pytest.raises(UsageError, match=message):
        make()
