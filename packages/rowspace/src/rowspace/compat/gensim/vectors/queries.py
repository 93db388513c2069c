"""Nearest keys of words and vectors, as `most_similar` and its relatives find them, by exact search."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from rowspace import space
from rowspace.compat.gensim.errors import MissingKeyError
from rowspace.compat.gensim.vectors.storage import KEY_TYPES, Rows, VectorStorage, as_list
from rowspace.errors import UsageError

__all__ = ["VectorQueries"]

COSMUL_EPSILON = 1e-6
Answers = list[tuple[Any, float]]


class VectorQueries(VectorStorage):
    """Queries that rank keys by their cosine with something."""

    def get_mean_vector(
        self,
        keys: Any,
        weights: Any = None,
        pre_normalize: bool = True,
        post_normalize: bool = False,
        ignore_missing: bool = True,
    ) -> Rows:
        """Return the weighted mean of vectors, (vector_size,) float32.

        Args:
            keys: Keys, and vectors, which are never normalized first.
            weights: A number for each; the sum is divided by the sum of their magnitudes.
            pre_normalize: Divide the vectors of keys by their lengths.
            post_normalize: Divide the mean by its length.
            ignore_missing: Leave unknown keys out.

        Raises:
            UsageError: There are no keys, or not as many weights.
            MissingKeyError: A key is unknown and not ignored.
        """
        if len(keys) == 0:
            raise UsageError("keys must have at least one key, got none, which have no mean")
        weights = np.ones(len(keys)) if weights is None else np.asarray(weights, np.float64)
        if len(weights) != len(keys):
            raise UsageError(f"weights must be one number for each of {len(keys)} keys, got {len(weights)}")
        mean, total = np.zeros(self.vector_size), 0.0
        for key, weight in zip(keys, weights, strict=True):
            if not isinstance(key, KEY_TYPES) or key in self:
                vector = self.get_vector(key, norm=pre_normalize) if isinstance(key, KEY_TYPES) else np.asarray(key)
                mean, total = mean + weight * vector, total + abs(weight)
            elif not ignore_missing:
                raise MissingKeyError(f"key {key!r} is not in the vocabulary; check its spelling and case")
        mean = mean / total if total else mean
        return (space.unit_rows(mean) if post_normalize else mean).astype(np.float32)

    def most_similar(
        self,
        positive: Any = None,
        negative: Any = None,
        topn: int | None = 10,
        clip_start: int = 0,
        clip_end: int | None = None,
        restrict_vocab: int | None = None,
        indexer: Any = None,
    ) -> Any:
        """Return the keys whose vectors have the largest cosine with a mean of vectors, best first.

        Args:
            positive: A key, a vector, or a list of these or of (key, weight); they count with weight 1.
            negative: The same, with weight -1.
            topn: Number of answers; None returns the cosines of all vectors, (V,) float32.
            clip_start: First row that is searched.
            clip_end: End of the rows that are searched.
            restrict_vocab: The same as `clip_end`: only the first rows are searched.
            indexer: An approximate index, whose `most_similar(vector, topn)` is called instead.

        Returns:
            (key, cosine) of each answer; the keys of the question are left out.

        Raises:
            UsageError: There is neither a positive nor a negative key.
            MissingKeyError: A key is unknown.

        Source: Mikolov et al. (2013); 3CosAdd of Levy & Goldberg (2014).

        Example:
            >>> wv = VectorQueries(2)
            >>> wv.add_vectors(["cat", "dog", "the"], np.array([[1.0, 0.1], [1.0, 0.0], [0.0, 1.0]]))
            >>> wv.most_similar("cat", topn=1)[0][0]
            'dog'
        """
        if topn is not None and topn < 1:
            return []
        keys, weights = _weighted(as_list(positive), as_list(negative))
        if not keys:
            raise UsageError("positive or negative must have at least one key, got none")
        end = min(clip_end or restrict_vocab or len(self.vectors), len(self.vectors))
        mean = self.get_mean_vector(keys, weights, post_normalize=True, ignore_missing=False)
        used = [self.get_index(key) for key in keys if isinstance(key, KEY_TYPES) and self.has_index_for(key)]
        if indexer is not None and topn is not None:
            return indexer.most_similar(mean, topn)
        rows, norms = self.vectors[clip_start:end], self.filled_norms()[clip_start:end]
        if topn is None:
            return space.cosine(rows, mean).astype(np.float32)
        exclude = [index - clip_start for index in used if clip_start <= index < end]
        return self._nearest(mean, rows, norms, int(topn), exclude, clip_start)

    def _nearest(self, mean: Rows, rows: Rows, norms: Rows, topn: int, exclude: list[int], start: int) -> Answers:
        """Return the nearest of some rows."""
        if not len(rows):
            return []
        ids, scores = space.nearest(
            mean[np.newaxis], rows, topn, exclude=np.asarray([exclude], np.int64), row_norms=norms
        )
        found = zip(ids[0].tolist(), scores[0].tolist(), strict=True)
        return [(self.index_to_key[start + index], score) for index, score in found if index >= 0]

    def similar_by_key(self, key: Any, topn: int | None = 10, restrict_vocab: int | None = None) -> Any:
        """Return `most_similar` of one key."""
        return self.most_similar(positive=[key], topn=topn, restrict_vocab=restrict_vocab)

    def similar_by_word(self, word: Any, topn: int | None = 10, restrict_vocab: int | None = None) -> Any:
        """Return `most_similar` of one key."""
        return self.similar_by_key(word, topn, restrict_vocab)

    def similar_by_vector(self, vector: Any, topn: int | None = 10, restrict_vocab: int | None = None) -> Any:
        """Return `most_similar` of one vector; its own key is not left out."""
        return self.most_similar(positive=[np.asarray(vector)], topn=topn, restrict_vocab=restrict_vocab)

    def most_similar_cosmul(
        self, positive: Any = None, negative: Any = None, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> Any:
        """Return the keys with the largest product of cosines, best first (3CosMul).

        A cosine is shifted to [0, 1]; the product of those with positive vectors is divided by that of those with
        negative ones plus 1e-6.

        Args:
            positive: A key, a vector, or a list of these; a vector is used as it is.
            negative: The same.
            topn: Number of answers; None returns the numbers of all vectors, (V,).
            restrict_vocab: Search only the first rows.

        Raises:
            UsageError: There is neither a positive nor a negative key.
            MissingKeyError: A key is unknown.

        Source: Levy & Goldberg (2014), equation 4.
        """
        if topn is not None and topn < 1:
            return []
        wanted, unwanted = as_list(positive), as_list(negative)
        if not wanted and not unwanted:
            raise UsageError("positive or negative must have at least one key, got none")
        products = self._product(wanted, restrict_vocab) / (self._product(unwanted, restrict_vocab) + COSMUL_EPSILON)
        if topn is None:
            return products
        used = {self.get_index(key, -1) for key in wanted + unwanted if isinstance(key, KEY_TYPES)}
        products[[index for index in used if 0 <= index < len(products)]] = -np.inf
        order = np.argsort(-products, kind="stable")[:topn].tolist()
        return [(self.index_to_key[index], float(products[index])) for index in order if products[index] > -np.inf]

    def _product(self, keys: list[Any], restrict_vocab: int | None) -> Rows:
        """Return the product of the shifted cosines of all rows with some vectors, (V,) float32."""
        product = np.ones(len(self.vectors[:restrict_vocab]), np.float32)
        for key in keys:
            vector = self.get_vector(key, norm=True) if isinstance(key, KEY_TYPES) else np.asarray(key, np.float32)
            with np.errstate(invalid="ignore", divide="ignore"):
                cosines = self.vectors[:restrict_vocab] @ vector / self.filled_norms()[:restrict_vocab]
            product *= ((1 + np.nan_to_num(cosines)) / 2).astype(np.float32)
        return product

    def most_similar_to_given(self, key1: Any, keys_list: list[Any]) -> Any:
        """Return the key of a list whose vector has the largest cosine with that of `key1`."""
        cosines = [float(space.cosine(self.get_vector(key1), self.get_vector(key))) for key in keys_list]
        return keys_list[int(np.argmax(cosines))]

    def doesnt_match(self, words: Iterable[Any]) -> Any:
        """Return the word whose vector has the smallest cosine with the mean of all unit vectors.

        Raises:
            UsageError: No word has a vector.
        """
        return self.rank_by_centrality(words)[-1][1]

    def rank_by_centrality(self, words: Iterable[Any], use_norm: bool = True) -> list[tuple[float, Any]]:
        """Return (cosine with the mean vector, word) of words, the most central first; unknown words are left out.

        Args:
            words: Keys.
            use_norm: Divide the vectors by their lengths first.

        Raises:
            UsageError: No word has a vector.
        """
        known = [word for word in words if word in self]
        if not known:
            raise UsageError("words must have at least one word with a vector, got none; check their spelling and case")
        rows = np.vstack([self.get_vector(word, norm=use_norm) for word in known]).astype(np.float32)
        mean = space.unit_rows(rows.mean(axis=0)).astype(np.float32)
        scores = (rows @ mean).tolist()
        return sorted(zip(scores, known, strict=True), reverse=True)


def _weighted(positive: list[Any], negative: list[Any]) -> tuple[list[Any], list[float]]:
    """Return the keys of a question, and their weights: 1, -1, or those that are given with a key."""
    keys, weights = list[Any](), list[float]()
    for sign, items in ((1.0, positive), (-1.0, negative)):
        for item in items:
            is_pair = (
                isinstance(item, (tuple, list)) and len(item) == 2 and isinstance(item[0], (*KEY_TYPES, np.ndarray))
            )
            keys.append(item[0] if is_pair else item if isinstance(item, KEY_TYPES) else np.asarray(item))
            weights.append(float(item[1]) if is_pair else sign)
    return keys, weights
