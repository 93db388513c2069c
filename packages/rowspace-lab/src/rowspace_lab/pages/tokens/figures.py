"""The figures of the Tokens page."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import tokenizers

from rowspace.table import Table
from rowspace.text import (
    HuggingFaceTokenizer,
    Tokenizer,
    default_tokenizer,
    split_tokens,
    truncate_counts,
    truncate_vocabulary,
)
from rowspace_lab.experiments import Merge, trace_encoding
from rowspace_lab.pages.tokens.replies import MergeNumbers, SplitNumbers

Counts = Mapping[str, int] | None
Cut = tuple[tokenizers.Tokenizer | HuggingFaceTokenizer, Counts]


def open_tokenizer(table: Table) -> tuple[tokenizers.Tokenizer, Counts]:
    """Open the table's tokenizer, and return it with the counts of its tokens."""
    counts = None if table.counts is None else dict(zip(table.vocabulary, table.counts.tolist(), strict=True))
    return Tokenizer.of_table(table).library, counts


def open_default() -> tuple[tokenizers.Tokenizer, Counts]:
    """Open the tokenizer learned from the standard library, and return it with the counts of its tokens."""
    return default_tokenizer()


def opened(name: str) -> "partial[Any]":
    """Return the call that opens a tokenizer of the page."""
    return partial(open_default if name == "default" else open_tokenizer)


def cut_to_size(tokenizer: tokenizers.Tokenizer, counts: Counts, size: int) -> Cut:
    """Truncate the vocabulary to `size` tokens, and recompute their counts."""
    if size == tokenizer.get_vocab_size():
        return tokenizer, counts
    cut = truncate_vocabulary(tokenizer, size)
    return cut, None if counts is None else truncate_counts(tokenizer, counts, size, truncated=cut)


def cut_to_sizes(opened: tuple[tokenizers.Tokenizer, Counts], *, sizes: Sequence[int]) -> list[Cut]:
    """Truncate the tokenizer to several vocabulary sizes."""
    return [cut_to_size(*opened, size) for size in sizes]


def splits_figure(cuts: Sequence[Cut], ids: Mapping[str, int], *, text: str) -> SplitNumbers:
    """Tokenize a text at each size; the ids are those of the full vocabulary."""
    splits = [split_tokens(text, tokenizer, counts=counts, ids=ids) for tokenizer, counts in cuts]
    tokens = [token for split in splits for token in split]
    return {
        "num_tokens": np.array([len(split) for split in splits]),
        "ids": np.array([token.id for token in tokens], np.int64),
        "counts": np.array([-1 if token.count is None else token.count for token in tokens], np.int64),
    }


def ids_of(opened: tuple[tokenizers.Tokenizer, Counts]) -> Mapping[str, int]:
    """Return the ids of the tokens in the full vocabulary."""
    return opened[0].get_vocab()


def encoding_merges(opened: tuple[tokenizers.Tokenizer, Counts], *, text: str) -> list[Merge]:
    """Return the merges that a tokenizer applies to a text, in order."""
    return list(trace_encoding(text, opened[0]))


def merges_figure(found: Sequence[Merge]) -> MergeNumbers:
    """Return the count of each pair and the rank of its merge."""
    return {
        "counts": np.array([merge.count for merge in found], np.int64),
        "ranks": np.array([merge.rank for merge in found], np.int64),
    }
