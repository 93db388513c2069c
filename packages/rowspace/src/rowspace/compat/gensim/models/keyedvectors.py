"""`KeyedVectors`, by the name of gensim's module."""

from rowspace.compat.gensim.vectors.keyed_vectors import (
    REAL,
    EuclideanKeyedVectors,
    KeyedVectors,
    Word2VecKeyedVectors,
    pseudorandom_weak_vector,
)

__all__ = ["REAL", "EuclideanKeyedVectors", "KeyedVectors", "Word2VecKeyedVectors", "pseudorandom_weak_vector"]
