"""A small BERT with random weights and a WordPiece tokenizer, as a folder of transformers."""

from pathlib import Path

import torch
from transformers import BertConfig, BertModel, BertTokenizer

__all__ = ["DIM", "save_bert"]

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = ["the", "cat", "dog", "sat", "on", "mat", "new", "york", "+", "ran", "red", "##ly", "東", "京"]
VOCABULARY = ["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *LETTERS]
VOCABULARY += [f"##{letter}" for letter in LETTERS]
DIM = 24


def save_bert(folder: Path) -> None:
    """Save the model, always with the same weights."""
    ids = {token: number for number, token in enumerate(VOCABULARY)}
    BertTokenizer(vocab=ids, model_max_length=16).save_pretrained(folder)
    torch.manual_seed(0)
    sizes = {"hidden_size": DIM, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = BertConfig(vocab_size=len(VOCABULARY), max_position_embeddings=16, initializer_range=0.5, **sizes)
    BertModel(config).save_pretrained(folder)
