"""A tokenizer and a text → numbers that explain it: its merges one by one, smaller vocabularies, coverage of a corpus.

Start at trace_training.py and trace_encoding.py (merges), truncation.py (smaller vocabularies) or coverage.py.
"""

from rowspace.text.inspect.coverage import Coverage, measure_coverage
from rowspace.text.inspect.segmentation import Merge
from rowspace.text.inspect.trace_encoding import trace_encoding
from rowspace.text.inspect.trace_training import trace_training
from rowspace.text.inspect.truncation import (
    SplitToken,
    cut_counts,
    cut_tokenizer,
    smallest_size,
    split_at_sizes,
    split_tokens,
)

__all__ = [
    "Coverage",
    "Merge",
    "SplitToken",
    "cut_counts",
    "cut_tokenizer",
    "measure_coverage",
    "smallest_size",
    "split_at_sizes",
    "split_tokens",
    "trace_encoding",
    "trace_training",
]
