"""A tokenizer and a text → numbers that explain it: the tokens of words, smaller vocabularies, coverage of a corpus.

Start at truncation.py (smaller vocabularies) or coverage.py.
"""

from rowspace.text.inspect.coverage import Coverage, measure_coverage
from rowspace.text.inspect.truncation import (
    SplitToken,
    minimum_size,
    split_tokens,
    tokenize_at_sizes,
    truncate_counts,
    truncate_vocabulary,
)

__all__ = [
    "Coverage",
    "SplitToken",
    "measure_coverage",
    "minimum_size",
    "split_tokens",
    "tokenize_at_sizes",
    "truncate_counts",
    "truncate_vocabulary",
]
