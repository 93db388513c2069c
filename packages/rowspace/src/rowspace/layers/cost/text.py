"""The costs of text models, computed from their config: one function per family, `TEXT` by model type.

Each is for the model that transformers builds for its published task: BERT for pretraining, with pooler and
next-sentence head in `body`; RoBERTa, ALBERT and ModernBERT for masked tokens; the others for the next token.
"""

from collections.abc import Callable, Mapping
from typing import Any

from rowspace.layers.cost.counts import Cost, attention, classic_block, feed_forward, layer_norm, linear

Config = Mapping[str, Any]


def table_only(c: Config) -> Cost:
    """A table and the matrix of its head, for a config without a model type."""
    return _text(c, dim=c["hidden_size"], layers=None, scheme="unknown", tie_word_embeddings=True)


def bert(c: Config) -> Cost:
    """Word + position + segment → LayerNorm; the head has a transform."""
    d = c["hidden_size"]
    pooler, next_sentence = linear(d, d), linear(d, 2)
    body = c["num_hidden_layers"] * classic_block(d, c["intermediate_size"]) + pooler + next_sentence
    return _masked(c, row_dim=d, transform=d * d, body=body, own=linear(d, d) + layer_norm(d) + c["vocab_size"])


def roberta(c: Config) -> Cost:
    """As BERT, without pooler and next-sentence head; the config includes the rows before the first position."""
    d = c["hidden_size"]
    body = c["num_hidden_layers"] * classic_block(d, c["intermediate_size"])
    return _masked(c, row_dim=d, transform=d * d, body=body, own=linear(d, d) + layer_norm(d) + c["vocab_size"])


def albert(c: Config) -> Cost:
    """Narrow rows, LayerNorm, then a projection; the layers of a group share the weights of a block."""
    e, d = c["embedding_size"], c["hidden_size"]
    body = c["num_hidden_groups"] * c["inner_group_num"] * classic_block(d, c["intermediate_size"])
    own = linear(d, e) + layer_norm(e) + c["vocab_size"]
    return _masked(c, row_dim=e, transform=d * e, body=body, own=own, projection=linear(e, d), input_products=e * d)


def modernbert(c: Config) -> Cost:
    """Rows → LayerNorm without bias; rotary positions; the first block has no norm before its attention."""
    d, n = c["hidden_size"], c["num_hidden_layers"]
    block = attention(d, bias=False) + linear(d, 2 * c["intermediate_size"], bias=False)
    block += linear(c["intermediate_size"], d, bias=False) + 2 * d
    body = n * block - d + d  # no norm before the first attention, one after the last block
    own = d * d + d + c["vocab_size"]
    return _text(c, dim=d, layers=n, scheme="rotary", norm=d, body=body, own=own, transform=d * d)


def gpt2(c: Config) -> Cost:
    """Word + position, no norm; tied."""
    d, n = c["n_embd"], c["n_layer"]
    body = n * classic_block(d, c["n_inner"] or 4 * d) + layer_norm(d)
    return _text(c, dim=d, layers=n, scheme="learned", positions=c["n_positions"] * d, body=body)


def opt(c: Config) -> Cost:
    """Two more position rows than positions; the 350M model projects its rows, and back for the head."""
    d, n, e = c["hidden_size"], c["num_hidden_layers"], c["word_embed_proj_dim"] or c["hidden_size"]
    body = n * classic_block(d, c["ffn_dim"])
    body += layer_norm(d) * (c["do_layer_norm_before"] and not c["_remove_final_layer_norm"])
    between = e * d * (e != d)
    sizes = {"positions": (c["max_position_embeddings"] + 2) * d, "projection": between, "input_products": between}
    return _text(c, dim=d, layers=n, scheme="learned", row_dim=e, **sizes, body=body, own=between, transform=between)


def bloom(c: Config) -> Cost:
    """Rows → LayerNorm; ALiBi; tied."""
    d, n = c["hidden_size"], c["n_layer"]
    body = n * classic_block(d, 4 * d) + layer_norm(d)
    return _text(c, dim=d, layers=n, scheme="alibi", norm=layer_norm(d), body=body)


def mpt(c: Config) -> Cost:
    """Rows only; ALiBi; no biases, also in norms."""
    d, n = c["d_model"], c["n_layers"]
    block = attention(d, bias=False) + feed_forward(d, c["expansion_ratio"] * d, bias=False) + 2 * d
    return _text(c, dim=d, layers=n, scheme="alibi", body=n * block + d)


def gpt_neox(c: Config) -> Cost:
    """Rows only; rotary positions on a part of each head; untied."""
    d, n = c["hidden_size"], c["num_hidden_layers"]
    body = n * classic_block(d, c["intermediate_size"]) + layer_norm(d)
    return _text(c, dim=d, layers=n, scheme="rotary", body=body)


def phi(c: Config) -> Cost:
    """Rows only; one LayerNorm for both halves of a block; the head has a bias."""
    d, n = c["hidden_size"], c["num_hidden_layers"]
    block = attention(d, keys=_key_width(c)) + feed_forward(d, c["intermediate_size"]) + layer_norm(d)
    return _text(c, dim=d, layers=n, scheme="rotary", body=n * block + layer_norm(d), own=c["vocab_size"])


def llama(c: Config, *, norms: int = 2, experts: int = 0, qkv_bias: bool = False, qk_norm: bool = False) -> Cost:
    """Rows only; rotary positions; RMSNorm, gated feed-forward, fewer key heads than query heads."""
    d, n = c["hidden_size"], c["num_hidden_layers"]
    queries, keys = _head_dim(c) * c["num_attention_heads"], _key_width(c)
    block = attention(d, queries=queries, keys=keys, bias=False) + norms * d
    block += max(1, experts) * feed_forward(d, c["intermediate_size"], bias=False, gated=True) + experts * d
    block += qkv_bias * (queries + 2 * keys) + qk_norm * 2 * _head_dim(c)
    return _text(c, dim=d, layers=n, scheme="rotary", body=n * block + d)


def t5(c: Config) -> Cost:
    """One table for encoder, decoder and head; the relative bias is in the first block of each stack."""
    d, width, encoders = c["d_model"], c["d_kv"] * c["num_heads"], c["num_layers"]
    decoders = c["num_decoder_layers"] or encoders
    attend = attention(d, queries=width, bias=False) + d
    gated = c["feed_forward_proj"].startswith("gated-")
    feed = feed_forward(d, c["d_ff"], bias=False, gated=gated) + d
    body = encoders * (attend + feed) + decoders * (2 * attend + feed) + 2 * d
    positions = 2 * c["relative_attention_num_buckets"] * c["num_heads"]
    # T5 v1.1: transformers 5 writes that the head is unscaled, earlier versions wrote that it is untied.
    c = {**c, "tie_word_embeddings": c["tie_word_embeddings"] and c.get("scale_decoder_outputs", True)}
    return _text(c, dim=d, layers=encoders + decoders, scheme="relative", positions=positions, body=body)


def clip_text(c: Config) -> Cost:
    """Word + position, no norm; the state of the last token is projected, so there are no logits."""
    d, n = c["hidden_size"], c["num_hidden_layers"]
    body = n * classic_block(d, c["intermediate_size"]) + layer_norm(d)
    if "projection_size" in c:  # SigLIP's own head
        body += linear(d, c["projection_size"] or d)
    positions = c["max_position_embeddings"] * d
    return _text(c, dim=d, layers=n, scheme="learned", positions=positions, body=body, headless=True)


def _masked(c: Config, *, row_dim: int, transform: int, body: int, own: int, **sizes: int) -> Cost:
    """The common part of BERT models: three tables and a LayerNorm, all of the dimension of the rows."""
    return _text(
        c,
        dim=c["hidden_size"],
        layers=c["num_hidden_layers"],
        scheme="learned",
        row_dim=row_dim,
        positions=c["max_position_embeddings"] * row_dim,
        segments=c["type_vocab_size"] * row_dim,
        norm=layer_norm(row_dim),
        body=body,
        own=own,
        transform=transform,
        **sizes,
    )


def _text(c: Config, *, dim: int, layers: int | None, scheme: str, **sizes: Any) -> Cost:
    """A token table and its head: `own` parameters of the head without the matrix, `transform` products before it."""
    sizes = {"row_dim": dim, "own": 0, "transform": 0, "headless": False, "tie_word_embeddings": True} | sizes
    own, transform, headless = sizes.pop("own"), sizes.pop("transform"), sizes.pop("headless")
    tied = c.get("tie_word_embeddings", sizes.pop("tie_word_embeddings"))
    matrix = c["vocab_size"] * sizes["row_dim"]
    return Cost(
        model_type=c.get("model_type", ""),
        num_embeddings=c["vocab_size"],
        hidden_dim=dim,
        num_layers=layers,
        tied=tied,
        position_scheme=scheme,
        tokens=matrix,
        head=own + matrix * (not tied),
        head_products=0 if headless else transform + matrix,
        **sizes,
    )


def _head_dim(c: Config) -> int:
    """The dimension of a head."""
    return int(c.get("head_dim") or c["hidden_size"] // c["num_attention_heads"])


def _key_width(c: Config) -> int:
    """The total dimension of all key heads."""
    return _head_dim(c) * int(c["num_key_value_heads"] or c["num_attention_heads"])


TEXT: dict[str, Callable[[Config], Cost]] = {
    "": table_only,
    "bert": bert,
    "roberta": roberta,
    "xlm-roberta": roberta,
    "albert": albert,
    "modernbert": modernbert,
    "gpt2": gpt2,
    "opt": opt,
    "bloom": bloom,
    "mpt": mpt,
    "gpt_neox": gpt_neox,
    "phi": phi,
    "phi3": llama,
    "llama": llama,
    "mistral": llama,
    "mixtral": lambda c: llama(c, experts=c["num_local_experts"]),
    "qwen2": lambda c: llama(c, qkv_bias=True),
    "qwen3": lambda c: llama(c, qk_norm=True),
    "gemma": llama,
    "gemma2": lambda c: llama(c, norms=4),
    "gemma3_text": lambda c: llama(c, norms=4, qk_norm=True),
    "t5": t5,
    "clip_text_model": clip_text,
    "siglip_text_model": clip_text,
}
