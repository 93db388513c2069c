"""A cache of the ids of words: bytes → ids, compared byte by byte, of bounded size.

Start at word_cache.py (the arrays, and who may use them), then kernels.py (how a word is found and added).
"""

from rowspace.encode.scanners.cache.word_cache import MAX_WORD, Pool, WordCache

__all__ = ["MAX_WORD", "Pool", "WordCache"]
