"""Files of tokenizers of other libraries → tokenizers that give the same ids.

Start at tokenizer.py (what every tokenizer can do), then open_tokenizer.py (which file is of which kind).
"""

from rowspace.text.tokenizers.huggingface import AnyTokenizer, HuggingFaceTokenizer, as_tokenizer, require_huggingface
from rowspace.text.tokenizers.huggingface_library import library_threads, tokens_by_id
from rowspace.text.tokenizers.open_tokenizer import open_tokenizer
from rowspace.text.tokenizers.sentencepiece_reader import SentencePieceTokenizer
from rowspace.text.tokenizers.tiktoken_reader import TiktokenTokenizer
from rowspace.text.tokenizers.tokenizer import Encoding, Tokenizer

__all__ = [
    "AnyTokenizer",
    "Encoding",
    "HuggingFaceTokenizer",
    "SentencePieceTokenizer",
    "TiktokenTokenizer",
    "Tokenizer",
    "as_tokenizer",
    "library_threads",
    "open_tokenizer",
    "require_huggingface",
    "tokens_by_id",
]
