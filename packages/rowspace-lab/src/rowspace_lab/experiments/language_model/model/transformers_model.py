"""A model as a transformers checkpoint with the same logits, where transformers has a class for its blocks.

| block | positions | class |
|---|---|---|
| llama | rotary | `LlamaForCausalLM` |
| llama | none | `SmolLM3ForCausalLM` |
| gpt2 | rotary | `GPTNeoXForCausalLM`, without parallel residuals |
| gpt2 | learned, sinusoid, none | `GPT2LMHeadModel`; its rows of positions are the sinusoids, or zeros |
| mpt | alibi | `MptForCausalLM`, with mlp_ratio 4 |

Scaled rows are written as they are after scaling, next to the head's own. transformers itself is not needed.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import torch as safetensors
from torch import Tensor

from rowspace.layers import SinusoidPosition
from rowspace.table import Table
from rowspace_lab.experiments.language_model.model.model import NORM_EPS
from rowspace_lab.experiments.language_model.options import ModelOptions

__all__ = ["reason_against_export", "transformers_model", "write_model"]

Weights = Mapping[str, Tensor]
Tensors = dict[str, Tensor]
EXPORTABLE = {
    ("llama", "rotary"),
    ("llama", "none"),
    ("gpt2", "rotary"),
    ("gpt2", "learned"),
    ("gpt2", "sinusoid"),
    ("gpt2", "none"),
    ("mpt", "alibi"),
}
NEOX_BASE = 10_000.0
QUERY_KEY_VALUE = ("query", "key", "value")
ENDS = ("weight", "bias")
MAX_CONTEXTS = 4  # contexts: how far a class with a limit can read


def reason_against_export(options: ModelOptions) -> str | None:
    """Return why no class of transformers computes what this model does, as a sentence; None if one does."""
    if (options.block, options.positions) not in EXPORTABLE:
        blocks = [block for block, positions in sorted(EXPORTABLE) if positions == options.positions]
        return (
            f"transformers has no model with {options.block} blocks and positions={options.positions!r}, so model/ is "
            f"not written; with these positions it has block={' or '.join(map(repr, blocks))}"
        )
    if options.block == "mpt" and options.inner_dim != 4 * options.dim:
        return "transformers' MPT has mlp_ratio 4 only, so model/ is not written"
    return None


def write_model(folder: Path, weights: Weights, options: ModelOptions, context: int, table: Table) -> str | None:
    """Write config.json, model.safetensors and the tokenizer; return why nothing is written, or None."""
    reason = reason_against_export(options)
    if reason is not None:
        return reason
    config, tensors = transformers_model(weights, options, context)
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config, indent=1), encoding="utf-8")
    (folder / "model.safetensors").write_bytes(safetensors.save(tensors, {"format": "pt"}))
    if table.tokenizer is not None:
        (folder / "tokenizer.json").write_text(table.tokenizer, encoding="utf-8")
        kind = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}
        (folder / "tokenizer_config.json").write_text(json.dumps(kind), encoding="utf-8")
    return None


def transformers_model(weights: Weights, options: ModelOptions, context: int) -> tuple[dict[str, Any], Tensors]:
    """Return the config and the tensors that a class of transformers loads.

    Args:
        weights: The state dict of a `LanguageModel`.
        options: Its shape, for which `reason_against_export` returns None.
        context: The trained length.

    Returns:
        The content of config.json, and the tensors by transformers' names.
    """
    convert = {"llama": _llama, "mpt": _mpt, "gpt2": _neox if options.positions == "rotary" else _gpt2}[options.block]
    weights = {name: tensor.detach().cpu() for name, tensor in weights.items()}
    rows = weights["input.tokens.weight"]
    head = rows if options.tied else weights["head.weight"]
    config, tensors, (input_name, head_name) = convert(weights, options, context)
    tensors[input_name] = rows * options.dim**0.5 if options.scaled else rows
    is_tied = options.tied and not options.scaled
    if not is_tied:
        tensors[head_name] = head
    config |= {
        "vocab_size": len(rows),
        "tie_word_embeddings": is_tied,
        "dtype": "float32",
        "bos_token_id": None,
        "eos_token_id": None,
        "pad_token_id": None,
    }
    return config, {name: tensor.clone().contiguous() for name, tensor in tensors.items()}


Converted = tuple[dict[str, Any], Tensors, tuple[str, str]]


def _llama(weights: Weights, options: ModelOptions, context: int) -> Converted:
    """Llama, or without positions SmolLM3, whose layers may leave out the rotation."""
    names = {
        "attention_norm": "input_layernorm",
        "query": "self_attn.q_proj",
        "key": "self_attn.k_proj",
        "value": "self_attn.v_proj",
        "output": "self_attn.o_proj",
        "mlp_norm": "post_attention_layernorm",
        "mlp.gate": "mlp.gate_proj",
        "mlp.up": "mlp.up_proj",
        "mlp.down": "mlp.down_proj",
    }
    tensors = _renamed(weights, options, "model.layers", names)
    tensors["model.norm.weight"] = weights["norm.weight"]
    rotates = options.positions == "rotary"
    config: dict[str, Any] = {
        "model_type": "llama" if rotates else "smollm3",
        "architectures": ["LlamaForCausalLM" if rotates else "SmolLM3ForCausalLM"],
        "hidden_size": options.dim,
        "intermediate_size": options.inner_dim,
        "num_hidden_layers": options.layers,
        "num_attention_heads": options.heads,
        "num_key_value_heads": options.heads,
        "hidden_act": "silu",
        "rms_norm_eps": NORM_EPS,
        "max_position_embeddings": MAX_CONTEXTS * context,
        "rope_parameters": {"rope_type": "default", "rope_theta": NEOX_BASE},
    }
    if not rotates:
        config["no_rope_layers"] = [0] * options.layers
    return config, tensors, ("model.embed_tokens.weight", "lm_head.weight")


def _neox(weights: Weights, options: ModelOptions, context: int) -> Converted:
    names = {
        "attention_norm": "input_layernorm",
        "output": "attention.dense",
        "mlp_norm": "post_attention_layernorm",
        "mlp.up": "mlp.dense_h_to_4h",
        "mlp.down": "mlp.dense_4h_to_h",
    }

    def by_head(parts: list[Tensor]) -> Tensor:
        """Head by head its query, key and value: (heads, 3, head_dim, ...) → (3 d, ...)."""
        shaped = [part.reshape(options.heads, options.head_dim, -1) for part in parts]
        return torch.stack(shaped, dim=1).reshape(3 * options.dim, *parts[0].shape[1:])

    tensors = _renamed(weights, options, "gpt_neox.layers", names)
    tensors |= _joined(weights, options, "gpt_neox.layers", "attention.query_key_value", by_head)
    tensors |= {f"gpt_neox.final_layer_norm.{end}": weights[f"norm.{end}"] for end in ENDS}
    config = {
        "model_type": "gpt_neox",
        "architectures": ["GPTNeoXForCausalLM"],
        "hidden_size": options.dim,
        "intermediate_size": options.inner_dim,
        "num_hidden_layers": options.layers,
        "num_attention_heads": options.heads,
        "hidden_act": "gelu_new",
        "layer_norm_eps": NORM_EPS,
        "use_parallel_residual": False,
        "max_position_embeddings": MAX_CONTEXTS * context,
        "rope_parameters": {"rope_type": "default", "rope_theta": NEOX_BASE, "partial_rotary_factor": 1.0},
    }
    return config, tensors, ("gpt_neox.embed_in.weight", "lm_head.weight")


def _gpt2(weights: Weights, options: ModelOptions, context: int) -> Converted:
    """GPT-2, whose matrices are transposed; sinusoids and the lack of positions are rows of its table of positions."""
    names = {
        "attention_norm": "ln_1",
        "output": "attn.c_proj",
        "mlp_norm": "ln_2",
        "mlp.up": "mlp.c_fc",
        "mlp.down": "mlp.c_proj",
    }
    tensors = _renamed(weights, options, "transformer.h", names)
    tensors |= _joined(weights, options, "transformer.h", "attn.c_attn", torch.cat)
    tensors = {name: tensor.t() if tensor.ndim == 2 else tensor for name, tensor in tensors.items()}
    tensors |= {f"transformer.ln_f.{end}": weights[f"norm.{end}"] for end in ENDS}
    if options.positions == "learned":
        positions = weights["input.positions.weight"]
    elif options.positions == "sinusoid":
        positions = SinusoidPosition(options.dim)(torch.zeros(1, MAX_CONTEXTS * context))
    else:
        positions = torch.zeros(MAX_CONTEXTS * context, options.dim)
    tensors["transformer.wpe.weight"] = positions
    config = {
        "model_type": "gpt2",
        "architectures": ["GPT2LMHeadModel"],
        "n_embd": options.dim,
        "n_inner": options.inner_dim,
        "n_layer": options.layers,
        "n_head": options.heads,
        "n_positions": len(positions),
        "activation_function": "gelu_new",
        "layer_norm_epsilon": NORM_EPS,
        "resid_pdrop": 0.0,
        "embd_pdrop": 0.0,
        "attn_pdrop": 0.0,
    }
    return config, tensors, ("transformer.wte.weight", "lm_head.weight")


def _mpt(weights: Weights, options: ModelOptions, context: int) -> Converted:
    names = {
        "attention_norm": "norm_1",
        "output": "attn.out_proj",
        "mlp_norm": "norm_2",
        "mlp.up": "ffn.up_proj",
        "mlp.down": "ffn.down_proj",
    }
    tensors = _renamed(weights, options, "transformer.blocks", names)
    tensors |= _joined(weights, options, "transformer.blocks", "attn.Wqkv", torch.cat)
    tensors["transformer.norm_f.weight"] = weights["norm.weight"]
    config = {
        "model_type": "mpt",
        "architectures": ["MptForCausalLM"],
        "d_model": options.dim,
        "n_heads": options.heads,
        "n_layers": options.layers,
        "expansion_ratio": 4,
        "max_seq_len": MAX_CONTEXTS * context,
        "layer_norm_epsilon": NORM_EPS,
        "no_bias": True,
        "attn_config": {"alibi": True, "alibi_bias_max": 8},
    }
    return config, tensors, ("transformer.wte.weight", "lm_head.weight")


def _renamed(weights: Weights, options: ModelOptions, prefix: str, names: Mapping[str, str]) -> Tensors:
    """The tensors of all blocks, with other names for their parts."""
    return {
        f"{prefix}.{layer}.{original}.{end}": weights[f"blocks.{layer}.{own}.{end}"]
        for layer in range(options.layers)
        for own, original in names.items()
        for end in ENDS
        if f"blocks.{layer}.{own}.{end}" in weights
    }


def _joined(
    weights: Weights, options: ModelOptions, prefix: str, name: str, join: Callable[[list[Tensor]], Tensor]
) -> Tensors:
    """The queries, keys and values of all blocks, each block's joined."""
    return {
        f"{prefix}.{layer}.{name}.{end}": join([weights[f"blocks.{layer}.{part}.{end}"] for part in QUERY_KEY_VALUE])
        for layer in range(options.layers)
        for end in ENDS
        if f"blocks.{layer}.query.{end}" in weights
    }
