"""The costs of text models, computed from their config: one function per family, `TEXT` by model type.

Each is for the model that transformers builds for its published task: BERT for pretraining, with pooler and
next-sentence head in `body`; RoBERTa, ALBERT and ModernBERT for masked tokens; the others for the next token.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from rowspace.layers.cost.counts import Cost, attention, classic_block, feed_forward, layer_norm, linear
from rowspace.layers.tables.ngrams import primes_from

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


def gemma3n(c: Config) -> Cost:
    """As Gemma 3, with rows for each layer, AltUp and low-rank residuals; later layers have no keys of their own."""
    d, k, p = c["hidden_size"], c["altup_num_inputs"], c["hidden_size_per_layer_input"]
    inner = c["intermediate_size"]
    inner = inner if isinstance(inner, list) else [inner] * c["num_hidden_layers"]
    plain = llama({**c, "intermediate_size": 0}, norms=4, qk_norm=True)
    body = (plain.body or 0) + sum(feed_forward(d, each, bias=False, gated=True) for each in inner)
    body -= c["num_kv_shared_layers"] * (2 * d * _key_width(c) + _head_dim(c))
    streams = 2 * d + d * k + k**2 + k**3
    body += len(inner) * (streams + 2 * d * c["laurel_rank"] + d + 2 * d * p + d) + 2 * (k - 1) * d * d
    return replace(gemma4(c), body=body)


def gemma4(c: Config) -> Cost:
    """Rows, and rows for each layer; `body` is not counted."""
    d, n, p = c["hidden_size"], c["num_hidden_layers"], c["hidden_size_per_layer_input"] or 0
    wide = n * p
    sizes = {"per_layer": c["vocab_size_per_layer_input"] * wide, "second_dim": wide, "second_reads": min(1, wide)}
    return _text(
        c, dim=d, layers=n, scheme="rotary", **sizes, projection=d * wide, input_products=d * wide, norm=p, body=None
    )


def qwen4(c: Config) -> Cost:
    """Rows, and in some layers those of n-grams (Engram); `body` is not counted."""
    d, tables, layers = c["hidden_size"], (c["ngram_size"] - 1) * c["heads_per_ngram"], len(c["ple_layer_ids"] or ())
    heads = list(islice(primes_from(c["ngram_vocab_size_base"]), tables * layers))
    multiple = c["make_ngram_vocab_size_divisible_by"]
    rows = sum(-(-sum(heads[at : at + tables]) // multiple) * multiple for at in range(0, len(heads), tables))
    dim = (c["ple_embed_dim"] or d) // tables
    sizes = {"ngrams": rows * dim, "second_dim": dim, "second_reads": len(heads)}
    return _text(c, dim=d, layers=c["num_hidden_layers"], scheme="rotary", **sizes, body=None)


def blt(c: Config) -> Cost:
    """Rows of bytes and of byte n-grams; blocks of bytes, patches and bytes, and a model that cuts the patches."""
    first, last, middle, patcher = (c[f"{name}_config"] for name in ("encoder", "decoder", "global", "patcher"))
    d, wide, vocab = first["hidden_size"], middle["hidden_size"], c["vocab_size"]
    reads = c["encoder_hash_byte_group_nb_functions"] * len(c["encoder_hash_byte_group_size"] or range(6))
    joined = d * c["cross_attn_k"]
    body = sum(map(_blt_blocks, (first, middle, last))) + wide * joined * (joined != wide)
    body += first["cross_attn_k"] * d * d + last["hidden_size"] * (
        last["hidden_size_global"] * last["cross_attn_k"] + 1
    )
    if c["patch_in_forward"]:
        body += _blt_blocks(patcher) + (2 * patcher["vocab_size"] + 1) * patcher["hidden_size"]
    sizes = {"ngrams": reads * c["encoder_hash_byte_group_vocab"] * d, "second_dim": d, "second_reads": reads}
    layers = sum(each["num_hidden_layers"] for each in (first, middle, last))
    return _text(c, dim=d, layers=layers, scheme="rotary", **sizes, body=body, own=vocab * (last["hidden_size"] - d))


def _blt_blocks(c: Config) -> int:
    """Blocks as Llama's, some with a cross-attention between bytes and patches."""
    d, n = c["hidden_size"], c["num_hidden_layers"]
    attend = attention(d, keys=_key_width(c), bias=False) + 2 * d
    across = (n if c["cross_attn_all_layers"] else 1) if "cross_attn_all_layers" in c else 0
    inner = int(c["intermediate_size"] or 8 * d // 3)
    return int((n + across) * attend + n * feed_forward(d, inner, bias=False, gated=True))


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
    "gemma3n_text": gemma3n,
    "gemma4_text": gemma4,
    "qwen4_exp_text": qwen4,
    "blt": blt,
    "gemma3_text": lambda c: llama(c, norms=4, qk_norm=True),
    "t5": t5,
    "clip_text_model": clip_text,
    "siglip_text_model": clip_text,
}
