"""Character n-grams by fastText's scheme, under the names that gensim has for them."""

import numpy as np
from numpy.typing import NDArray

from rowspace.subwords.hashing import FNV_PRIME, FNV_START, ngrams

__all__ = ["compute_ngrams", "compute_ngrams_bytes", "ft_hash_bytes", "ft_ngram_hashes"]


def compute_ngrams(word: str, min_n: int, max_n: int) -> list[str]:
    """Return the n-grams of a word in angle brackets, by length.

    >>> compute_ngrams("at", 3, 4)
    ['<at', 'at>', '<at>']
    """
    marked = f"<{word}>"
    return [
        marked[start : start + n]
        for n in range(min_n, min(max_n, len(marked)) + 1)
        for start in range(len(marked) - n + 1)
    ]


def compute_ngrams_bytes(word: str, min_n: int, max_n: int) -> list[bytes]:
    """Return the n-grams of a word in UTF-8, by their start; single brackets are left out.

    >>> compute_ngrams_bytes("at", 3, 4)
    [b'<at', b'<at>', b'at>']
    """
    return [gram.encode(errors="surrogatepass") for gram in ngrams(word, min_n=min_n, max_n=max_n)]


def ft_hash_bytes(data: bytes) -> int:
    """Return the hash of an n-gram: 32-bit FNV-1a over signed bytes.

    >>> ft_hash_bytes(b"<at") % 1000
    174
    """
    value = FNV_START
    for byte in data:
        value = ((value ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * FNV_PRIME) & 0xFFFFFFFF
    return value


def ft_ngram_hashes(word: str, minn: int, maxn: int, num_buckets: int) -> NDArray[np.int64]:
    """Return the bucket of each n-gram of a word, (n,) int64."""
    return np.array([ft_hash_bytes(gram) % num_buckets for gram in compute_ngrams_bytes(word, minn, maxn)], np.int64)
