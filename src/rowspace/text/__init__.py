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

from typing import TYPE_CHECKING

from rowspace._base.lazy import lazy_exports

if TYPE_CHECKING:
    from rowspace.text.corpus.open_corpus import Corpus, corpus_bytes, open_corpus
    from rowspace.text.corpus.standard_library import standard_library
    from rowspace.text.ids.encode_corpus import encode_corpus
    from rowspace.text.ids.encode_tokens import encode_tokens
    from rowspace.text.ids.id_corpus import IdCorpus
    from rowspace.text.ids.renumber import ReplacedTextWarning
    from rowspace.text.inspect.coverage import Coverage, measure_coverage
    from rowspace.text.inspect.segmentation import Merge
    from rowspace.text.inspect.split_tokens import SplitToken, split_tokens
    from rowspace.text.inspect.trace_encoding import trace_encoding
    from rowspace.text.inspect.trace_training import trace_training
    from rowspace.text.inspect.truncation import minimum_size, tokenize_at_sizes, truncate_counts, truncate_vocabulary
    from rowspace.text.options import TextOptions
    from rowspace.text.tokenizer_options import WORDS_ONLY, TokenizerOptions
    from rowspace.text.tokenizers.huggingface import AnyTokenizer, HuggingFaceTokenizer
    from rowspace.text.tokenizers.open_tokenizer import open_tokenizer
    from rowspace.text.tokenizers.tokenizer import Encoding, Tokenizer
    from rowspace.text.training.default_tokenizer import (
        DEFAULT_VOCABULARY_SIZE,
        cached_default_tokenizer,
        default_tokenizer,
    )
    from rowspace.text.training.train import train_tokenizer
    from rowspace.text.words import whitespace_json
    from rowspace.text.words.word_tokenizer import WordTokenizer

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

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "corpus.open_corpus": ("Corpus", "corpus_bytes", "open_corpus"),
        "corpus.standard_library": ("standard_library",),
        "ids.encode_corpus": ("encode_corpus",),
        "ids.encode_tokens": ("encode_tokens",),
        "ids.id_corpus": ("IdCorpus",),
        "ids.renumber": ("ReplacedTextWarning",),
        "inspect.coverage": ("Coverage", "measure_coverage"),
        "inspect.segmentation": ("Merge",),
        "inspect.split_tokens": ("SplitToken", "split_tokens"),
        "inspect.trace_encoding": ("trace_encoding",),
        "inspect.trace_training": ("trace_training",),
        "inspect.truncation": ("minimum_size", "tokenize_at_sizes", "truncate_counts", "truncate_vocabulary"),
        "options": ("TextOptions",),
        "tokenizer_options": ("TokenizerOptions", "WORDS_ONLY"),
        "tokenizers.huggingface": ("AnyTokenizer", "HuggingFaceTokenizer"),
        "tokenizers.open_tokenizer": ("open_tokenizer",),
        "tokenizers.tokenizer": ("Encoding", "Tokenizer"),
        "training.default_tokenizer": ("DEFAULT_VOCABULARY_SIZE", "cached_default_tokenizer", "default_tokenizer"),
        "training.train": ("train_tokenizer",),
        "words": ("whitespace_json",),
        "words.word_tokenizer": ("WordTokenizer",),
    },
)
