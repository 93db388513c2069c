import copy
import re

import pytest
import torch
from transformers import (
    CohereConfig,
    Gemma3TextConfig,
    GPTJConfig,
    GPTNeoXConfig,
    LlamaConfig,
    ModernBertConfig,
    Phi3Config,
    PhiConfig,
    PreTrainedConfig,
)
from transformers.models.gemma3.modeling_gemma3 import Gemma3RotaryEmbedding
from transformers.models.gpt_neox.modeling_gpt_neox import GPTNeoXRotaryEmbedding
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
from transformers.models.modernbert.modeling_modernbert import ModernBertRotaryEmbedding
from transformers.models.phi.modeling_phi import PhiRotaryEmbedding
from transformers.models.phi3.modeling_phi3 import Phi3RotaryEmbedding

from rowspace.errors import UsageError
from rowspace.layers import LinearScaling, RotaryScaling, from_config, rotary_from_config, scaling_from_config

# Settings of models on the Hub, with a small original length so that long texts stay small.
SCALINGS = {
    "default": {},
    "linear": {"factor": 2.5},
    "dynamic": {"factor": 2.0},
    "yarn": {"factor": 4.0, "original_max_position_embeddings": 64},
    "yarn, its own attention factor": {
        "factor": 4.0,
        "original_max_position_embeddings": 64,
        "attention_factor": 0.7,
        "beta_fast": 16.0,
        "beta_slow": 2.0,
    },
    "yarn, as DeepSeek": {
        "factor": 40.0,
        "original_max_position_embeddings": 64,
        "mscale": 0.9,
        "mscale_all_dim": 0.7,
    },
    "yarn, as gpt-oss": {"factor": 32.0, "original_max_position_embeddings": 4096, "truncate": False},
    "yarn, too short for a rotation": {"factor": 2.0, "original_max_position_embeddings": 4},
    "yarn, a ramp that ends beyond the head": {
        "factor": 4.0,
        "original_max_position_embeddings": 848,
        "rope_theta": 10.0,
    },
    "longrope, its own attention factor": {
        "attention_factor": 1.2,
        "factor": 4.0,
        "short_factor": [1.0] * 16,
        "long_factor": [2.0] * 16,
        "original_max_position_embeddings": 64,
    },
    "longrope": {
        "factor": 4.0,
        "short_factor": [1.0 + 0.05 * i for i in range(16)],
        "long_factor": [1.0 + 0.9 * i for i in range(16)],
        "original_max_position_embeddings": 64,
    },
    "llama3": {
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64,
    },
    "proportional": {"partial_rotary_factor": 0.25},
}


def llama(name, *, theta=500000.0):
    rope = {"rope_type": name.split(",")[0], "rope_theta": theta, **copy.deepcopy(SCALINGS[name])}
    # head_dim 32; dynamic scaling starts at max_position_embeddings
    return LlamaConfig(hidden_size=128, num_attention_heads=4, max_position_embeddings=256, rope_parameters=rope)


def assert_angles_equal(ours, theirs, positions, **layer):
    """Compare bit for bit; theirs are (batch, seq, rotary_dim), with each angle twice."""
    cos, sin = theirs(torch.zeros(1), positions, **layer)
    half = cos.shape[-1] // 2
    actual = ours.angles(positions)
    assert torch.equal(actual[0], cos[..., :half])
    assert torch.equal(actual[1], sin[..., :half])


@pytest.mark.parametrize("length", [1, 64, 65, 256, 257, 5000])
@pytest.mark.parametrize("name", SCALINGS)
def test_every_scaling_matches_llama_bit_for_bit(name, length):
    # transformers' LlamaRotaryEmbedding with modeling_rope_utils, on a config.json written by transformers
    config = llama(name)
    assert_angles_equal(rotary_from_config(config.to_dict()), LlamaRotaryEmbedding(config), torch.arange(length)[None])


@pytest.mark.parametrize("name", SCALINGS)
def test_old_format_gives_the_same_scaling(name):
    config = llama(name).to_dict()
    old = {key: value for key, value in config.items() if key != "rope_parameters"}
    rope = dict(config["rope_parameters"])
    old["rope_theta"] = rope.pop("rope_theta")
    rope["type"] = rope.pop("rope_type")
    old["rope_scaling"] = rope
    positions = torch.arange(300)
    for new_angle, old_angle in zip(
        rotary_from_config(config).angles(positions), rotary_from_config(old).angles(positions), strict=True
    ):
        assert torch.equal(new_angle, old_angle)


def test_original_length_of_phi3_is_at_the_top_level():
    # transformers' Phi3RotaryEmbedding: the factor is the ratio of the two lengths
    factors = SCALINGS["longrope"]
    rope = {"rope_type": "longrope", "short_factor": factors["short_factor"], "long_factor": factors["long_factor"]}
    config = Phi3Config(
        hidden_size=128,
        num_attention_heads=4,
        max_position_embeddings=512,
        original_max_position_embeddings=128,
        rope_parameters={**rope, "rope_theta": 10000.0},
    )
    for length in (100, 200):
        assert_angles_equal(
            rotary_from_config(config.to_dict()), Phi3RotaryEmbedding(config), torch.arange(length)[None]
        )


@pytest.mark.parametrize("layer_type", ["full_attention", "sliding_attention"])
def test_layer_types_of_gemma3(layer_type):
    # transformers' Gemma3RotaryEmbedding
    config = Gemma3TextConfig(hidden_size=64, num_attention_heads=2, head_dim=32)
    ours = rotary_from_config(config.to_dict(), layer_type=layer_type)
    assert_angles_equal(ours, Gemma3RotaryEmbedding(config), torch.arange(50)[None], layer_type=layer_type)


@pytest.mark.parametrize("layer_type", ["full_attention", "sliding_attention"])
@pytest.mark.parametrize(
    ("make", "reference", "old"),
    [
        (Gemma3TextConfig, Gemma3RotaryEmbedding, {"rope_theta": 2e5, "rope_local_base_freq": 5e3}),
        (
            Gemma3TextConfig,
            Gemma3RotaryEmbedding,
            {"rope_theta": 2e5, "rope_local_base_freq": 5e3, "rope_scaling": {"rope_type": "linear", "factor": 8.0}},
        ),
        (ModernBertConfig, ModernBertRotaryEmbedding, {"global_rope_theta": 2e5, "local_rope_theta": 5e3}),
    ],
)
def test_two_bases_in_the_old_format(make, reference, old, layer_type):
    # transformers' Gemma3RotaryEmbedding and ModernBertRotaryEmbedding, with the entries of gemma-3 and ModernBERT-base
    sizes = {"hidden_size": 64, "num_attention_heads": 2, "head_dim": 32}
    ours = rotary_from_config({"model_type": make.model_type, **sizes, **old}, layer_type=layer_type)
    theirs = reference(make(**sizes, **copy.deepcopy(old)))
    assert_angles_equal(ours, theirs, torch.arange(50)[None], layer_type=layer_type)


@pytest.mark.parametrize(
    ("config", "reference"),
    [
        (GPTNeoXConfig(hidden_size=64, num_attention_heads=2), GPTNeoXRotaryEmbedding),
        (PhiConfig(hidden_size=64, num_attention_heads=2), PhiRotaryEmbedding),
    ],
)
def test_rotation_of_a_part_of_the_head(config: PreTrainedConfig, reference):
    # transformers' GPTNeoXRotaryEmbedding and PhiRotaryEmbedding
    assert_angles_equal(rotary_from_config(config.to_dict()), reference(config), torch.arange(50)[None])


def test_default_part_of_the_head():
    config = {"model_type": "gpt_neox", "hidden_size": 64, "num_attention_heads": 2, "rotary_emb_base": 5000}
    rotary = rotary_from_config(config)
    assert (rotary.rotary_dim, rotary.base, rotary.layout) == (8, 5000, "half")


@pytest.mark.parametrize(
    "config", [GPTJConfig(n_embd=64, n_head=2, rotary_dim=8), CohereConfig(hidden_size=64, num_attention_heads=2)]
)
def test_models_with_the_interleaved_layout(config):
    assert rotary_from_config(config.to_dict()).layout == "interleaved"


@pytest.mark.parametrize(("model_type", "layout"), [("llama", "half"), ("cohere", "interleaved")])
def test_types_that_do_not_read_rope_interleave_keep_their_layout(model_type, layout):
    for value in (True, False):  # LlamaAttention and CohereAttention of transformers do not read it
        assert rotary_from_config({"model_type": model_type, "rope_interleave": value}).layout == layout


def test_rotary_dim_of_gptj():
    assert rotary_from_config(GPTJConfig(n_embd=64, n_head=2, rotary_dim=8).to_dict()).rotary_dim == 8


@pytest.mark.parametrize("rope", [None, {}, {"type": "mrope", "mrope_section": [2, 3, 3]}, {"rope_type": "default"}])
def test_config_without_scaling(rope):
    assert scaling_from_config(rope) == RotaryScaling()


def test_scaling_from_config_accepts_only_a_scaling():
    assert scaling_from_config({"rope_type": "linear", "factor": 8.0}) == LinearScaling(8.0)


@pytest.mark.parametrize(
    ("rope", "message"),
    [
        (
            {"type": "linear"},
            "a linear rope_scaling needs 'factor', but has only ['original_max_position_embeddings', 'type']",
        ),
        ({"type": "dynamic", "factor": 2.0}, "a dynamic rope_scaling needs 'max_positions'"),
        ({"type": "yarn"}, "a yarn rope_scaling needs 'factor'"),
        ({"type": "wavy", "factor": 2.0}, "rope_type is 'wavy', but must be one of default, dynamic, linear,"),
        ({"type": "longrope", "factor": 2.0, "short_factor": [1.0]}, "a longrope rope_scaling needs 'long_factor'"),
    ],
)
def test_incomplete_or_unknown_scaling_raises(rope, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        scaling_from_config(rope)


@pytest.mark.parametrize(
    "entries",
    [{"num_attention_heads": 0}, {"rope_scaling": "linear"}, {"hidden_size": "4096"}, {"head_dim": []}],
    ids=str,
)
def test_impossible_entries_raise(entries):
    config = {"model_type": "llama", **entries}
    with pytest.raises(UsageError, match=r"no rotation can be made from the config \(.*\); restore"):
        rotary_from_config(config)
    with pytest.raises(UsageError, match=r"no rotation can be made from the config|hidden_size is '4096'"):
        from_config(config)


def test_longrope_after_a_training_of_one_position_raises():
    rope = {"rope_type": "longrope", "short_factor": [1.0], "long_factor": [1.0], "factor": 2.0}
    config = {"model_type": "llama", "head_dim": 2, "rope_parameters": rope, "max_position_embeddings": 1}
    with pytest.raises(UsageError, match="original_max_positions must be above 1 and finite, not 1"):
        rotary_from_config(config)


def test_longrope_lists_of_another_length_raise():
    rope = {"rope_type": "longrope", "short_factor": [1.0], "long_factor": [1.0], "factor": 2.0}
    config = {"model_type": "llama", "head_dim": 8, "rope_parameters": rope, "max_position_embeddings": 64}
    with pytest.raises(UsageError, match="short_factor has 1 number, but 8 rotated components form 4 pairs"):
        rotary_from_config(config)


def test_unknown_layer_type_raises():
    config = Gemma3TextConfig(hidden_size=64, num_attention_heads=2, head_dim=32).to_dict()
    with pytest.raises(UsageError, match=re.escape("this config has ['full_attention', 'sliding_attention']")):
        rotary_from_config(config)


def test_length_is_the_largest_position_plus_one():
    rotary = rotary_from_config(llama("dynamic").to_dict())
    late = rotary.angles(torch.tensor([999]))
    assert torch.equal(late[0][0], rotary.angles(torch.arange(1000))[0][999])
    assert rotary.angles(torch.arange(0))[0].shape == (0, 16)
