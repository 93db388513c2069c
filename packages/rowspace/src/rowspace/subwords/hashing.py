"""Character n-grams: rows for out-of-vocabulary words, by fastText's scheme.

A word in angle brackets is split into its n-grams of `min_n` to `max_n` characters; each is hashed (32-bit FNV-1a over
signed bytes) to a bucket that has a row. The row of a word is the mean of its own row and its n-gram rows, and that of
an out-of-vocabulary word the mean of its n-gram rows. Source: Bojanowski et al. 2017, and fastText 0.9.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.plural import plural
from rowspace.errors import UsageError

__all__ = ["END_OF_SENTENCE", "NO_ROW", "PRUNED_BUCKET", "SparsePlaces", "Subwords", "ngram_buckets", "ngrams"]

Rows = NDArray[np.floating[Any]]

NO_ROW, PRUNED_BUCKET = -1, -2  # places of buckets without a row: NO_ROW counts as zeros, PRUNED_BUCKET is skipped
END_OF_SENTENCE = "</s>"  # fastText's token, which has no n-grams
FNV_START, FNV_PRIME = 2166136261, 16777619
MAX_BUCKETS = 2**31 - 1


def ngrams(word: str, *, min_n: int = 3, max_n: int = 6) -> list[str]:
    """Return the n-grams of `word` in angle brackets, ordered by start and then by length, repeats included.

    A single bracket is not an n-gram, and `END_OF_SENTENCE` has none.

    Args:
        word: The word without brackets.
        min_n: Minimum length of an n-gram in characters.
        max_n: Maximum length of an n-gram in characters.

    Returns:
        The n-grams.

    >>> ngrams("at", min_n=2, max_n=3)
    ['<a', '<at', 'at', 'at>', 't>']
    """
    if word == END_OF_SENTENCE:
        return []
    marked = f"<{word}>"
    last = len(marked) - 1
    return [
        marked[start : start + n]
        for start in range(len(marked))
        for n in range(min_n, min(max_n, len(marked) - start) + 1)
        if not (n == 1 and start in (0, last))
    ]


def ngram_buckets(word: str, *, min_n: int = 3, max_n: int = 6, buckets: int = 2_000_000) -> NDArray[np.int64]:
    """Return the bucket of each n-gram of `word`.

    Args:
        word: The word without brackets.
        min_n: Minimum length of an n-gram in characters.
        max_n: Maximum length of an n-gram in characters.
        buckets: Number of buckets.

    Returns:
        (n,) int64, in the order of `ngrams`.

    >>> ngram_buckets("at", min_n=3, max_n=6, buckets=1000).tolist()
    [174, 408, 106]
    """
    return np.array([_hash(gram) % buckets for gram in ngrams(word, min_n=min_n, max_n=max_n)], np.int64)


@dataclass(frozen=True, eq=False)
class SparsePlaces:
    """A sparse array of places: `places[i]` for `buckets[i]`, `PRUNED_BUCKET` for the rest of the `size` buckets.

    A pruned model keeps a few thousand of up to 2³¹ - 1 buckets.

    Args:
        buckets: (n,) int32, strictly increasing.
        places: (n,) int32.
        size: Number of buckets.

    Raises:
        UsageError: If `buckets` are not strictly increasing from 0 to `size` - 1 or the two shapes differ.

    >>> SparsePlaces(np.array([3, 7], np.int32), np.array([0, 1], np.int32), 10)[np.array([3, 4, 7])].tolist()
    [0, -2, 1]
    """

    buckets: NDArray[np.int32]
    places: NDArray[np.int32]
    size: int

    def __post_init__(self) -> None:
        if self.buckets.ndim != 1 or self.buckets.shape != self.places.shape:
            raise UsageError(
                f"places and buckets must be of the same length, got {self.places.shape} and {self.buckets.shape}"
            )
        is_inside = not self.buckets.size or (self.buckets[0] >= 0 and self.buckets[-1] < self.size)
        if not is_inside or (self.buckets[1:] <= self.buckets[:-1]).any():
            raise UsageError(f"buckets must be strictly increasing numbers from 0 to {self.size - 1}")

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, buckets: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        if not self.buckets.size:
            return np.full(buckets.shape, PRUNED_BUCKET, np.int32)
        at = np.minimum(np.searchsorted(self.buckets, buckets), self.buckets.size - 1)
        return np.where(self.buckets[at] == buckets, self.places[at], np.int32(PRUNED_BUCKET))


@dataclass(frozen=True, eq=False)
class Subwords:
    """The n-gram rows of a table, from which out-of-vocabulary words get a row.

    Args:
        rows: (B, d) floating, the rows of the n-grams.
        own: (V, d) floating, the rows of the words without their n-grams.
        places: (buckets,) int32, an array or `SparsePlaces`: each bucket's index in `rows`, `NO_ROW` or
            `PRUNED_BUCKET`.
        min_n: Minimum length of an n-gram in characters.
        max_n: Maximum length of an n-gram in characters.

    Raises:
        UsageError: If shapes differ, a place is out of range, or an n-gram size is below 1.
    """

    rows: Rows
    own: Rows
    places: NDArray[np.int32] | SparsePlaces
    min_n: int = 3
    max_n: int = 6

    def __post_init__(self) -> None:
        if not 1 <= self.min_n <= self.max_n:
            raise UsageError(f"n-grams must have 1 or more characters, not {self.min_n} to {self.max_n}")
        if self.rows.ndim != 2 or self.own.ndim != 2 or self.rows.shape[1] != self.own.shape[1]:
            raise UsageError(
                f"rows of n-grams and words must have the same dimension, got {self.rows.shape} and {self.own.shape}"
            )
        numbers = self.places.places if isinstance(self.places, SparsePlaces) else self.places
        if numbers.ndim != 1 or not 0 < len(self.places) <= MAX_BUCKETS:
            raise UsageError(f"places must have one entry per bucket, got shape {numbers.shape}")
        least, most = (int(numbers.min()), int(numbers.max())) if len(numbers) else (PRUNED_BUCKET, PRUNED_BUCKET)
        if least < PRUNED_BUCKET or most >= len(self.rows):
            raise UsageError(
                f"places range from {least} to {most}, but the n-grams have {plural(len(self.rows), 'row')}"
            )

    @property
    def is_pruned(self) -> bool:
        """Whether some buckets were pruned; they are not counted in a mean."""
        return isinstance(self.places, SparsePlaces) or bool((self.places == PRUNED_BUCKET).any())

    def places_of(self, word: str) -> NDArray[np.int32]:
        """Return the indices in `rows` of the n-grams of `word`.

        Args:
            word: The word without brackets.

        Returns:
            (n,) int32, with `NO_ROW` but without `PRUNED_BUCKET`.
        """
        buckets = ngram_buckets(word, min_n=self.min_n, max_n=self.max_n, buckets=len(self.places))
        found: NDArray[np.int32] = self.places[buckets]
        return np.asarray(found[found != PRUNED_BUCKET])

    def row(self, word: str) -> NDArray[np.float32] | None:
        """Return the row of an out-of-vocabulary word.

        Args:
            word: The word without brackets.

        Returns:
            (d,) float32, or None if none of its n-grams has a row.

        >>> places = np.full(1000, NO_ROW, np.int32)
        >>> places[[408, 106]] = 0, 1
        >>> Subwords(np.array([[3.0], [6.0]]), np.zeros((0, 1)), places).row("at")
        array([3.], dtype=float32)
        """
        places = self.places_of(word)
        if not (places >= 0).any():
            return None
        total = np.zeros(self.rows.shape[1], np.float32)
        for place in places[places >= 0]:
            total += self.rows[place]
        return total * np.float32(1 / len(places))


def _hash(gram: str) -> int:
    """FNV-1a over the UTF-8 bytes, each sign-extended to 32 bits, as in fastText."""
    value = FNV_START
    for byte in gram.encode(errors="surrogatepass"):
        value = ((value ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * FNV_PRIME) & 0xFFFFFFFF
    return value
