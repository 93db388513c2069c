"""Text → a tokenizer.json trained on it; `default_tokenizer.py` keeps one that is trained on the standard library.

Start at train.py.
"""

from rowspace.text.training.default_tokenizer import (
    DEFAULT_VOCABULARY_SIZE,
    cached_default_tokenizer,
    default_tokenizer,
)
from rowspace.text.training.train import train_tokenizer

__all__ = [
    "DEFAULT_VOCABULARY_SIZE",
    "cached_default_tokenizer",
    "default_tokenizer",
    "train_tokenizer",
]
