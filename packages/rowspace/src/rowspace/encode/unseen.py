"""Rows for words out of the vocabulary, from their n-grams, where the table has these (fastText).

An unseen word has a negative id, -1 - i for the i-th unseen row.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.flat_tokenizer import FlatTokenizer
from rowspace.encode.options import pool_rule
from rowspace.encode.pooling import RowPooler, no_rows
from rowspace.encode.texts import FlatIds
from rowspace.subwords.hashing import Subwords
from rowspace.table import Table
from rowspace.text.characters import clean

__all__ = ["UnseenRows", "UnseenWords", "split_words", "word_spans"]

_WORD = re.compile(r"[^ \t\n\v\f\r\0]+")
MEAN_OF_ALL = pool_rule("mean", keep_unknown=True, count_missing=True)


def split_words(text: str) -> list[str]:
    r"""Split a text as fastText does: at ASCII white space and NUL.

    >>> split_words("the  cat\tsat on\u00a0it.")
    ['the', 'cat', 'sat', 'on\xa0it.']
    """
    return _WORD.findall(text)


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return where each word of `split_words` begins and ends.

    >>> word_spans("the  cat")
    [(0, 3), (5, 8)]
    """
    return [match.span() for match in _WORD.finditer(text)]


class UnseenRows(NamedTuple):
    """Ids with the rows of the negative ones.

    Attributes:
        flat: The ids of n texts; an id of V has no row.
        rows: (u, d) float32.
    """

    flat: FlatIds
    rows: NDArray[np.float32]


class UnseenWords:
    """The n-grams of a table, for words that are not in its vocabulary.

    Args:
        table: The table.
        subwords: Its n-grams.
        dim: Number of leading columns of rows that are used.

    >>> places = np.array([0, 0, 0], np.int32)
    >>> subwords = Subwords(np.ones((1, 2)), np.zeros((1, 2)), places)
    >>> words = UnseenWords(Table(["cat"], np.eye(1, 2)), subwords, 2)
    >>> found = words.split(["cat dog dog"], compiled=False)
    >>> found.flat.ids.tolist(), found.rows.tolist()
    ([0, -1, -1], [[1.0, 1.0]])
    """

    def __init__(self, table: Table, subwords: Subwords, dim: int) -> None:
        self._table = table
        self._subwords = subwords
        self._dim = dim
        self._pooler = RowPooler(subwords.rows)

    def split(self, texts: Sequence[str], *, compiled: bool) -> UnseenRows:
        """Return the ids of the words of texts, split at white space.

        Args:
            texts: The texts.
            compiled: Use kernels.
        """
        words = [split_words(clean(text)) for text in texts]
        indptr = np.concatenate([[0], np.cumsum([len(each) for each in words], dtype=np.int64)])
        flat = [word for each in words for word in each]
        ids = self._table.find(flat).astype(np.int32)
        places = np.flatnonzero(ids < 0)
        return self._with_rows(FlatIds(ids, indptr), places, [flat[place] for place in places.tolist()], compiled)

    def fill(self, flat: FlatIds, texts: Sequence[str], tokenizer: FlatTokenizer, *, compiled: bool) -> UnseenRows:
        """Give the unknown tokens of a word tokenizer's ids the rows of their n-grams.

        Args:
            flat: The ids of the texts.
            texts: The texts.
            tokenizer: The tokenizer.
            compiled: Use kernels.
        """
        places = np.flatnonzero(flat.ids == tokenizer.unknown_id)
        if not places.size:
            return UnseenRows(flat, no_rows(self._dim))
        words: list[str] = []
        for index in np.unique(np.searchsorted(flat.indptr, places, side="right") - 1).tolist():
            words += _unknown_words(clean(texts[index]), tokenizer)
        return self._with_rows(FlatIds(flat.ids.copy(), flat.indptr), places, words, compiled)

    def _with_rows(self, flat: FlatIds, places: NDArray[np.int64], words: list[str], compiled: bool) -> UnseenRows:
        """Write the negative ids of `words`, or V, at `places`."""
        distinct = {word: number for number, word in enumerate(dict.fromkeys(words))}
        rows, found = self._rows_of(list(distinct), compiled=compiled)
        numbers = np.where(found, -1 - np.arange(len(found)), len(self._table))
        if words:
            flat.ids[places] = numbers[[distinct[word] for word in words]]
        return UnseenRows(flat, rows)

    def _rows_of(self, words: list[str], *, compiled: bool) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return the row of each word, (n, d), and whether any of its n-grams has one."""
        rows = np.zeros((len(words), self._dim), np.float32)
        if not words:
            return rows, np.zeros(0, np.bool_)
        places = self._places(words, compiled=compiled)
        found = np.array([(places.ids[a:b] >= 0).any() for a, b in zip(places.indptr, places.indptr[1:], strict=False)])
        size = len(self._subwords.rows)
        counted = FlatIds(np.where(places.ids < 0, size, places.ids).astype(np.int32), places.indptr)
        self._pooler.pool(counted, no_rows(self._dim), size, MEAN_OF_ALL, rows, compiled=compiled)
        return rows, found

    def _places(self, words: list[str], *, compiled: bool) -> FlatIds:
        """Return the places of the n-grams of each word, without pruned ones."""
        subwords = self._subwords
        if not compiled:
            return FlatIds.of([subwords.places_of(word).tolist() for word in words])
        from rowspace.subwords.composition import list_places  # numba

        listed = list_places(words, subwords)
        return FlatIds(listed.indices, listed.indptr)


def _unknown_words(text: str, tokenizer: FlatTokenizer) -> list[str]:
    """Return the normalized words of a text that are unknown to its tokenizer, in order."""
    library = tokenizer.library
    encoding = library.encode(text, add_special_tokens=False)
    spans = [
        span for number, span in zip(encoding.ids, encoding.offsets, strict=True) if number == tokenizer.unknown_id
    ]
    words = [text[begin:end] for begin, end in spans]
    return words if library.normalizer is None else [library.normalizer.normalize_str(word) for word in words]
