"""Text → words and their ids: the word tokenizer, and the compiled scanner that gives the same ids faster.

Start at word_tokenizer.py, then kernels.py (the scanner) and lexicon.py (the words that it has met).
"""

from rowspace.files.tokenizer_json import whitespace_json
from rowspace.text.words.lexicon import Lexicon
from rowspace.text.words.word_tokenizer import WORD_PATTERN, WordTokenizer

__all__ = ["WORD_PATTERN", "Lexicon", "WordTokenizer", "whitespace_json"]
