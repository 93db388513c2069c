"""The scanner for BERT's tokenizer: normalization by tables, words from a cache, WordPiece for new words.

Start at scanner.py, which tells which tokenizer.json is one, and kernels.py. characters.py is what becomes of each
character, from the generated bert_characters.py; suspects.py tells which texts may hold added tokens.
"""

from rowspace.encode.scanners.wordpiece.scanner import recognize_bert

__all__ = ["recognize_bert"]
