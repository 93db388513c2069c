"""Text → words and their ids: the word tokenizer, and the compiled scanner that gives the same ids faster.

Start at word_tokenizer.py, then kernels.py (the scanner) and lexicon.py (the words that it has met).
"""

from rowspace.text.words.lexicon import Lexicon
from rowspace.text.words.word_tokenizer import UNKNOWN_TOKEN, WORD_PATTERN, WordTokenizer, whitespace_json

__all__ = ["UNKNOWN_TOKEN", "WORD_PATTERN", "Lexicon", "WordTokenizer", "whitespace_json"]
