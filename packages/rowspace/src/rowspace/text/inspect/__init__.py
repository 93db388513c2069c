"""A tokenizer and a text → numbers that explain it: its merges one by one, smaller vocabularies, coverage of a corpus.

Start at trace_training.py and trace_encoding.py (merges), truncation.py (smaller vocabularies) or coverage.py.
"""

from rowspace.text.inspect.coverage import Coverage, measure_coverage
from rowspace.text.inspect.segmentation import Merge
from rowspace.text.inspect.split_tokens import SplitToken, split_tokens
from rowspace.text.inspect.trace_encoding import trace_encoding
from rowspace.text.inspect.trace_training import trace_training
from rowspace.text.inspect.truncation import (
    minimum_size,
    tokenize_at_sizes,
    truncate_counts,
    truncate_vocabulary,
)

__all__ = [
    "Coverage",
    "Merge",
    "SplitToken",
    "measure_coverage",
    "minimum_size",
    "split_tokens",
    "tokenize_at_sizes",
    "trace_encoding",
    "trace_training",
    "truncate_counts",
    "truncate_vocabulary",
]
