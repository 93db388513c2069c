"""The oracle is transformers: the parameters of its models, built on the meta device."""

import sys
from pathlib import Path

import pytest
import torch
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForPreTraining,
    AutoModelForSeq2SeqLM,
    CLIPTextModel,
    CLIPVisionModel,
    DeiTModel,
    Dinov2Model,
    Dinov2WithRegistersModel,
    SiglipTextModel,
    SiglipVisionModel,
    ViTModel,
)

from rowspace.errors import FileFormatError, UsageError
from rowspace.layers import (
    CATALOGUE,
    ByteNgramEmbedding,
    HashedNgramEmbedding,
    MappedEmbedding,
    QuantizedEmbedding,
    TokenEmbedding,
    cost,
    from_config,
)
from rowspace.layers.cost.catalogue import DEFAULTS, FAMILIES
from rowspace.layers.recipes.from_pretrained import RECIPES
from rowspace.layers.recipes.per_layer import PerLayerInput

MASKED = {"roberta", "xlm-roberta", "albert", "modernbert"}
IMAGES = {
    "vit": lambda config: ViTModel(config, add_pooling_layer=False),
    "deit": lambda config: DeiTModel(config, add_pooling_layer=False),
    "dinov2": Dinov2Model,
    "dinov2_with_registers": Dinov2WithRegistersModel,
    "clip_vision_model": CLIPVisionModel,
    "siglip_vision_model": SiglipVisionModel,
    "clip_text_model": CLIPTextModel,
    "siglip_text_model": SiglipTextModel,
}
NO_BODY = {"gemma4_text", "qwen4_exp_text"}  # whose input and head alone are counted
FAMILY_NAMES = sorted(set(FAMILIES) - {""} - NO_BODY)


def build(config):
    """The model of transformers that is counted, on the meta device."""
    kind = config.model_type
    with torch.device("meta"):
        if kind in IMAGES:
            return IMAGES[kind](config)
        if kind == "bert":
            return AutoModelForPreTraining.from_config(config)
        if kind == "t5":
            return AutoModelForSeq2SeqLM.from_config(config)
        return (AutoModelForMaskedLM if kind in MASKED else AutoModelForCausalLM).from_config(config)


def parameters(model):
    return sum(parameter.numel() for parameter in model.parameters())


def parameters_of(config):
    """The number of published parameters; transformers 5 builds T5 v1.1 tied, and unties it when it loads them."""
    model = build(configured(config))
    untied = config["model_type"] == "t5" and not config.get("tie_word_embeddings", True)
    return parameters(model) + (model.shared.weight.numel() if untied else 0)


HEADS = ("num_attention_heads", "n_head", "n_heads")  # for families whose count does not depend on heads


def configured(config):
    """The same sizes as a config class of transformers, with one head if the count does not depend on heads."""
    sizes = dict(config)
    model_type = sizes.pop("model_type")
    known = AutoConfig.for_model(model_type).to_dict()
    heads = {} if {"num_attention_heads", "num_heads"} & sizes.keys() else {h: 1 for h in HEADS if h in known}
    tokens = {"bos_token_id": None, "eos_token_id": None}  # SigLIP's are outside of its vocabulary
    return AutoConfig.for_model(model_type, **heads, **tokens | sizes)


@pytest.mark.parametrize("model_type", FAMILY_NAMES)
def test_missing_sizes_are_the_defaults_of_transformers(model_type):
    config = AutoConfig.for_model(model_type, bos_token_id=None, eos_token_id=None)
    sizes, ours = config.to_dict(), DEFAULTS[model_type]
    assert stated(sizes, ours) == stated(ours, ours)
    assert parameters(build(config)) == cost({"model_type": model_type}).total == cost(sizes).total


def stated(sizes, ours):
    """The sizes that our defaults have; a list of one size for all layers is that size."""
    found = {}
    for name, size in ours.items():
        if isinstance(size, dict):
            found[name] = stated(sizes[name], size)
        elif size is not None and name != "tie_word_embeddings":
            found[name] = sizes[name][0] if isinstance(sizes[name], list) else sizes[name]
    return found


@pytest.mark.parametrize("model_type", sorted(NO_BODY))
def test_input_and_head_without_a_body_have_the_defaults_of_transformers(model_type):
    config = AutoConfig.for_model(model_type)
    assert stated(config.to_dict(), DEFAULTS[model_type]) == stated(DEFAULTS[model_type], DEFAULTS[model_type])
    counted = cost({"model_type": model_type})
    assert (counted.total, counted.share) == (None, None)
    assert counted == cost(config.to_dict())


LAYERS = {"hidden_size": 32, "num_hidden_layers": 4, "num_attention_heads": 2, "head_dim": 16}
NGRAMS = {"ple_layer_ids": [1, 3], "ngram_size": 3, "heads_per_ngram": 2, "ngram_vocab_size_base": 50}
EXPERTS = {
    "num_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 8,
    "eos_token_id": 3,
    "layer_types": ["linear_attention"] * 4,
}
BYTES = {"encoder_hash_byte_group_size": [3, 4], "encoder_hash_byte_group_vocab": 40}
GEMMA = LAYERS | {"vocab_size": 100, "vocab_size_per_layer_input": 90, "hidden_size_per_layer_input": 8}
SECOND = {  # a small model, and the names of its tensors by part of the cost
    "gemma3n": (
        {"model_type": "gemma3n_text", "num_kv_shared_layers": 0, "intermediate_size": [8, 16, 8, 8], **GEMMA},
        {
            "per_layer": "embed_tokens_per_layer",
            "projection": "layer_model_projection",
            "norm": "layer_projection_norm",
        },
    ),
    "gemma4": (
        {"model_type": "gemma4_text", "global_head_dim": 16, **GEMMA},
        {
            "per_layer": "embed_tokens_per_layer",
            "projection": "layer_model_projection",
            "norm": "layer_projection_norm",
        },
    ),
    "gemma4 without rows for each layer": (
        {"model_type": "gemma4_text", "global_head_dim": 16, **GEMMA, "hidden_size_per_layer_input": 0},
        {},
    ),
    "engram": (
        {"model_type": "qwen4_exp_text", "vocab_size": 100, "ple_embed_dim": 16, **LAYERS, **NGRAMS, **EXPERTS},
        {"ngrams": "ngram_embedding", "head": "lm_head"},
    ),
    "blt": (
        {
            "model_type": "blt",
            "patch_in_forward": False,
            "encoder_config": {"hidden_size": 32},
            "decoder_config": {"hidden_size": 32},
            **BYTES,
        },
        {"ngrams": "encoder_hash_tok_embedding"},
    ),
}


@pytest.mark.parametrize(("config", "names"), SECOND.values(), ids=SECOND)
def test_second_tables_match_the_tensors_of_transformers(config, names):
    counted, model = cost(config), build(configured(config))
    tensors = dict(model.named_parameters())
    for part, ending in names.items():
        found = [tensor for name, tensor in tensors.items() if ending in name]
        assert counted.parameters[part] == sum(tensor.numel() for tensor in found)
        if part in ("ngrams", "per_layer"):
            assert {tensor.shape[1] for tensor in found} == {counted.second_dim}
    assert counted.tokens == model.get_input_embeddings().weight.numel()
    assert counted.total in (None, parameters(model))
    assert set(counted.parameters) == {"tokens", *names} | ({"head"} if config["model_type"] == "blt" else set())


def test_second_tables_match_the_modules():
    config = SECOND["engram"][0]
    modules = [HashedNgramEmbedding(100, 16, num_rows=50, boundary_id=3, heads=2, layer=layer) for layer in range(2)]
    counted = cost(config)
    assert counted.ngrams == sum(module.num_parameters for module in modules)
    reads = sum(module.rows_of(torch.tensor([[5]])).numel() for module in modules)
    assert counted.second_reads == reads == 8
    assert counted.lookup_bytes(3) == 3 * (8 * 9 + 2 * 4 * (32 + 8 * 4))
    hashes = ByteNgramEmbedding(32, num_rows=40, sizes=(3, 4))
    counted = cost(SECOND["blt"][0])
    assert (counted.ngrams, counted.second_reads) == (hashes.num_parameters, 2)
    quantized = QuantizedEmbedding(80, 32, bits=4)
    assert counted.bytes["int4"] == 2 * QuantizedEmbedding(260, 32, bits=4).bytes + quantized.bytes


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_mapped_bytes_match_a_file_and_its_pages_in_memory(tmp_path):
    path = tmp_path / "rows.safetensors"
    table = MappedEmbedding.create(path, 100_000, 64)
    table(torch.arange(0, 100_000, 1000))  # 100 rows
    lines = iter(Path("/proc/self/smaps").read_text().splitlines())
    next(line for line in lines if line.endswith(str(path)))
    resident = 1024 * int(next(line for line in lines if line.startswith("Rss")).split()[1])
    counted = cost({"vocab_size": 100_000, "hidden_size": 64, "tie_word_embeddings": False}).mapped_bytes(100)
    assert counted.disk == table.bytes
    assert 100 * 4096 <= resident <= counted.memory == 2 * 100 * 4096


def test_mapped_bytes_leave_out_what_a_tied_head_reads():
    gemma = cost("gemma-3n-E4B/text")
    assert gemma.mapped_bytes(dtype="bfloat16") == (262_144 * 35 * 256 * 2, 6 * 4096)  # rows of 17,920 bytes
    assert cost("gpt2").mapped_bytes() == (0, 0)
    assert cost("clip-vit-base-patch32/text").mapped_bytes().disk == 49_408 * 512 * 4  # has no head


PUBLISHED = sorted(CATALOGUE)
LATER = [pytest.param(name, marks=pytest.mark.long) for at, name in enumerate(PUBLISHED) if at % 5]


@pytest.mark.parametrize("name", [*PUBLISHED[::5], *LATER])
def test_parameters_of_published_models_match_transformers(name):
    published = CATALOGUE[name]
    assert published.parameters == published.cost.total == parameters_of(published.config)


# Options that change the count and are off by default.
SWITCHES = [
    {"model_type": "gpt2", "tie_word_embeddings": False, "n_inner": 100},
    {"model_type": "llama", "tie_word_embeddings": True, "num_attention_heads": 8, "num_key_value_heads": 4},
    {"model_type": "opt", "_remove_final_layer_norm": True},
    {"model_type": "opt", "word_embed_proj_dim": 512, "tie_word_embeddings": False},
    {"model_type": "albert", "num_hidden_groups": 2, "inner_group_num": 2},
    {"model_type": "t5", "feed_forward_proj": "gated-gelu", "num_decoder_layers": 2, "tie_word_embeddings": False},
    {"model_type": "vit", "qkv_bias": False, "image_size": [224, 160], "patch_size": [16, 8], "num_channels": 1},
    {"model_type": "dinov2", "qkv_bias": False, "use_swiglu_ffn": True, "use_mask_token": False},
    {"model_type": "siglip_vision_model", "vision_use_head": False},
    {"model_type": "siglip_text_model", "projection_size": 256},
]


@pytest.mark.parametrize("config", SWITCHES, ids=lambda config: " ".join(map(str, config.values())))
def test_options_of_a_config_match_transformers(config):
    assert parameters_of(config) == cost(config).total


@pytest.mark.parametrize(
    "name", ["bert-base-uncased", "gpt2", "Llama-2-7b-hf", "Meta-Llama-3-8B", "gemma-2-2b", "opt-350m"]
)
def test_parts_match_the_tensors_of_transformers(name):
    counted = cost(name)
    model = build(configured(CATALOGUE[name].config))
    table = model.get_input_embeddings().weight
    assert counted.tokens == table.numel()
    assert (counted.num_embeddings, counted.row_dim) == tuple(table.shape)
    assert counted.tied == (model.get_output_embeddings().weight is table)
    assert counted.hidden_dim == model.config.hidden_size


def test_documented_numbers():
    bert = cost("bert-base-uncased")
    assert bert.tables == 23_835_648
    assert f"{bert.tokens / bert.tables:.1%}" == "98.3%"
    assert [round(cost(name).tokens / 1e6, 1) for name in ("Llama-2-7b-hf", "Meta-Llama-3-8B", "gpt2")] == [
        131.1,
        525.3,
        38.6,
    ]
    assert cost({"vocab_size": 10_000, "hidden_size": 512}).bytes["float32"] / 2**20 == pytest.approx(19.5, abs=0.05)
    assert round(cost({"model_type": "vit"}).patches / 1e6, 2) == 0.59
    assert round(cost({"model_type": "vit", "patch_size": 32}).patches / 1e6, 2) == 2.36


def test_tied_matches_transformers():
    tied = ["gpt2", "bert-base-uncased", "t5-base", "gemma-7b", "Llama-3.2-1B", "Llama-3.2-3B"]
    untied = ["Llama-2-7b-hf", "Meta-Llama-3-8B", "Mistral-7B-v0.1"]
    assert [CATALOGUE[name].tied for name in tied + untied] == [True] * 6 + [False] * 3
    assert cost("Meta-Llama-3-8B").head == cost("Meta-Llama-3-8B").tokens


def test_tied_matrix_counts_once():
    sizes = {"vocab_size": 10, "hidden_size": 4}
    assert cost(sizes).num_parameters == 40
    assert cost({**sizes, "tie_word_embeddings": False}).num_parameters == 80
    assert cost(sizes).total is cost(sizes).share is None


@pytest.mark.parametrize("sizes", [(10, 4), (7, 5)])
def test_bytes_match_the_modules(sizes):
    vocabulary, dim = sizes
    counted = cost({"vocab_size": vocabulary, "hidden_size": dim})
    module = TokenEmbedding(vocabulary, dim)
    assert counted.bytes["float32"] == module.bytes
    assert counted.bytes["bfloat16"] == module.to(torch.bfloat16).bytes
    assert counted.bytes["int8"] == QuantizedEmbedding(vocabulary, dim).bytes
    assert counted.bytes["int4"] == QuantizedEmbedding(vocabulary, dim, bits=4).bytes


def test_only_token_matrices_are_quantized():
    bert = cost("bert-base-uncased")
    assert bert.bytes["int8"] == 30522 * (768 + 4) + 4 * (bert.num_parameters - bert.tokens)
    mistral = cost("Mistral-7B-v0.1")
    assert mistral.bytes["int4"] == 2 * 32000 * (4096 // 2 + 4)
    vit = cost({"model_type": "vit"})
    assert vit.bytes["int8"] == vit.bytes["float32"]


@pytest.mark.parametrize(
    ("optimizer", "make"),
    [
        ("sgd", torch.optim.SGD),
        ("momentum", lambda weights: torch.optim.SGD(weights, momentum=0.9)),
        ("adagrad", torch.optim.Adagrad),
        ("adam", torch.optim.Adam),
        ("adamw", torch.optim.AdamW),
    ],
)
def test_training_bytes_match_torch(optimizer, make):
    # torch.optim without its step counters, one number per tensor
    weight = TokenEmbedding(10, 4).weight
    steps = make([weight])
    weight.square().sum().backward()
    steps.step()
    kept = [value for value in steps.state[weight].values() if torch.is_tensor(value) and value.numel() > 1]
    counted = cost({"vocab_size": 10, "hidden_size": 4}).training_bytes(optimizer)
    assert counted == (weight.nbytes, weight.grad.nbytes, sum(value.nbytes for value in kept))


def test_lookup_bytes_and_head_flops():
    bert = cost("bert-base-uncased")
    assert bert.input_flops(1000) == 0
    assert bert.lookup_bytes(tokens=2) == 2 * (8 + 768 * 4 * 2)
    assert bert.lookup_bytes(dtype="bfloat16") == 8 + 768 * 2 * 2
    assert bert.head_flops(3) == 3 * 2 * (30522 * 768 + 768 * 768)
    assert cost({"model_type": "vit"}).input_flops(196) == 196 * 2 * 16 * 16 * 3 * 768
    assert cost("clip-vit-base-patch32/text").head_flops() == 0


def test_head_flops_match_torch():
    # torch.utils.flop_counter on the head of transformers' models
    from torch.utils.flop_counter import FlopCounterMode

    for name in ("albert-base-v2", "gpt2"):
        model = build(configured(CATALOGUE[name].config))
        head = model.predictions if hasattr(model, "predictions") else model.get_output_embeddings()
        with FlopCounterMode(display=False) as counter:
            head(torch.empty(2, 3, model.config.hidden_size, device="meta"))
        assert counter.get_total_flops() == cost(name).head_flops(6)


INPUT = ("tokens", "per_layer", "projection", "positions", "segments", "prefix", "patches", "norm")


@pytest.mark.parametrize("name", sorted(name for name in CATALOGUE if CATALOGUE[name].config["model_type"] in RECIPES))
def test_published_inputs_match_the_recipes(name):
    with torch.device("meta"):
        built = from_config({"num_attention_heads": 1, **CATALOGUE[name].config})  # some entries have no heads
        counted = CATALOGUE[name].cost
        if counted.per_layer:
            sizes = {"num_layers": counted.num_layers, "layer_dim": counted.second_dim // counted.num_layers}
            built.per_layer = PerLayerInput(262_144, counted.hidden_dim, **sizes)
    assert parameters(built) == sum(counted.parameters.get(part, 0) for part in INPUT)


def test_untied_t5_is_recognized_in_both_formats(tmp_path):
    # transformers 5 writes `scale_decoder_outputs: false` where the published config has `tie_word_embeddings: false`
    AutoConfig.for_model("t5", tie_word_embeddings=False).save_pretrained(tmp_path)
    assert cost(tmp_path) == cost({"model_type": "t5", "tie_word_embeddings": False})


def test_config_may_be_a_dict_file_folder_or_name(tmp_path):
    config = AutoConfig.for_model("gpt2", n_layer=2, n_embd=64)
    config.save_pretrained(tmp_path)
    expected = cost({"model_type": "gpt2", "n_layer": 2, "n_embd": 64})
    assert cost(tmp_path) == cost(str(tmp_path)) == cost(tmp_path / "config.json") == expected
    assert cost("gpt2") == cost(CATALOGUE["gpt2"].config)


@pytest.mark.parametrize("model_type", ["clip", "siglip", "gemma3"])
def test_model_of_text_and_images_needs_a_part(model_type, tmp_path):
    vision = {"hidden_size": 64, "num_attention_heads": 2, "patch_size": 16}
    config = AutoConfig.for_model(model_type, text_config={"vocab_size": 60_000}, vision_config=vision)
    config.save_pretrained(tmp_path)
    assert cost(tmp_path, part="text").num_embeddings == 60_000
    assert cost(tmp_path, part="vision").patches >= 64 * 16 * 16 * 3
    with pytest.raises(UsageError, match="part must be one of text, vision for this config, not None"):
        cost(tmp_path)


@pytest.mark.parametrize("model_type", ["clip", "siglip"])
def test_part_without_a_model_type_gets_the_default_one(model_type):
    halves = {"model_type": model_type, "text_config": {"hidden_size": 64}, "vision_config": {"hidden_size": 32}}
    assert cost(halves, part="text").model_type == f"{model_type}_text_model"
    assert cost(halves, part="vision").hidden_dim == 32


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"model_type": "mamba"}, "model_type must be one of albert, .* not 'mamba'; omit it to count"),
        ({}, "config must have 'hidden_size', but has nothing"),
        ({"hidden_size": 4}, "config must have 'vocab_size', but has hidden_size"),
        ({"model_type": "bert", "hidden_size": None}, r"config has impossible sizes \(unsupported operand.*; restore"),
        ({"vocab_size": "100", "hidden_size": 4}, "config has impossible sizes"),
        ({"model_type": "vit", "patch_size": 0}, "config has impossible sizes"),
        ({"model_type": "vit", "patch_size": []}, "config has impossible sizes"),
        ({"vocab_size": -100, "hidden_size": 4}, "vocab_size must be 0 or more, not -100"),
        ({"model_type": "vit", "patch_size": -1}, "patch_size must be 0 or more, not -1"),
        ("no-such-model", "config 'no-such-model' is not a config.json, .* sorted"),
    ],
)
def test_invalid_config_raises(config, sentence):
    with pytest.raises(UsageError, match=sentence):
        cost(config)


@pytest.mark.parametrize(("text", "sentence"), [("{", "not valid JSON"), ("[]", "not an object")])
def test_invalid_file_raises(text, sentence, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=f"{sentence}.*; pass the config.json of a model"):
        cost(path)


def test_unknown_optimizer_and_dtype_raise():
    with pytest.raises(UsageError, match=r"optimizer must be one of sgd, .* not 'lion'"):
        cost("gpt2").training_bytes("lion")
    with pytest.raises(UsageError, match=r"dtype must be one of float32, .* not 'int8'"):
        cost("gpt2").lookup_bytes(dtype="int8")


def test_each_entry_has_a_source():
    for name, published in CATALOGUE.items():
        assert published.source.startswith("https://huggingface.co/")
        assert name.split("/")[0] in published.source
        assert published.paper
        assert (published.num_embeddings > 0) == (published.cost.tokens > 0)
        assert published.hidden_dim > 0
        assert published.num_layers > 0
        assert published.position_scheme in {"learned", "rotary", "alibi", "relative"}


def test_head_matrix_has_the_size_of_the_table():
    assert cost("gpt2").head_matrix == cost("gpt2").tokens
    assert cost("albert-base-v2").head_matrix == 30_000 * 128  # as narrow as its rows
    assert cost("Meta-Llama-3-8B").head_matrix == cost("Meta-Llama-3-8B").head
    assert CATALOGUE["clip-vit-base-patch32/text"].cost.head_matrix == 0
