"""`Reranker`: the best passages of a search, ordered anew by a sentence encoder."""

import hashlib
import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rowspace._base.work_folder import cache_dir
from rowspace.search.ranking.query_encoder import weight_of
from rowspace.search.ranking.scores import Found, Key, key_of
from rowspace.search.ranking.search import key_filter
from rowspace.search.storage.store import ChunkStore
from rowspace.search.storage.vectors import AnyEncoder, encode_passages, encode_query, passages_of

__all__ = ["Reranker"]

_DEPTH = 50  # passages, unless more are wanted
_FILE = "reranked.sqlite"  # in the cache
_MOST_BYTES = 1 << 29  # of vectors in it
_TABLE = """
CREATE TABLE IF NOT EXISTS vectors
(number INTEGER PRIMARY KEY AUTOINCREMENT, name BLOB UNIQUE, vector BLOB, checksum INTEGER)
"""

Vectors = dict[bytes, NDArray[np.float32]]


class Reranker:
    """Gives passages that were found the cosines of another encoder in place of those of the index.

    It reads a passage once: the vectors of passages are kept in the cache, up to 512 MB.

    Args:
        encoder: The encoder.
    """

    def __init__(self, encoder: AnyEncoder) -> None:
        self._encoder = encoder
        self._file = cache_dir() / _FILE

    def rerank(self, store: ChunkStore, query: str, found: Found, k: int) -> Found:
        """Return the best 50 passages, or k if that is more, with the cosines of this encoder.

        Args:
            store: The index.
            query: The query.
            found: The passages that may answer it.
            k: How many are wanted.
        """
        best = [(hit.path, hit.chunk) for hit in found.hits("hybrid", max(k, _DEPTH))]
        query_vector = encode_query(self._encoder, query)
        if not best or not query_vector.any():
            return found
        keys, vectors = self._vectors(store, best)
        cosine = dict(zip(keys, (vectors @ query_vector).tolist(), strict=True))
        return found._replace(
            rows={key: found.rows[key] for key in keys},
            cosine=cosine,
            nearest=sorted(keys, key=lambda key: (-cosine[key], *key)),
            weight=weight_of(query, self._encoder),
        )

    def _vectors(self, store: ChunkStore, keys: Sequence[Key]) -> tuple[list[Key], NDArray[np.float32]]:
        """Return the vectors (n, d) of passages, and the passages in that order."""
        rows = store.read(columns=["path", "chunk", "name", "title", "text"], filter=key_filter(keys))
        passages = passages_of(store, rows)
        texts = ("\0".join([self._encoder.fingerprint, *each]).encode() for each in passages)
        names = [hashlib.blake2b(text, digest_size=16).digest() for text in texts]
        known = _read(self._file, names, self._encoder.dim)
        new = {name: each for name, each in zip(names, passages, strict=True) if name not in known}
        if new:
            encoded = dict(zip(new, encode_passages(self._encoder, list(new.values())), strict=True))
            _write(self._file, encoded)
            known |= encoded
        return list(map(key_of, rows.select(["path", "chunk"]).to_pylist())), np.array([known[name] for name in names])


def _read(file: Path, names: Iterable[bytes], dim: int) -> Vectors:
    """Return the vectors of those names that a file has undamaged; none if it cannot be read."""
    found = Vectors()
    with suppress(sqlite3.Error), closing(_opened(file)) as cache:
        for name in names:
            for stored, checksum in cache.execute("SELECT vector, checksum FROM vectors WHERE name = ?", [name]):
                if isinstance(stored, bytes) and len(stored) == 4 * dim and zlib.crc32(stored) == checksum:
                    found[name] = np.frombuffer(stored, np.float32)
    return found


def _write(file: Path, vectors: Mapping[bytes, NDArray[np.float32]]) -> None:
    """Add vectors to a file, and remove the oldest ones above its limit; nothing if that is not possible."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with closing(_opened(file)) as cache, cache:
            cache.executemany(
                "INSERT OR REPLACE INTO vectors (name, vector, checksum) VALUES (?, ?, ?)",
                [(name, vector.tobytes(), zlib.crc32(vector.tobytes())) for name, vector in vectors.items()],
            )
            most = _MOST_BYTES // max(vector.nbytes for vector in vectors.values())
            cache.execute("DELETE FROM vectors WHERE number <= (SELECT max(number) FROM vectors) - ?", [most])
    except sqlite3.DatabaseError as error:
        if not isinstance(error, sqlite3.OperationalError):  # the file is no database, or a damaged one
            file.unlink(missing_ok=True)
    except OSError:
        pass  # as in a home that cannot be written to


def _opened(file: Path) -> sqlite3.Connection:
    """Return an open file of vectors, which is made if it is missing."""
    cache = sqlite3.connect(file, timeout=5)
    try:
        cache.execute(_TABLE)
    except sqlite3.Error:
        cache.close()
        raise
    return cache
