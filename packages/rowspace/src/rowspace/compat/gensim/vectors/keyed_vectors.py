"""`KeyedVectors`: keys with vectors, their queries, and their files."""

import zlib
from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from rowspace.compat.gensim.saving import Arrays, SaveLoad, named_parts, within
from rowspace.compat.gensim.vectors.storage import Rows
from rowspace.compat.gensim.vectors.word2vec_format import Word2VecFormat
from rowspace.table import Table

__all__ = ["REAL", "EuclideanKeyedVectors", "KeyedVectors", "Word2VecKeyedVectors", "pseudorandom_weak_vector"]

REAL = np.float32
OF_TREE = ("code", "point")  # attributes that are not saved, but made again from the counts
SAVED = ("vector_size", "index_to_key", "next_index")


class KeyedVectors(Word2VecFormat, SaveLoad):
    """Vectors of words or other keys; see `VectorStorage` for its arguments and attributes.

    Example:
        >>> wv = KeyedVectors(2)
        >>> wv.add_vectors(["cat", "dog", "the"], np.array([[1.0, 0.1], [1.0, 0.0], [0.0, 1.0]]))
        >>> wv.doesnt_match(["cat", "dog", "the"])
        'the'
    """

    @classmethod
    def from_table(cls, table: Table) -> Self:
        """Return the tokens and rows of a `rowspace.Table` as keys and vectors, which are a copy.

        Args:
            table: Any table, for example of `rowspace.load`.
        """
        vectors = cls(table.dim)
        vectors.add_vectors(list(table.vocabulary), np.asarray(table.rows, REAL))
        if table.counts is not None:
            vectors.allocate_vecattrs({"count": np.dtype(np.int64)})
            vectors.expandos["count"][:] = table.counts
        return vectors

    def vectors_for_all(
        self, keys: Iterable[Any], allow_inference: bool = True, copy_vecattrs: bool = False
    ) -> "KeyedVectors":
        """Return vectors for some keys.

        Args:
            keys: Keys; those without a vector are left out.
            allow_inference: Compute vectors for keys that have none of their own, where these can be (FastText).
            copy_vecattrs: Copy the attributes of keys too.
        """
        kept = [
            key
            for key in dict.fromkeys(keys)
            if self._has_row(key) or (allow_inference and isinstance(key, str) and key in self)
        ]
        chosen = KeyedVectors(self.vector_size, len(kept), dtype=self.vectors.dtype)
        if kept:
            chosen.add_vectors(kept, np.vstack([self.get_vector(key) for key in kept]))
        for name, values in self.expandos.items():
            chosen.allocate_vecattrs({name: values.dtype})
            for index, key in enumerate(kept if copy_vecattrs else ()):
                if self.has_index_for(key):
                    chosen.expandos[name][index] = values[self.get_index(key)]
        return chosen

    def _parts(self) -> tuple[dict[str, Any], Arrays]:
        settings = named_parts(self, SAVED) | {"key_to_index": self.key_to_index}
        settings["index_to_key"] = [
            key if isinstance(key, str) or key is None else int(key) for key in self.index_to_key
        ]
        settings["key_to_index"] = list(self.key_to_index.values())
        arrays = {"vectors": self.vectors, "vectors_lockf": self.vectors_lockf}
        attributes = {f"attribute.{name}": values for name, values in self.expandos.items() if name not in OF_TREE}
        return settings, arrays | attributes

    @classmethod
    def _from_parts(cls, settings: dict[str, Any], arrays: Arrays, **options: Any) -> Self:
        vectors = cls.__new__(cls)
        KeyedVectors.__init__(vectors, settings["vector_size"])
        vectors.vectors, vectors.vectors_lockf = arrays["vectors"], arrays["vectors_lockf"]
        vectors.index_to_key, vectors.next_index = settings["index_to_key"], settings["next_index"]
        vectors.key_to_index = {vectors.index_to_key[index]: index for index in settings["key_to_index"]}
        vectors.expandos = within("attribute.", arrays)
        return vectors


Word2VecKeyedVectors = EuclideanKeyedVectors = KeyedVectors


def pseudorandom_weak_vector(size: int, seed_string: str | None = None, hashfxn: Any = None) -> Rows:
    """Return a vector of small random numbers, uniform in ±0.5/size, (size,) float32.

    Args:
        size: Its length.
        seed_string: The same string gives the same vector; without it, every call gives another.
        hashfxn: A function from this string to a number; CRC-32 without it, which is the same in all processes.
    """
    hashed = hashfxn or (lambda text: zlib.crc32(text.encode()))
    seed = None if seed_string is None else abs(int(hashed(seed_string)))
    return ((np.random.default_rng(seed).random(size) - 0.5) / size).astype(REAL)
