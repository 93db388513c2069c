"""Tiny models of transformers, one per text recipe, with random weights, so that none is zero or one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import torch
import transformers as tf

SIZES = {"vocab_size": 40, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
BERT = {**SIZES, "max_position_embeddings": 20, "pad_token_id": 1, "layer_norm_eps": 0.01}
QWEN2 = {**SIZES, "num_key_value_heads": 1, "bos_token_id": 2, "eos_token_id": 3, "pad_token_id": 1}
LLAMA = {**QWEN2, "head_dim": 8}
LAYERS = {"num_hidden_layers": 2, "layer_types": ["full_attention", "sliding_attention"]}
MODERNBERT = {**QWEN2, **LAYERS, "cls_token_id": 2, "sep_token_id": 3}
del MODERNBERT["num_key_value_heads"]
T5 = {"vocab_size": 40, "d_model": 16, "d_kv": 8, "d_ff": 8, "num_layers": 1, "num_heads": 2}
OPT = {"vocab_size": 40, "num_hidden_layers": 1, "ffn_dim": 8, "num_attention_heads": 2, "max_position_embeddings": 20}
MARIAN = {
    "vocab_size": 40,
    "d_model": 16,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 8,
    "decoder_ffn_dim": 8,
    "max_position_embeddings": 20,
    "pad_token_id": 1,
    "decoder_start_token_id": 1,
}
SCALED = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
SCALED |= {"original_max_position_embeddings": 64, "rope_theta": 500000.0}


class TextModel(NamedTuple):
    config: Callable[[], Any]
    model: type[Any]
    part: str | None = None

    def made(self, dtype: torch.dtype = torch.float32) -> Any:
        """A model with random weights, in eval mode."""
        torch.manual_seed(0)
        model = self.model(self.config()).eval()
        with torch.no_grad():
            for parameter in model.parameters():
                if parameter.requires_grad:  # Marian's sinusoids do not
                    parameter.normal_()
        return model.to(dtype)


MODELS = {
    "marian": TextModel(lambda: tf.MarianConfig(**MARIAN, scale_embedding=True), tf.MarianMTModel),
    "marian, not scaled": TextModel(lambda: tf.MarianConfig(**MARIAN), tf.MarianModel),
    "marian, two tables": TextModel(
        lambda: tf.MarianConfig(**MARIAN, share_encoder_decoder_embeddings=False, decoder_vocab_size=41),
        tf.MarianMTModel,
    ),
    "bert": TextModel(lambda: tf.BertConfig(**BERT), tf.BertModel),
    "bert, with a head": TextModel(lambda: tf.BertConfig(**BERT), tf.BertForMaskedLM),
    "roberta": TextModel(lambda: tf.RobertaConfig(**BERT, type_vocab_size=1), tf.RobertaModel),
    "xlm-roberta": TextModel(lambda: tf.XLMRobertaConfig(**BERT), tf.XLMRobertaForMaskedLM),
    "albert": TextModel(lambda: tf.AlbertConfig(**BERT, embedding_size=4), tf.AlbertModel),
    "gpt2": TextModel(
        lambda: tf.GPT2Config(vocab_size=40, n_embd=16, n_layer=1, n_head=2, n_positions=20), tf.GPT2LMHeadModel
    ),
    "opt": TextModel(lambda: tf.OPTConfig(**OPT, hidden_size=16), tf.OPTForCausalLM),
    "opt, factorized": TextModel(lambda: tf.OPTConfig(**OPT, hidden_size=16, word_embed_proj_dim=4), tf.OPTModel),
    "llama": TextModel(lambda: tf.LlamaConfig(**LLAMA), tf.LlamaForCausalLM),
    "llama 3.1": TextModel(lambda: tf.LlamaConfig(**LLAMA, rope_parameters=SCALED), tf.LlamaModel),
    "mistral": TextModel(lambda: tf.MistralConfig(**LLAMA), tf.MistralForCausalLM),
    "qwen2": TextModel(lambda: tf.Qwen2Config(**QWEN2), tf.Qwen2ForCausalLM),
    "qwen3": TextModel(lambda: tf.Qwen3Config(**LLAMA), tf.Qwen3ForCausalLM),
    "gemma": TextModel(lambda: tf.GemmaConfig(**{**LLAMA, "hidden_size": 24}), tf.GemmaForCausalLM),
    "gemma2": TextModel(lambda: tf.Gemma2Config(**{**LLAMA, "hidden_size": 24}), tf.Gemma2ForCausalLM),
    "gemma3_text": TextModel(
        lambda: tf.Gemma3TextConfig(**{**LLAMA, "hidden_size": 24, **LAYERS}), tf.Gemma3ForCausalLM
    ),
    "t5": TextModel(lambda: tf.T5Config(**T5), tf.T5ForConditionalGeneration),
    "t5, encoder": TextModel(lambda: tf.T5Config(**T5), tf.T5EncoderModel),
    "mt5": TextModel(lambda: tf.MT5Config(**T5), tf.MT5ForConditionalGeneration),
    "bloom": TextModel(
        lambda: tf.BloomConfig(vocab_size=40, hidden_size=16, n_layer=1, n_head=2, layer_norm_epsilon=0.01),
        tf.BloomForCausalLM,
    ),
    "mpt": TextModel(lambda: tf.MptConfig(vocab_size=40, d_model=16, n_layers=1, n_heads=2), tf.MptForCausalLM),
    "esm": TextModel(
        lambda: tf.EsmConfig(**BERT, mask_token_id=7, token_dropout=True, position_embedding_type="rotary"), tf.EsmModel
    ),
    "xlm": TextModel(
        lambda: tf.XLMConfig(vocab_size=40, emb_dim=16, n_layers=1, n_heads=2, pad_token_id=1), tf.XLMModel
    ),
    "modernbert": TextModel(lambda: tf.ModernBertConfig(**MODERNBERT), tf.ModernBertModel),
    "modernbert, with biases": TextModel(
        lambda: tf.ModernBertConfig(**MODERNBERT, norm_bias=True, norm_eps=0.01), tf.ModernBertForMaskedLM
    ),
}


def saved(model: Any, folder: Path, **options: Any) -> Path:
    """The folder written by `save_pretrained` of the model."""
    model.save_pretrained(folder, **options)
    return folder
