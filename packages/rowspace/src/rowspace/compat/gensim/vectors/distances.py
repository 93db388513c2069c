"""Similarities and distances of given words: of pairs, of sets, of one word with all others."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rowspace import space
from rowspace.compat.gensim.errors import EmptySetError
from rowspace.compat.gensim.vectors.queries import VectorQueries
from rowspace.compat.gensim.vectors.storage import KEY_TYPES, Rows
from rowspace.errors import MissingExtraError, UsageError

__all__ = ["VectorDistances"]


class VectorDistances(VectorQueries):
    """Similarities and distances of given words."""

    def similarity(self, w1: Any, w2: Any) -> np.float32:
        """Return the cosine of the vectors of two keys.

        Raises:
            MissingKeyError: A key is unknown.

        Example:
            >>> wv = VectorDistances(2)
            >>> wv.add_vectors(["cat", "dog"], np.array([[3.0, 4.0], [6.0, 8.0]]))
            >>> float(wv.similarity("cat", "dog")), float(wv.distance("cat", "dog"))
            (1.0, 0.0)
        """
        return np.float32(space.cosine(self.get_vector(w1), self.get_vector(w2)))

    def distance(self, w1: Any, w2: Any) -> np.float32:
        """Return 1 - `similarity`: 0 for the same direction, 2 for opposite directions."""
        return np.float32(1) - self.similarity(w1, w2)

    def n_similarity(self, ws1: Sequence[Any], ws2: Sequence[Any]) -> np.float32:
        """Return the cosine of the mean vectors of two sets of keys; unknown keys are left out.

        Raises:
            EmptySetError: A set is empty; this is a `ZeroDivisionError`, as in gensim.
        """
        if not (len(ws1) and len(ws2)):
            raise EmptySetError("ws1 and ws2 must each have at least one word, got an empty list, which has no mean")
        means = (self.get_mean_vector(keys, pre_normalize=False) for keys in (ws1, ws2))
        return np.float32(space.cosine(*means))

    @staticmethod
    def cosine_similarities(vector_1: Rows, vectors_all: Rows) -> Rows:
        """Return the cosine of one vector with each of others.

        Args:
            vector_1: (d,).
            vectors_all: (n, d).

        Returns:
            (n,) float32; 0 for a zero vector.
        """
        return space.cosine(vectors_all, vector_1).astype(np.float32)

    def distances(self, word_or_vector: Any, other_words: Sequence[Any] = ()) -> Rows:
        """Return 1 - cosine of a key or a vector with others, (n,) float32.

        Args:
            word_or_vector: A key, or (vector_size,).
            other_words: Keys; all rows without them.

        Raises:
            MissingKeyError: A key is unknown.
        """
        is_key = isinstance(word_or_vector, KEY_TYPES)
        vector = self.get_vector(word_or_vector) if is_key else np.asarray(word_or_vector)
        others = self.vectors[[self.get_index(word) for word in other_words]] if len(other_words) else self.vectors
        return np.float32(1) - self.cosine_similarities(vector, others)

    def closer_than(self, key1: Any, key2: Any) -> list[Any]:
        """Return all keys whose vectors are closer to that of `key1` than that of `key2` is."""
        distances = self.distances(key1)
        first, second = self.get_index(key1), self.get_index(key2)
        closer = np.flatnonzero(distances < distances[second])
        return [self.index_to_key[index] for index in closer.tolist() if index != first]

    def words_closer_than(self, word1: Any, word2: Any) -> list[Any]:
        """Return `closer_than` of the same keys."""
        return self.closer_than(word1, word2)

    def rank(self, key1: Any, key2: Any) -> int:
        """Return the rank of `key2` among all keys by distance from `key1`, from 1."""
        return len(self.closer_than(key1, key2)) + 1

    def relative_cosine_similarity(self, wa: Any, wb: Any, topn: int = 10) -> float:
        """Return the cosine of two keys divided by the sum of the cosines of the first with its nearest keys.

        Args:
            wa: A key.
            wb: A key.
            topn: Number of nearest keys in the sum.

        Raises:
            UsageError: The first key has no neighbors.

        Source: Leeuwenberg et al. (2016), "A Minimally Supervised Approach for Synonym Extraction".
        """
        nearest = self.similar_by_word(wa, topn)
        if not nearest:
            raise UsageError(f"topn must be at least 1 and {wa!r} must have neighbors, got topn={topn}")
        return float(self.similarity(wa, wb)) / float(sum(score for _, score in nearest))

    def wmdistance(self, document1: Iterable[Any], document2: Iterable[Any], norm: bool = True) -> float:
        """Return the Word Mover's Distance of two lists of words; unknown words are left out.

        Args:
            document1: Words.
            document2: Words.
            norm: Divide the vectors by their lengths first.

        Returns:
            The cost of moving the words of one document to those of the other by Euclidean distance; infinity if one
            has no known word, 0 if both are the same single word.

        Raises:
            MissingExtraError: The library POT is not installed.

        Source: Kusner et al. (2015), "From Word Embeddings To Document Distances".
        """
        words = [[word for word in document if word in self] for document in (document1, document2)]
        if not (words[0] and words[1]):
            return float("inf")
        keys = list(dict.fromkeys(words[0] + words[1]))
        if len(keys) == 1:
            return 0.0
        try:
            from ot import emd2
        except ImportError as error:
            raise MissingExtraError("wmdistance needs the library POT: pip install POT") from error
        rows = np.vstack([self.get_vector(key, norm=norm) for key in keys])
        shares = [np.array([document.count(key) for key in keys]) / len(document) for document in words]
        return float(emd2(*shares, space.euclidean(rows, rows)))
