"""`FastTextKeyedVectors`: vectors of words that are made of n-grams, so that unknown words have one too."""

import warnings
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rowspace import space
from rowspace._base.parallel import available_cores
from rowspace.compat.gensim.errors import MissingKeyError
from rowspace.compat.gensim.saving import Arrays
from rowspace.compat.gensim.vectors.keyed_vectors import KeyedVectors
from rowspace.compat.gensim.vectors.storage import Rows
from rowspace.subwords.composition import RaggedNgrams, compose_rows, list_ngrams
from rowspace.subwords.hashing import FNV_PRIME, FNV_START, Subwords, ngrams
from rowspace.table import Table

__all__ = ["FastTextKeyedVectors", "compute_ngrams", "compute_ngrams_bytes", "ft_hash_bytes", "ft_ngram_hashes"]


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


class FastTextKeyedVectors(KeyedVectors):
    """Vectors of words, each the mean of a row of its own and the rows of its n-grams.

    Args:
        vector_size: Length of a vector.
        min_n: Minimum length of an n-gram in characters.
        max_n: Maximum length; 0 for no n-grams.
        bucket: Number of rows that n-grams share by hash; 0 for no n-grams.
        count: Number of rows that are allocated in advance.
        dtype: Type of the numbers.

    Attributes:
        vectors: (V, vector_size), the vectors of the words.
        vectors_vocab: (V, vector_size), their rows without n-grams.
        vectors_ngrams: (bucket, vector_size); a bucket that no n-gram of the vocabulary uses is zeros, and takes no
            memory until it is read.
    """

    def __init__(
        self, vector_size: int, min_n: int, max_n: int, bucket: int, count: int = 0, dtype: DTypeLike = np.float32
    ) -> None:
        super().__init__(vector_size, count, dtype)
        self.min_n, self.max_n = min_n, max_n
        self.bucket = bucket if max_n > 0 else 0
        self.vectors_vocab: Rows = np.zeros((count, vector_size), dtype)
        self.vectors_ngrams: Rows = np.zeros((self.bucket, vector_size), dtype)
        self.vectors_vocab_lockf: Rows = np.ones(1, np.float32)
        self.vectors_ngrams_lockf: Rows = np.ones(1, np.float32)
        self.compatible_hash = True

    def __contains__(self, word: object) -> bool:
        """Whether `word` has a vector: every text has one, if there are n-grams."""
        return self.has_index_for(word) or (self.bucket > 0 and isinstance(word, str))

    def get_vector(self, word: Any, norm: bool = False) -> Rows:
        """Return the vector of a word, (vector_size,), read-only; of an unknown word the mean of its n-gram rows.

        Args:
            word: A word, or an index.
            norm: Divide the vector by its length.

        Raises:
            MissingKeyError: The word is unknown, and there are no n-grams.
        """
        if self.has_index_for(word):
            return super().get_vector(word, norm=norm)
        if not self.bucket or not isinstance(word, str):
            raise MissingKeyError(
                f"key {word!r} is not in the vocabulary, and there are no n-grams; check its spelling"
            )
        places = ft_ngram_hashes(word, max(1, self.min_n), self.max_n, self.bucket)
        if not len(places):
            warnings.warn(f"{word!r} has no n-grams of this model; its vector is 0", stacklevel=2)
        vector = self.vectors_ngrams[places].mean(axis=0) if len(places) else np.zeros(self.vector_size)
        vector = (space.unit_rows(vector) if norm else vector).astype(self.vectors.dtype)
        vector.setflags(write=False)
        return vector

    def get_sentence_vector(self, sentence: Iterable[Any]) -> Rows:
        """Return the mean of the unit vectors of words, (vector_size,) float32; zeros for no words.

        Args:
            sentence: Words.
        """
        words = list(sentence)
        return self.get_mean_vector(words) if words else np.zeros(self.vector_size, np.float32)

    def resize_vectors(self, seed: int = 0) -> None:
        """Make as many rows as there are words, and rows of the n-grams that these have.

        New rows are uniform in ±1/vector_size; others stay. `vectors` is computed from them.

        Args:
            seed: Seed of the new rows.
        """
        generator, scale = np.random.default_rng(abs(seed)), 1 / self.vector_size
        missing = len(self.index_to_key) - len(self.vectors_vocab)
        new = generator.uniform(-scale, scale, (max(0, missing), self.vector_size)).astype(self.vectors.dtype)
        self.vectors_vocab = np.vstack([self.vectors_vocab[: len(self.index_to_key)], new])
        if self.bucket:
            used = np.unique(self._listed().indices)
            new_buckets = used[~self.vectors_ngrams[used].any(axis=1)]
            shape = len(new_buckets), self.vector_size
            self.vectors_ngrams = np.require(self.vectors_ngrams, requirements="W")
            self.vectors_ngrams[new_buckets] = generator.uniform(-scale, scale, shape)
        self.allocate_vecattrs()
        self.adjust_vectors()

    def _listed(self) -> RaggedNgrams:
        """Return the buckets of the n-grams of all words."""
        words = [str(key) for key in self.index_to_key]
        return list_ngrams(words, min_n=max(1, self.min_n), max_n=self.max_n, buckets=self.bucket)

    @property
    def buckets_word(self) -> list[NDArray[np.int32]]:
        """The buckets of the n-grams of each word."""
        if not self.bucket:
            return [np.zeros(0, np.int32) for _ in self.index_to_key]
        listed = self._listed()
        return np.split(listed.indices, listed.indptr[1:-1])

    def adjust_vectors(self) -> None:
        """Compute `vectors` from the rows of words and n-grams."""
        if self.bucket:
            own, rows = (np.ascontiguousarray(each, np.float32) for each in (self.vectors_vocab, self.vectors_ngrams))
            self.vectors = compose_rows(own, rows, self._listed(), threads=available_cores())
        else:
            self.vectors = self.vectors_vocab.copy()
        self.norms = None

    def to_table(self) -> Table:
        """Return the vectors as a `rowspace.Table` with n-grams, which shares their memory."""
        table = super().to_table()
        if self.bucket:
            places = np.arange(self.bucket, dtype=np.int32)
            table.subwords = Subwords(self.vectors_ngrams, self.vectors_vocab, places, max(1, self.min_n), self.max_n)
        return table

    def _parts(self) -> tuple[dict[str, Any], Arrays]:
        settings, arrays = super()._parts()
        used = np.flatnonzero(self.vectors_ngrams.any(axis=1))
        arrays |= {
            "vectors_vocab": self.vectors_vocab,
            "ngram_rows": self.vectors_ngrams[used],
            "ngram_buckets": used,
            "vectors_vocab_lockf": self.vectors_vocab_lockf,
            "vectors_ngrams_lockf": self.vectors_ngrams_lockf,
        }
        return settings | {"min_n": self.min_n, "max_n": self.max_n, "bucket": self.bucket}, arrays

    @classmethod
    def _from_parts(cls, settings: dict[str, Any], arrays: Arrays, **options: Any) -> Self:
        vectors = super()._from_parts(settings, arrays)
        vectors.min_n, vectors.max_n, vectors.bucket = settings["min_n"], settings["max_n"], settings["bucket"]
        vectors.vectors_vocab, vectors.compatible_hash = arrays["vectors_vocab"], True
        vectors.vectors_ngrams = np.zeros((vectors.bucket, vectors.vector_size), vectors.vectors.dtype)
        vectors.vectors_ngrams[arrays["ngram_buckets"]] = arrays["ngram_rows"]
        vectors.vectors_vocab_lockf = arrays["vectors_vocab_lockf"]
        vectors.vectors_ngrams_lockf = arrays["vectors_ngrams_lockf"]
        return vectors
