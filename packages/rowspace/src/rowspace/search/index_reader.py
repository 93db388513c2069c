"""`IndexReader`: an index that is searched; it never changes the index."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.contextual_encoder import ContextualEncoder
from rowspace.errors import UsageError
from rowspace.search.bridge import Bridge
from rowspace.search.options import check_floats
from rowspace.search.places import has_index, resolve_place
from rowspace.search.ranking.conditions import Where, where_filter
from rowspace.search.ranking.evidence import Evidence, explain_hits
from rowspace.search.ranking.query_encoder import QueryEncoder, open_encoder
from rowspace.search.ranking.reranker import Reranker
from rowspace.search.ranking.scores import Hit, Mode, Rankings
from rowspace.search.ranking.search import find_passages, path_filter
from rowspace.search.reading.files import Change, FileTime, file_time
from rowspace.search.storage.dataset import is_remote
from rowspace.search.storage.settings import IndexSettings
from rowspace.search.storage.store import ChunkStore
from rowspace.search.storage.vectors import AnyEncoder, PassageVectors, read_vectors
from rowspace.search.storage.words import terms_of

__all__ = ["IndexReader"]


class IndexReader:
    """What `Index` has to search an index, and to look into it; make one with `Index.open`."""

    def __init__(
        self, path: str, store: ChunkStore, encoder: AnyEncoder | None, reranker: Reranker | None = None
    ) -> None:
        self.path = path
        self._reranker = reranker
        self._store = store
        self._queries = QueryEncoder(path, store, encoder)

    @classmethod
    def open(
        cls,
        path: str | Path,
        encoder: AnyEncoder | str | Path | None = None,
        *,
        reranker: AnyEncoder | str | Path | None = None,
    ) -> Self:
        """Open an index.

        Args:
            path: Its folder or URL.
            encoder: The encoder that it was made with, or one that has a bridge to it (`build_bridge`), or the path of
                its table or model; by default the path that the index remembers.
            reranker: A sentence encoder, or the path of one, that reorders what hybrid searches find: the best 50
                passages, or k if that is more. It reads a passage the first time that a query finds it.

        Raises:
            UsageError: If there is no index, the encoder differs and has no bridge, or the reranker is a table or has
                vectors that are not floats.
            FileFormatError: If the index, the bridge or the reranker is damaged.
            MissingExtraError: If the reranker needs PyTorch or transformers, and it is not installed.
        """
        place = resolve_place(path)
        store, second = ChunkStore.open(place), None if reranker is None else open_encoder(reranker)
        if second is not None:
            check_floats(second, "a reranker")
            if not isinstance(second, ContextualEncoder):
                raise UsageError(f"a reranker must be a sentence encoder, and {reranker} is a table; leave it out")
        index = cls(
            place,
            store,
            None if encoder is None else open_encoder(encoder),
            None if second is None else Reranker(second),
        )
        if encoder is not None:
            index._queries.encoder()
        return index

    @classmethod
    def exists(cls, path: str | Path) -> bool:
        """Whether there is an index at `path`, which may be damaged."""
        return has_index(resolve_place(path))

    @property
    def bridge(self) -> Bridge | None:
        """What maps queries, if the encoder is not the one that made the index; None before the first query."""
        return self._queries.bridge

    @property
    def settings(self) -> IndexSettings:
        """What the index was made with."""
        return self._store.settings

    def __len__(self) -> int:
        """Return the number of passages."""
        return self._store.count()

    def count(self, *, path: str | None = None, where: Where | None = None) -> int:
        """Return the number of passages that meet `path` and `where`, as for `search`."""
        return self._store.count(self._filter(path, where))

    @property
    def version(self) -> int:
        """The number of the index's last commit, which changes with its passages."""
        self._store.refresh()
        return int(self._store.dataset.version)

    def files(self) -> list[str]:
        """Return the paths of the files, or the ids of the records."""
        return sorted(self._store.files())

    def names(self) -> list[str]:
        """Return the headings and functions that passages belong to, each once, in the order of the index."""
        return self._store.names()

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        path: str | None = None,
        where: Where | None = None,
        mode: Mode = "hybrid",
    ) -> list[Hit]:
        """Return the passages that answer a query, best first.

        Args:
            query: Words or a question.
            k: The maximum number of passages.
            path: Search only files whose path matches this pattern, such as `*.md`, `docs/` or `src/**/*.py`.
            where: Search only records that meet this condition on their metadata, such as "year>=1999", or several:
                a list of conditions, or a dictionary of values by column. The operators are = != < <= > >=; numbers
                are compared by size, texts by their characters. `column=` is met by records without a value, `!=` also
                by these.
            mode: "dense" ranks by the cosine of vectors, "lexical" by BM25 scores of passages, their titles and their
                files, "hybrid" by both, and by the reranker of `open` if there is one.

        Returns:
            At most `k` hits; none if no word of the query is known.

        Raises:
            UsageError: If an argument is not valid, or the table has changed since the index was made.
        """
        self._store.refresh()
        vector = None if mode == "lexical" else self._queries.vector(query)
        weight, condition = self._queries.weight(query) if mode == "hybrid" else 1.0, self._filter(path, where)
        found = find_passages(self._store, query, vector, k=k, where=condition, mode=mode, weight=weight)
        if self._reranker is not None and mode == "hybrid":
            found = self._reranker.rerank(self._store, query, found, k)
        return found.hits(mode, k)

    def why_nothing(
        self, query: str, *, path: str | None = None, where: Where | None = None, mode: Mode = "hybrid"
    ) -> str:
        """Return why `search` found nothing, as the end of a sentence; the arguments are those of `search`."""
        if not len(self):
            return "the index has no passages"
        if (path or where) and not self.count(path=path, where=where):
            return "no record meets where" if where else "no file matches path"
        if not terms_of(query):
            return "the query has no word"
        if mode == "dense":
            return "no word of the query has a row in the table"
        asked = "record that meets where" if where else "file that matches path" if path else "passage"
        return f"no {asked} has a word of the query"

    def rankings(self, query: str, *, k: int = 10, path: str | None = None, where: Where | None = None) -> Rankings:
        """Return the passages that answer a query in three orders: by vectors, by words, and by both.

        Args:
            query: Words or a question.
            k: The maximum number of passages of each order.
            path: As for `search`.
            where: As for `search`.

        Returns:
            What `search` returns in each mode without a reranker, with both ranks of each passage.

        Raises:
            UsageError: As `search`.
        """
        self._store.refresh()
        vector, weight = self._queries.vector(query), self._queries.weight(query)
        found = find_passages(
            self._store, query, vector, k=k, where=self._filter(path, where), mode="hybrid", weight=weight
        )
        return found.rankings(k)

    def _filter(self, path: str | None, where: Where | None) -> str | None:
        """Return the condition of SQL that passages must meet."""
        columns = self.settings.records
        if path is not None and columns is not None:
            raise UsageError("path is for an index of files, and this one has records; use where")
        if where is not None and columns is None:
            raise UsageError("where is for an index of records, and this one has files; use path")
        if where is not None and columns is not None:
            return where_filter(where, columns)
        return None if path is None else path_filter(path)

    def evidence(self, query: str, hits: Sequence[Hit]) -> list[Evidence]:
        """Return why passages were found: what each of their words adds to the cosine, and each query word to BM25.

        Args:
            query: The query.
            hits: Passages that were found.

        Raises:
            UsageError: If the table has changed since the index was made, or its encoder's pooling is not a mean, or it
                is a sentence encoder.
        """
        encoder = self._queries.encoder_of_passages()
        if isinstance(encoder, ContextualEncoder):
            raise UsageError(
                f"{self.path}: a sentence encoder made the vectors, in which words have no shares of their own"
            )
        return explain_hits(self._store, encoder, query, self._queries.vector(query), hits)

    def changes(self, hits: Iterable[Hit]) -> dict[str, Change]:
        """Return which files of hits have another size or time than when they were indexed, or are gone.

        Of records, whose files are known as a whole, all are returned if one of the files has changed or is gone.

        Args:
            hits: Passages that were found.

        Returns:
            The change of each such path or id; none for a file that is as it was indexed.
        """
        if self.settings.records is not None:
            changes = _changes(self.settings.times)
            change: Change | None = "gone" if "gone" in changes.values() else "changed" if changes else None
            return {} if change is None else {hit.path: change for hit in hits}
        paths = sorted({hit.path for hit in hits})
        known = self._store.files(paths) if paths else {}
        return _changes({path: state[:2] for path, state in known.items() if not is_remote(path)})

    def vectors(self, *, limit: int | None = None) -> PassageVectors:
        """Return the vectors of the passages, with their places.

        Args:
            limit: Return at most this many, at equal distances in the order of the index.
        """
        self._store.refresh()
        return read_vectors(self._store, limit)

    def query_vector(self, query: str) -> NDArray[np.float32]:
        """Return the vector of a query, (d,) of length 1; zeros if no token of it has a row."""
        return self._queries.vector(query)


def _changes(known: Mapping[str, FileTime]) -> dict[str, Change]:
    """Return which files have other times now, or are gone."""
    now = {path: file_time(path) for path in known}
    return {path: "changed" if now[path] else "gone" for path, time in known.items() if now[path] != time}
