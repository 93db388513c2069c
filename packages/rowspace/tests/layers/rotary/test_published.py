"""`rotary_from_config` against transformers' rotary modules and `apply_rotary_pos_emb`, by model type."""

import json

import pytest
import torch
from tests.layers.rotary.published import agrees, layers_of, rotary_configs, rotated

from rowspace.errors import UsageError
from rowspace.layers import MultimodalRotaryPosition, RotaryPosition, rotary_from_config
from rowspace.layers.rotary.models import known_models

# One of each kind: plain, another base, part of a head, interleaved, a flag, latent attention, two rotations, sections.
SOME = (
    "llama", "mixtral", "smollm3", "gpt_oss", "stablelm", "qwen3_next", "cohere2_moe", "ernie4_5_moe", "gpt_neox",
    "deepseek_v2", "deepseek_v3", "llama4_text", "moonshine_streaming", "gemma3_text", "qwen2_vl_text", "qwen3_vl_text",
    "neomme",
)  # fmt: skip
# The defaults of these classes are inconsistent: no model can be built without another size.
UNFIT = {
    "glm4_moe",
    "glm4v_text",
    "glm4v_moe_text",
    "glm_image_text",
    "qwen3_omni_moe_text",
    "qwen3_omni_moe_talker_text",
}
UNFIT |= {"qwen3_5_text", "qwen3_5_moe_text"}


@pytest.mark.filterwarnings("ignore")
def test_rotation_of_each_model_type_matches_transformers(long_form):
    # every config.json twice: complete, and without the defaults of its class
    checked = set()
    for kind in rotary_configs(*(() if long_form else SOME)):
        model = known_models().get(kind.model_type)
        if model is None or kind.model_type in UNFIT:
            continue
        config = kind()
        for written in (config.to_dict(), config.to_diff_dict()):
            for layer_type in layers_of(config, tuple(model.layers)):
                assert agrees(kind, written, layer_type), f"{kind.model_type}, {layer_type}: {sorted(written)}"
        checked.add(kind.model_type)
    assert checked >= set(SOME)


def test_rotation_is_exact_for_the_same_order_of_components():
    for kind in rotary_configs("llama", "cohere", "stablelm"):
        config = kind()
        ours = rotary_from_config(config.to_dict())
        q, positions = torch.randn(1, 2, 4, ours.head_dim), torch.tensor([[0, 1, 2, 700]])
        assert torch.equal(ours(q, q, positions)[0], rotated(config, q, positions)), kind.model_type


def test_empty_config_has_the_defaults_of_its_class():
    expected = {"mixtral": 1e6, "smollm3": 2e6, "gpt_oss": 150000, "cohere": 5e5, "llama": 1e4}
    assert {name: rotary_from_config({"model_type": name}).base for name in expected} == expected
    shares = {"stablelm": 0.25, "qwen3_next": 0.25, "glm4": 0.5, "llama": 1.0}
    for name, share in shares.items():
        rotary = rotary_from_config({"model_type": name})
        assert rotary.rotary_dim == share * rotary.head_dim, name


def test_null_share_rotates_the_whole_head():
    # transformers fills in the share of a class only if config.json has no such entry
    for name in ("glm", "phi", "stablelm"):
        kind = next(rotary_configs(name))
        written = {**kind().to_diff_dict(), "partial_rotary_factor": None}
        del written["rope_parameters"]
        assert agrees(kind, written), name
        rotary = rotary_from_config({"model_type": name, **written})
        assert rotary.rotary_dim == rotary.head_dim, name


def test_head_dim_that_transformers_computes_is_not_read_from_the_config():
    sizes = {"hidden_size": 256, "num_attention_heads": 4, "head_dim": 128}
    assert rotary_from_config({"model_type": "unlimited_ocr_text", **sizes}).head_dim == 64
    assert agrees(next(rotary_configs("unlimited_ocr_text")), sizes)


def test_share_that_a_model_type_always_has_may_be_written():
    bamba = {"model_type": "bamba", "hidden_size": 256, "num_attention_heads": 4}
    assert rotary_from_config({**bamba, "partial_rotary_factor": 0.5}).rotary_dim == 32
    with pytest.raises(UsageError, match="'bamba' has partial_rotary_factor, which is unknown"):
        rotary_from_config({**bamba, "partial_rotary_factor": 0.25})


def test_latent_attention_rotates_a_separate_part():
    config = {"model_type": "deepseek_v3", "hidden_size": 7168, "num_attention_heads": 128, "qk_rope_head_dim": 64}
    rotary = rotary_from_config(config)
    assert (rotary.head_dim, rotary.rotary_dim, rotary.layout) == (64, 64, "interleaved")
    assert rotary_from_config({**config, "rope_interleave": False}).layout == "half"


def test_flat_text_config_of_the_first_qwen2_vl():
    # as in the config.json of Qwen/Qwen2-VL-7B-Instruct
    rope = {"type": "mrope", "mrope_section": [16, 24, 24]}
    sizes = {"hidden_size": 3584, "num_attention_heads": 28, "rope_theta": 1000000.0}
    rotary = rotary_from_config({"model_type": "qwen2_vl", **sizes, "rope_scaling": rope})
    assert isinstance(rotary, MultimodalRotaryPosition)
    assert (rotary.sections, rotary.base, rotary.head_dim) == ((16, 24, 24), 1e6, 128)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"model_type": "xlstm"}, "model_type 'xlstm' is unknown"),
        ({"model_type": "unknown"}, "pass head_dim, base, layout and rotary_dim to RotaryPosition"),
        ({"hidden_size": 8, "num_attention_heads": 2}, "the config has no model_type"),
        ({"model_type": "nested", "text_config": {"model_type": "llama"}}, r"pass .* config\['text_config'\]"),
        ({"model_type": "llama", "rope_scaling": {"type": "mrope", "mrope_section": [1]}}, "'llama' has mrope_section"),
        ({"model_type": "llama", "rope_parameters": {"a": {"rope_theta": 1e4}}}, "one rotation for all layers"),
        (
            {"model_type": "cwm", "rope_parameters": {"rope_theta": 1e4, "partial_rotary_factor": 0.5}},
            "'cwm' has partial_rotary_factor in rope_parameters, which is unknown",
        ),
        (
            {"model_type": "gemma3_text", "rope_scaling": {"type": "linear", "factor": 8.0}},
            "rope_scaling of a 'gemma3_text' has no rope_type, and transformers ignores type",
        ),
        ({"model_type": "lfm3", "rope_theta": 5.0}, "this type needs rope_parameters for each layer type"),
    ],
)
def test_unknown_configs_raise(config, message):
    with pytest.raises(UsageError, match=message):
        rotary_from_config(config, layer_type="full_attention")


def test_table_contains_only_types_of_transformers():
    import transformers

    assert not known_models().keys() - set(transformers.CONFIG_MAPPING) - {"qwen2_vl", "qwen2_5_vl"}
    assert isinstance(rotary_from_config(json.loads('{"model_type": "gptj"}')), RotaryPosition)
