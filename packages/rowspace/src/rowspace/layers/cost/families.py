"""Config → cost, by the family of its model type: `config_cost`; and the defaults of transformers' config classes."""

from collections.abc import Mapping
from typing import Any

from rowspace.errors import UsageError
from rowspace.layers.cost.counts import Cost
from rowspace.layers.cost.patches import IMAGES
from rowspace.layers.cost.text import TEXT

DEFAULTS: dict[str, dict[str, Any]] = {}


def _defaults(model_types: str, **sizes: Any) -> None:
    for model_type in model_types.split():
        DEFAULTS[model_type] = DEFAULTS.get(model_type, {}) | sizes


_BASE = {"hidden_size": 768, "num_hidden_layers": 12, "intermediate_size": 3072}
_TOKENS = {"max_position_embeddings": 512, "type_vocab_size": 2, "tie_word_embeddings": True}
_IMAGES = {"image_size": 224, "patch_size": 16, "num_channels": 3}
_7B = {"vocab_size": 32000, "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "head_dim": None}

_defaults("bert", vocab_size=30522, **_BASE, **_TOKENS)
_defaults("roberta", vocab_size=50265, **_BASE, **_TOKENS)
_defaults("xlm-roberta", vocab_size=30522, **_BASE, **_TOKENS)
_defaults("albert", vocab_size=30000, embedding_size=128, hidden_size=4096, num_hidden_layers=12, **_TOKENS)
_defaults("albert", intermediate_size=16384, num_hidden_groups=1, inner_group_num=1)
_defaults("modernbert", vocab_size=50368, hidden_size=768, num_hidden_layers=22, intermediate_size=1152)
_defaults("modernbert", tie_word_embeddings=True)

_defaults("gpt2", vocab_size=50257, n_positions=1024, n_embd=768, n_layer=12, n_inner=None, tie_word_embeddings=True)
_defaults("opt", vocab_size=50272, max_position_embeddings=2048, tie_word_embeddings=True, word_embed_proj_dim=None)
_defaults("opt", hidden_size=768, num_hidden_layers=12, ffn_dim=3072)
_defaults("opt", do_layer_norm_before=True, _remove_final_layer_norm=False)
_defaults("bloom", vocab_size=250880, hidden_size=64, n_layer=2, tie_word_embeddings=True)
_defaults("mpt", vocab_size=50368, d_model=2048, n_layers=24, expansion_ratio=4, tie_word_embeddings=True)
_defaults("gpt_neox", vocab_size=50432, hidden_size=6144, num_hidden_layers=44, intermediate_size=24576)
_defaults("gpt_neox", tie_word_embeddings=False)
_defaults("phi", vocab_size=51200, hidden_size=2048, num_hidden_layers=24, intermediate_size=8192)
_defaults("phi", tie_word_embeddings=False, num_attention_heads=32, num_key_value_heads=None)

_defaults("llama", **_7B, num_key_value_heads=None, intermediate_size=11008, tie_word_embeddings=False)
_defaults("mistral mixtral", **_7B, num_key_value_heads=8, intermediate_size=14336, tie_word_embeddings=False)
_defaults("mixtral", num_local_experts=8)
_defaults("qwen2 qwen3", **_7B, num_key_value_heads=32, intermediate_size=22016, tie_word_embeddings=False)
_defaults("qwen2 qwen3", vocab_size=151936)
_defaults("qwen3", head_dim=128)
_defaults("phi3", **_7B, num_key_value_heads=None, intermediate_size=8192, tie_word_embeddings=False)
_defaults("phi3", vocab_size=32064, hidden_size=3072)
_defaults("gemma gemma2 gemma3_text", vocab_size=256000, head_dim=256, tie_word_embeddings=True)
_defaults("gemma", hidden_size=3072, num_hidden_layers=28, num_attention_heads=16, num_key_value_heads=16)
_defaults("gemma", intermediate_size=24576)
_defaults("gemma2 gemma3_text", hidden_size=2304, num_hidden_layers=26, num_attention_heads=8, num_key_value_heads=4)
_defaults("gemma2 gemma3_text", intermediate_size=9216)
_defaults("gemma3_text", vocab_size=262208)

_defaults("t5", vocab_size=32128, d_model=512, d_kv=64, d_ff=2048, num_layers=6, num_decoder_layers=None, num_heads=8)
_defaults("t5", relative_attention_num_buckets=32, feed_forward_proj="relu", tie_word_embeddings=True)

_defaults("vit deit", **_BASE, **_IMAGES, qkv_bias=True)
_defaults("dinov2 dinov2_with_registers", **_IMAGES, qkv_bias=True)
_defaults("dinov2 dinov2_with_registers", hidden_size=768, num_hidden_layers=12, mlp_ratio=4)
_defaults("dinov2", patch_size=14, use_mask_token=True, use_swiglu_ffn=False)
_defaults("dinov2_with_registers", num_register_tokens=4, use_swiglu_ffn=False)
_defaults("clip_vision_model siglip_vision_model", **_BASE, **_IMAGES)
_defaults("clip_vision_model", patch_size=32)
_defaults("siglip_vision_model", vision_use_head=True)
_defaults("clip_text_model", vocab_size=49408, hidden_size=512, num_hidden_layers=12, intermediate_size=2048)
_defaults("clip_text_model", max_position_embeddings=77)
_defaults("siglip_text_model", vocab_size=32000, **_BASE, max_position_embeddings=64, projection_size=None)


FAMILIES = TEXT | IMAGES


def config_cost(config: Mapping[str, Any]) -> Cost:
    """The cost of the config of one tower; raises `UsageError` for an unknown model type or a missing size."""
    model_type = config.get("model_type", "")
    if model_type not in FAMILIES:
        known = ", ".join(sorted(filter(None, FAMILIES)))
        raise UsageError(
            f"model_type must be one of {known}, not {model_type!r}; omit it to count only the token table and its head"
        )
    try:
        return FAMILIES[model_type]({**DEFAULTS.get(model_type, {}), **config})
    except KeyError as error:
        raise UsageError(f"config must have {error.args[0]!r}, but has {', '.join(config) or 'nothing'}") from None
