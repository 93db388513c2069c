"""A tiny BERT of transformers with random weights, whose tokens are words."""

from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast, RobertaConfig, RobertaModel

from rowspace.text import whitespace_json

SIZES = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 32}


def save_bert_of_words(folder: Path, words: Sequence[str]) -> None:
    """Save the model with its tokenizer; id i is words[i], and the last id is `[UNK]`."""
    (folder / "words.json").write_text(whitespace_json(words))
    PreTrainedTokenizerFast(tokenizer_file=str(folder / "words.json"), unk_token="[UNK]").save_pretrained(folder)
    torch.manual_seed(0)
    BertModel(BertConfig(vocab_size=len(words) + 1, max_position_embeddings=8, **SIZES)).save_pretrained(folder)


def save_roberta_of_words(folder: Path, words: Sequence[str]) -> None:
    """Save a RoBERTa in its place, which has 12 positions and reads 10 ids; words[1] is padding."""
    save_bert_of_words(folder, words)
    config = RobertaConfig(vocab_size=len(words) + 1, max_position_embeddings=12, pad_token_id=1, **SIZES)
    RobertaModel(config).save_pretrained(folder)
