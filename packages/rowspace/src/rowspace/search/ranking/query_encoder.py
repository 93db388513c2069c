"""`QueryEncoder`: a query → its vector, by the encoder that made the index or through a bridge from another one."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.contextual_encoder import ContextualEncoder
from rowspace.encode.encoder import Encoder
from rowspace.encode.modes import is_contextual_at
from rowspace.errors import UsageError
from rowspace.files.hub import local_path
from rowspace.files.remote import is_url
from rowspace.search.bridge import Bridge, load_bridge
from rowspace.search.ranking.search import check_query
from rowspace.search.storage.store import ChunkStore
from rowspace.search.storage.vectors import AnyEncoder, encode_query, known_share_of

__all__ = ["QueryEncoder", "open_encoder", "weight_of"]

_CONTEXTUAL = 3.0  # times the weight of the cosine of a table; chosen as the weights of `scores` were


class QueryEncoder:
    """The encoder of an index's queries, loaded with the first one, and again after another process rebuilds the index.

    Args:
        path: The path of the index.
        store: Its rows.
        encoder: An encoder; by default that of the table whose path the index has stored.

    Attributes:
        bridge: The map of queries, if the encoder is not the one that made the index; else None.
    """

    def __init__(self, path: str, store: ChunkStore, encoder: AnyEncoder | None) -> None:
        self.bridge: Bridge | None = None
        self._path, self._store, self._encoder = path, store, encoder
        self._ready: tuple[str, AnyEncoder] | None = None  # the fingerprint of the index, and its encoder

    def vector(self, query: str) -> NDArray[np.float32]:
        """Return the vector of a query, (d,) of length 1; zeros if no token of it has a row."""
        check_query(query)
        vector = encode_query(self.encoder(), query)
        return vector if self.bridge is None else self.bridge.apply(vector[None])[0]

    def weight(self, query: str) -> float:
        """Return how much the cosine counts; see `weight_of`."""
        return weight_of(query, self.encoder())

    def encoder(self) -> AnyEncoder:
        """Return an encoder that made the index or has a bridge to it, and set `bridge`.

        Raises:
            UsageError: If the encoder differs and has no bridge, or the index has no path of a table.
        """
        index_fingerprint = self._store.settings.fingerprint
        if self._ready is None or self._ready[0] != index_fingerprint:
            encoder = self._encoder or self._load()
            bridge = None
            if encoder.fingerprint != index_fingerprint:
                bridge = load_bridge(self._path, encoder.fingerprint, index_fingerprint)
                if bridge is None:
                    advice = "learn a bridge to it with rowspace bridge, or build the index again with --rebuild"
                    raise self._other_table(encoder, advice)
            self.bridge, self._ready = bridge, (index_fingerprint, encoder)
        return self._ready[1]

    def encoder_of_passages(self) -> AnyEncoder:
        """Return the encoder that made the index.

        Raises:
            UsageError: If the encoder is another one, even with a bridge.
        """
        encoder = self.encoder()
        if self.bridge is not None:
            advice = "build the index again with --rebuild, since a bridge is for searches only"
            raise self._other_table(encoder, advice)
        return encoder

    def _load(self) -> AnyEncoder:
        table = self._store.settings.table
        if table is None:
            raise UsageError(f"{self._path}: the index has no path of its table; pass the encoder, or use --table")
        if not is_url(table) and not Path(table).exists():
            raise UsageError(
                f"{self._path}: the table or model that made the index, {table}, is missing; put it back, give its new "
                "place with --table, or build the index again with --rebuild"
            )
        return open_encoder(table)

    def _other_table(self, encoder: AnyEncoder, advice: str) -> UsageError:
        settings = self._store.settings
        known = f" ({settings.table})" if settings.table else ""
        return UsageError(
            f"{self._path}: the index was made with another table{known}, so vectors cannot be compared: it has "
            f"fingerprint {settings.fingerprint}, this table {encoder.fingerprint}; use that table, or {advice}"
        )


def weight_of(query: str, encoder: AnyEncoder) -> float:
    """Return how much a cosine counts: the share of the query that its vector is made of; see `known_share_of`.

    It is more with a sentence encoder.
    """
    return known_share_of(query, encoder) * (_CONTEXTUAL if isinstance(encoder, ContextualEncoder) else 1)


def open_encoder(encoder: AnyEncoder | str | Path) -> AnyEncoder:
    """Return an encoder, or open the one at a path: a table, or a model that decides vectors by the context."""
    if not isinstance(encoder, str | Path):
        return encoder
    path = Path(local_path(encoder))
    return Encoder.load(path, mode="contextual") if is_contextual_at(path) else Encoder.load(path)
