"""The figures of several tokenizers applied to one text."""

from collections.abc import Sequence

import numpy as np

from rowspace.table import Table
from rowspace.text import HuggingFaceTokenizer, Tokenizer, default_tokenizer, open_tokenizer
from rowspace_lab.pages.tokens.replies import ComparisonNumbers


def open_each(table: Table, *, sources: Sequence[str]) -> list[Tokenizer]:
    """Open tokenizers: "table", "default" (learned from the standard library), or the path of a file or folder."""
    return [open_source(table, source) for source in sources]


def open_source(table: Table, source: str) -> Tokenizer:
    """Open one tokenizer."""
    if source == "table":
        return Tokenizer.of_table(table)
    return HuggingFaceTokenizer(default_tokenizer()[0]) if source == "default" else open_tokenizer(source)


def comparison_figure(tokenizers: Sequence[Tokenizer], *, text: str) -> ComparisonNumbers:
    """Tokenize a text with each tokenizer."""
    ids = [tokenizer.encode(text) for tokenizer in tokenizers]
    return {
        "num_tokens": np.array([len(each) for each in ids], np.int64),
        "ids": np.concatenate([np.zeros(0, np.int32), *ids]),
    }
