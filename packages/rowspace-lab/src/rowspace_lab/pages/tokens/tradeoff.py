"""What the vocabulary size changes, measured: a corpus tokenized by byte-level BPE and by words of several sizes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, pre_tokenizers

from rowspace.text import (
    Coverage,
    TokenizerOptions,
    measure_coverage,
    train_tokenizer,
    truncate_counts,
    truncate_vocabulary,
)
from rowspace_lab.pages.tokens.corpus import TOKEN, count_words
from rowspace_lab.pages.tokens.replies import TradeoffNumbers

Corpus = tuple[list[str], list[str]]
Measured = tuple[Coverage, float]  # of the held-out text, and the median count of the rows in the training text


def bpe_by_size(corpus: Corpus, sizes: Sequence[int]) -> list[Measured | None]:
    """Train byte-level BPE once, and measure it truncated to each size; 256 tokens are the bytes alone."""
    options = TokenizerOptions("bpe", vocabulary_size=sizes[-1], min_frequency=2)
    trained = Tokenizer.from_str(train_tokenizer(corpus[0], options))
    coverage = measure_coverage(trained, iter(corpus[0]))
    counts = dict(zip(coverage.vocabulary, coverage.counts.tolist(), strict=True))
    found: list[Measured | None] = []
    for size in sizes:
        if size > len(counts):
            found.append(None)
            continue
        cut = truncate_vocabulary(trained, size)
        of_rows = truncate_counts(trained, counts, size, truncated=cut)
        if of_rows is None:  # several merges make the same token
            coverage = measure_coverage(cut, iter(corpus[0]))
            of_rows = dict(zip(coverage.vocabulary, coverage.counts.tolist(), strict=True))
        found.append((measure_coverage(cut, iter(corpus[1])), float(np.median(list(of_rows.values())))))
    return found


def words_by_size(corpus: Corpus, sizes: Sequence[int]) -> list[Measured | None]:
    """Measure a vocabulary of the most frequent words and one token for all others, for each size."""
    counted = count_words(corpus[0], TOKEN)
    words, counts = [word for word, _ in counted], [count for _, count in counted]
    found: list[Measured | None] = []
    for size in sizes:
        if size > len(words):
            found.append(None)
            continue
        of_rows = [sum(counts[size - 1 :]), *counts[: size - 1]]
        tokenizer = word_tokenizer(words[: size - 1])
        found.append((measure_coverage(tokenizer, iter(corpus[1])), float(np.median(of_rows))))
    return found


def word_tokenizer(words: Sequence[str]) -> Tokenizer:
    """Make a tokenizer of whole words and punctuation; all others are unknown."""
    vocabulary = {"[UNK]": 0} | {word: number for number, word in enumerate(words, 1)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


def column(found: Measured | None) -> list[float]:
    """Return tokens per word, attention scores for 1,000 words, the median count, and the share left unwritten."""
    if found is None:
        return [np.nan] * 4
    coverage, median = found
    return [coverage.tokens_per_word, (1000 * coverage.tokens_per_word) ** 2, median, 1 - coverage.covered]


def tradeoff_figure(corpus: Corpus, *, sizes: Sequence[int], dim: int) -> TradeoffNumbers:
    """Measure byte-level BPE and words at each vocabulary size."""
    ways = [bpe_by_size(corpus, sizes), words_by_size(corpus, sizes)]
    numbers: NDArray[Any] = np.array([[column(found) for found in way] for way in ways])
    return {
        "sizes": np.array(sizes),
        "table_bytes": np.array(sizes) * dim * 4.0,
        "tokens_per_word": numbers[..., 0],
        "scores": numbers[..., 1],
        "median_counts": numbers[..., 2],
        "unwritten": numbers[..., 3],
        "train_bytes": sum(len(text.encode()) for text in corpus[0]),
        "held_out_bytes": sum(len(text.encode()) for text in corpus[1]),
    }
