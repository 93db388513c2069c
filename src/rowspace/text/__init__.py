"""text → ids: corpora, the word tokenizer, and the fast scan that turns one into the other.

Start at encode.py (`encode_corpus`), then corpus.py and reading.py (what flows in), words.py (the rule for words and
its tokenizer.json), kernels.py (the scanner). Tokenizers that others made open in opening.py, training.py makes one of
the text's own, and encode_tokens.py encodes a corpus by either. merges.py and merges_applied.py show how byte pairs are
learned and applied, pieces.py what a smaller vocabulary would do, coverage.py how a tokenizer fits a corpus.
"""

from typing import TYPE_CHECKING

from rowspace._base.lazy import lazy_exports

if TYPE_CHECKING:
    from rowspace.text.corpus import Corpus, corpus_bytes, open_corpus
    from rowspace.text.coverage import Coverage, measure_coverage
    from rowspace.text.encode import encode_corpus
    from rowspace.text.encode_tokens import encode_tokens
    from rowspace.text.final_ids import ReplacedTextWarning
    from rowspace.text.ids import IdCorpus
    from rowspace.text.library import AnyTokenizer, LibraryTokenizer
    from rowspace.text.merges import trace_training
    from rowspace.text.merges_applied import trace_encoding
    from rowspace.text.opened import Located, OpenedTokenizer
    from rowspace.text.opening import open_tokenizer
    from rowspace.text.options import TextOptions
    from rowspace.text.pieces import SplitToken, cut_counts, cut_tokenizer, smallest_size, split_at_sizes, split_tokens
    from rowspace.text.segmentation import Merge
    from rowspace.text.standard import STANDARD_SIZE, kept_standard_tokenizer, standard_tokenizer
    from rowspace.text.stdlib import standard_library
    from rowspace.text.tokenizer_options import WORDS_ONLY, TokenizerOptions
    from rowspace.text.training import train_tokenizer
    from rowspace.text.words import WordTokenizer, whitespace_json

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

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "corpus": (
            "Corpus",
            "corpus_bytes",
            "open_corpus",
        ),
        "coverage": (
            "Coverage",
            "measure_coverage",
        ),
        "encode": ("encode_corpus",),
        "encode_tokens": ("encode_tokens",),
        "final_ids": ("ReplacedTextWarning",),
        "ids": ("IdCorpus",),
        "library": (
            "AnyTokenizer",
            "LibraryTokenizer",
        ),
        "merges": ("trace_training",),
        "merges_applied": ("trace_encoding",),
        "opened": (
            "Located",
            "OpenedTokenizer",
        ),
        "opening": ("open_tokenizer",),
        "options": ("TextOptions",),
        "pieces": (
            "SplitToken",
            "cut_counts",
            "cut_tokenizer",
            "smallest_size",
            "split_at_sizes",
            "split_tokens",
        ),
        "segmentation": ("Merge",),
        "standard": (
            "STANDARD_SIZE",
            "kept_standard_tokenizer",
            "standard_tokenizer",
        ),
        "stdlib": ("standard_library",),
        "tokenizer_options": (
            "WORDS_ONLY",
            "TokenizerOptions",
        ),
        "training": ("train_tokenizer",),
        "words": (
            "WordTokenizer",
            "whitespace_json",
        ),
    },
)
