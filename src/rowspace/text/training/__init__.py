"""Text → a tokenizer.json trained on it; `default_tokenizer.py` keeps one that is trained on the standard library.

Start at train.py; options.py holds the choices.
"""

from rowspace.text.training.default_tokenizer import (
    DEFAULT_VOCABULARY_SIZE,
    cached_default_tokenizer,
    default_tokenizer,
)
from rowspace.text.training.options import WORDS, WORDS_ONLY, TokenizerOptions
from rowspace.text.training.train import train_tokenizer

__all__ = [
    "DEFAULT_VOCABULARY_SIZE",
    "WORDS",
    "WORDS_ONLY",
    "TokenizerOptions",
    "cached_default_tokenizer",
    "default_tokenizer",
    "train_tokenizer",
]
