"""`Encoder`: texts → one vector each, the mean of the rows of their tokens."""

from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.flat_tokenizer import FlatTokenizer
from rowspace.encode.texts import FlatIds, TextBuffer
from rowspace.errors import UsageError
from rowspace.store import load
from rowspace.table import Table

__all__ = ["Encoder"]


class Encoder:
    """Texts → vectors: the mean of the rows of a text's tokens, without those that have no row.

    Args:
        table: A table with a tokenizer.

    Raises:
        UsageError: The table has no tokenizer.

    >>> from rowspace.text import whitespace_json
    >>> words = ["the", "cat"]
    >>> table = Table(words, np.eye(2, dtype=np.float32), tokenizer=whitespace_json(words))
    >>> Encoder(table).encode(["the cat", "a cat", ""])
    array([[0.5, 0.5],
           [0. , 1. ],
           [0. , 0. ]], dtype=float32)
    """

    def __init__(self, table: Table) -> None:
        if table.tokenizer is None:
            raise UsageError("this table has no tokenizer, so texts have no ids; open one that has a tokenizer.json")
        self.table = table
        self.tokenizer = FlatTokenizer(table.tokenizer, source="the table's tokenizer")

    @classmethod
    def load(cls, path: str | Path) -> "Encoder":
        """Open the table at `path`, in any format of `rowspace.load`."""
        return cls(load(path))

    @property
    def dim(self) -> int:
        """The width of a vector."""
        return self.table.dim

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that decides the vectors: the rows, the tokenizer and how they are pooled."""
        digest = blake2b(digest_size=16)
        digest.update(repr((self.table.rows.shape, str(self.table.rows.dtype))).encode())
        digest.update(np.ascontiguousarray(self.table.rows).data)
        digest.update((self.table.tokenizer or "").encode())
        return digest.hexdigest()

    def encode(self, texts: str | Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts.

        Args:
            texts: A text, or n texts.

        Returns:
            float32 (d,) of a text, or (n, d).
        """
        if isinstance(texts, str):
            vector: NDArray[np.float32] = self.encode([texts])[0]
            return vector
        buffer = TextBuffer.of(texts)
        return self._pool(self.tokenizer.encode_range(buffer, 0, len(texts)))

    def _pool(self, flat: FlatIds) -> NDArray[np.float32]:
        pooled = np.zeros((flat.indptr.size - 1, self.dim), np.float32)
        for text, (first, last) in enumerate(zip(flat.indptr[:-1], flat.indptr[1:], strict=True)):
            ids = self._known(flat.ids[first:last])
            if ids.size:
                pooled[text] = self.table.rows[ids].mean(axis=0)
        return pooled

    def _known(self, ids: NDArray[Any]) -> NDArray[Any]:
        """Return the ids that have a row of their own: neither the unknown token nor beyond the table."""
        known = ids < len(self.table)
        if self.tokenizer.unknown_id is not None:
            known &= ids != self.tokenizer.unknown_id
        return ids[known]
