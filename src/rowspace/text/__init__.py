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
| `options.py`, `tokenizer_options.py` | the options of a caller |
"""

from rowspace.text.corpus import Corpus, corpus_bytes, open_corpus, standard_library
from rowspace.text.ids import IdCorpus, ReplacedTextWarning, encode_corpus, encode_tokens
from rowspace.text.inspect import (
    Coverage,
    Merge,
    SplitToken,
    measure_coverage,
    minimum_size,
    split_tokens,
    tokenize_at_sizes,
    trace_encoding,
    trace_training,
    truncate_counts,
    truncate_vocabulary,
)
from rowspace.text.options import TextOptions
from rowspace.text.tokenizer_options import WORDS_ONLY, TokenizerOptions
from rowspace.text.tokenizers import AnyTokenizer, Encoding, HuggingFaceTokenizer, Tokenizer, open_tokenizer
from rowspace.text.training import (
    DEFAULT_VOCABULARY_SIZE,
    cached_default_tokenizer,
    default_tokenizer,
    train_tokenizer,
)
from rowspace.text.words import WordTokenizer, whitespace_json

__all__ = [
    "DEFAULT_VOCABULARY_SIZE",
    "WORDS_ONLY",
    "AnyTokenizer",
    "Corpus",
    "Coverage",
    "Encoding",
    "HuggingFaceTokenizer",
    "IdCorpus",
    "Merge",
    "ReplacedTextWarning",
    "SplitToken",
    "TextOptions",
    "Tokenizer",
    "TokenizerOptions",
    "WordTokenizer",
    "cached_default_tokenizer",
    "corpus_bytes",
    "default_tokenizer",
    "encode_corpus",
    "encode_tokens",
    "measure_coverage",
    "minimum_size",
    "open_corpus",
    "open_tokenizer",
    "split_tokens",
    "standard_library",
    "tokenize_at_sizes",
    "trace_encoding",
    "trace_training",
    "train_tokenizer",
    "truncate_counts",
    "truncate_vocabulary",
    "whitespace_json",
]
