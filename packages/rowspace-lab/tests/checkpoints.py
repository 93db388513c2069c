"""Tiny models of transformers with random weights, saved with a tokenizer of words, and opened as a lab."""

from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors

import rowspace as rs
from rowspace_lab.lab import Lab

WORDS = ["[PAD]", "[EOS]", "[BOS]", "[UNK]", "the", "cat", "dog", "sat", "on", "a", "flower", "temple", "picture", "of"]
SIZES = {"num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24}
IDS = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 2}


def save_model(model: Any, folder: Path) -> Lab:
    """Fill the model with random weights, save it with a tokenizer, and open it."""
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.3)
    model.eval().save_pretrained(folder)
    tokenizer = Tokenizer(models.WordLevel({word: id for id, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[BOS] $A [EOS]", special_tokens=[(name, WORDS.index(name)) for name in ("[BOS]", "[EOS]")]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return Lab(rs.load(folder), str(folder))
