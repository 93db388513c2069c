"""Text → ids: corpora, words, tokenizers, and ids on disk that training reads.

| in this folder | what flows in → out |
|---|---|
| `characters/` | UTF-8 bytes → characters, and what each is |
| `corpus/` | files, strings → pieces of text |
| `tokenizers/` | files of tokenizers → text → ids |
| `words/` | text → words and their ids |
| `training/` | text → a tokenizer.json |
| `ids/` | a corpus → ids on disk |
| `inspect/` | a tokenizer and a text → merges, splits, coverage |
"""

from rowspace.files.tokenizer_json import whitespace_json
from rowspace.text.corpus import Corpus, corpus_bytes, open_corpus, standard_library
from rowspace.text.ids import IdCorpus, ReplacedTextWarning, encode_corpus, encode_tokens
from rowspace.text.inspect import (
    Coverage,
    Merge,
    SplitToken,
    cut_counts,
    cut_tokenizer,
    measure_coverage,
    smallest_size,
    split_at_sizes,
    split_tokens,
    trace_encoding,
    trace_training,
)
from rowspace.text.options import TextOptions
from rowspace.text.tokenizers import AnyTokenizer, LibraryTokenizer, Located, OpenedTokenizer, open_tokenizer
from rowspace.text.training import (
    STANDARD_SIZE,
    WORDS_ONLY,
    TokenizerOptions,
    kept_standard_tokenizer,
    standard_tokenizer,
    train_tokenizer,
)
from rowspace.text.words import WordTokenizer

__all__ = [
    "STANDARD_SIZE",
    "WORDS_ONLY",
    "AnyTokenizer",
    "Corpus",
    "Coverage",
    "IdCorpus",
    "LibraryTokenizer",
    "Located",
    "Merge",
    "OpenedTokenizer",
    "ReplacedTextWarning",
    "SplitToken",
    "TextOptions",
    "TokenizerOptions",
    "WordTokenizer",
    "corpus_bytes",
    "cut_counts",
    "cut_tokenizer",
    "encode_corpus",
    "encode_tokens",
    "kept_standard_tokenizer",
    "measure_coverage",
    "open_corpus",
    "open_tokenizer",
    "smallest_size",
    "split_at_sizes",
    "split_tokens",
    "standard_library",
    "standard_tokenizer",
    "trace_encoding",
    "trace_training",
    "train_tokenizer",
    "whitespace_json",
]
