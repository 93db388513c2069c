"""Scripts without spaces between words: words are learned from the text, and found again by the longest match.

Start at find_words.py, which may ask another library for the words, and whose `Separator` puts blanks around the words
of a text, so that the word tokenizer finds them; training.py learns them. A tokenizer.json holds the words as added
tokens, of which the `tokenizers` library finds the longest at each place too, so that the tokens are the same.
"""

from rowspace.text.words.unspaced.find_words import Separator, find_words
from rowspace.text.words.unspaced.scripts import is_unspaced

__all__ = ["Separator", "find_words", "is_unspaced"]
