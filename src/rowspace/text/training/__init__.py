"""Text → a tokenizer.json trained on it; `default_tokenizer.py` keeps one that is trained on the standard library.

Start at train.py; options.py holds the choices.
"""

from rowspace.text.training.default_tokenizer import STANDARD_SIZE, kept_standard_tokenizer, standard_tokenizer
from rowspace.text.training.options import WORDS, WORDS_ONLY, TokenizerOptions
from rowspace.text.training.train import train_tokenizer

__all__ = [
    "STANDARD_SIZE",
    "WORDS",
    "WORDS_ONLY",
    "TokenizerOptions",
    "kept_standard_tokenizer",
    "standard_tokenizer",
    "train_tokenizer",
]
