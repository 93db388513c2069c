"""`Index`: files as passages that can be searched by meaning and by words."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.encoder import Encoder
from rowspace.errors import UsageError
from rowspace.search.bridge import Bridge, BridgeOptions, learn_bridge, save_bridge
from rowspace.search.options import IndexOptions
from rowspace.search.places import check_folder, has_index, replacing, resolve_place, writing
from rowspace.search.ranking.evidence import Evidence, explain_hits
from rowspace.search.ranking.query_encoder import QueryEncoder
from rowspace.search.ranking.scores import Hit, Mode, Rankings
from rowspace.search.ranking.search import find_passages
from rowspace.search.reading.files import Change, file_time, resolve_roots
from rowspace.search.storage.dataset import import_lance, is_remote
from rowspace.search.storage.settings import IndexSettings
from rowspace.search.storage.store import ChunkStore
from rowspace.search.storage.vectors import PassageVectors, read_vectors
from rowspace.search.update import Progress, Summary, update_store

__all__ = ["Index"]

FLOATS = ("float32", "float16")


class Index:
    """A search index of files, in a folder or an object store; make one with `build` or `open`.

    Attributes:
        path: The folder or object store.
        settings: What it was made with.
        summary: What the last build or update did since `open`; zeros if there was none.
    """

    def __init__(self, path: str, store: ChunkStore, encoder: Encoder | None) -> None:
        self.path = path
        self.summary = Summary()
        self._store = store
        self._queries = QueryEncoder(path, store, encoder)

    @classmethod
    def build(
        cls,
        files: str | Path | Iterable[str | Path],
        encoder: Encoder,
        path: str | Path,
        *,
        options: IndexOptions | None = None,
        table: str | Path | None = None,
        on_progress: Progress | None = None,
    ) -> "Index":
        """Make an index of files.

        An index at `path` is replaced, in one step, when the new one is complete; until then it can be searched. A
        killed build of the first index leaves the files that are done, and `update` continues.

        Args:
            files: Files and folders.
            encoder: Texts → vectors.
            path: A new folder, an index, or a URL such as s3://bucket/index.
            options: The length of passages, and limits.
            table: The path of the encoder's table, so that `open` finds it.
            on_progress: Called after each file.

        Returns:
            The index.

        Raises:
            UsageError: If a file does not exist, `path` is another kind of folder, or vectors are not floats.
            RowspaceError: If another process writes to `path`.
        """
        _check_floats(encoder, "an index")
        place, roots = resolve_place(path), resolve_roots(files)
        settings = IndexSettings(
            encoder.fingerprint,
            encoder.dim,
            None if table is None else os.path.realpath(table),
            tuple(roots),
            **asdict(options or IndexOptions()),
        )
        with writing(place), replacing(place) as new:
            store = ChunkStore.create(new, settings, replace=new != place)
            summary = update_store(store, roots, encoder, on_progress=on_progress)
        index = cls.open(place, encoder)
        index.summary = summary
        return index

    @classmethod
    def open(cls, path: str | Path, encoder: Encoder | None = None) -> "Index":
        """Open an index.

        Args:
            path: Its folder or URL.
            encoder: The encoder that it was made with, or one that has a bridge to it (`build_bridge`); by default that
                of the table whose path it has stored.

        Raises:
            UsageError: If there is no index, or the encoder differs and has no bridge.
            FileFormatError: If the index or the bridge is damaged.
        """
        place = resolve_place(path)
        index = cls(place, ChunkStore.open(place), encoder)
        if encoder is not None:
            index._queries.encoder()
        return index

    @classmethod
    def exists(cls, path: str | Path) -> bool:
        """Whether there is an index at `path`, which may be damaged."""
        return has_index(resolve_place(path))

    @classmethod
    def check_target(cls, path: str | Path) -> None:
        """Raise the errors that `build` would raise about `path` or a missing Lance; call it before long work."""
        import_lance()
        place = resolve_place(path)
        if not is_remote(place):
            check_folder(place)

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

    def files(self) -> list[str]:
        """Return the paths of the files."""
        return sorted(self._store.files())

    def names(self) -> list[str]:
        """Return the headings and functions that passages belong to, each once, in the order of the index."""
        return self._store.names()

    def update(
        self, files: str | Path | Iterable[str | Path] | None = None, *, on_progress: Progress | None = None
    ) -> Summary:
        """Read files that are new or have changed, and remove those that no longer exist.

        Args:
            files: Files and folders; by default all that were indexed before. Others in the index are unchanged.
            on_progress: Called after each file.

        Returns:
            What was done.

        Raises:
            UsageError: If a file does not exist and is not in the index, or the encoder did not make the index.
            RowspaceError: If another process writes to the index.
        """
        with writing(self.path):
            self._store.refresh()
            self._store.check()
            known = self.settings.roots
            missing = [*known, *self._store.files()]  # these may have been removed
            roots = resolve_roots(known if files is None else files, known=missing)
            joined = tuple(resolve_roots([*known, *roots], known=missing))
            if joined != known:
                self._store.change_settings(replace(self.settings, roots=joined))
            self.summary = update_store(
                self._store, roots, self._queries.encoder_of_passages(), on_progress=on_progress
            )
        return self.summary

    def build_bridge(
        self,
        encoder: Encoder,
        *,
        options: BridgeOptions | None = None,
        on_step: Callable[[str], None] | None = None,
    ) -> Bridge:
        """Learn a map from another encoder's vectors to those of the index, and save it with the index.

        From then on, `open` accepts that encoder: its queries go through the map. The encoder that made the index is
        not needed. `build` removes the bridges of the index that it replaces.

        Args:
            encoder: The new encoder.
            options: How many passages, and which map.
            on_step: Called with a sentence before each step.

        Returns:
            The bridge, with recall@10 on held-out passages.

        Raises:
            UsageError: If the encoder made the index, its vectors are not floats, or there are too few passages.
            RowspaceError: If the bridge cannot be written.
        """
        self._store.refresh()
        _check_floats(encoder, "a bridge")
        if encoder.fingerprint == self.settings.fingerprint:
            raise UsageError(f"{self.path}: the index was made with this table, so it needs no bridge; search it")
        bridge = learn_bridge(self._store, encoder, options or BridgeOptions(), on_step=on_step)
        save_bridge(self.path, bridge)
        return bridge

    def search(self, query: str, *, k: int = 10, path: str | None = None, mode: Mode = "hybrid") -> list[Hit]:
        """Return the passages that answer a query, best first.

        Args:
            query: Words or a question.
            k: The maximum number of passages.
            path: Search only files whose path matches this pattern, such as `*.md`, `docs/` or `src/**/*.py`.
            mode: "dense" ranks by the cosine of vectors, "lexical" by BM25 scores of passages, their titles and their
                files, "hybrid" by both.

        Returns:
            At most `k` hits; none if no word of the query is known.

        Raises:
            UsageError: If an argument is not valid, or the table has changed since the index was made.
        """
        self._store.refresh()
        vector = None if mode == "lexical" else self._queries.vector(query)
        known = self._queries.known(query) if mode == "hybrid" else 1.0
        return find_passages(self._store, query, vector, k=k, path=path, mode=mode, known=known).hits(mode, k)

    def changes(self, hits: Iterable[Hit]) -> dict[str, Change]:
        """Return which files of hits have another size or time than when they were indexed, or are gone.

        Args:
            hits: Passages that were found.

        Returns:
            The change of each such path; none for a file that is as it was indexed.
        """
        paths = sorted({hit.path for hit in hits})
        known = self._store.files(paths) if paths else {}
        now = {path: file_time(path) for path in known}
        return {path: "changed" if now[path] else "gone" for path, state in known.items() if now[path] != state[:2]}

    def rankings(self, query: str, *, k: int = 10, path: str | None = None) -> Rankings:
        """Return the passages that answer a query in three orders: by vectors, by words, and by both.

        Args:
            query: Words or a question.
            k: The maximum number of passages of each order.
            path: As for `search`.

        Returns:
            What `search` returns in each mode, with both ranks of each passage.

        Raises:
            UsageError: As `search`.
        """
        self._store.refresh()
        vector, known = self._queries.vector(query), self._queries.known(query)
        return find_passages(self._store, query, vector, k=k, path=path, mode="hybrid", known=known).rankings(k)

    def evidence(self, query: str, hits: Sequence[Hit]) -> list[Evidence]:
        """Return why passages were found: what each of their words adds to the cosine, and each query word to BM25.

        Args:
            query: The query.
            hits: Passages that were found.

        Raises:
            UsageError: If the table has changed since the index was made, or its encoder's pooling is not a mean.
        """
        return explain_hits(self._store, self._queries.encoder_of_passages(), query, self._queries.vector(query), hits)

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

    @property
    def version(self) -> int:
        """The number of the index's last commit, which changes with its passages."""
        self._store.refresh()
        return int(self._store.dataset.version)


def _check_floats(encoder: Encoder, purpose: str) -> None:
    if encoder.options.dtype not in FLOATS:
        raise UsageError(
            f"{purpose} needs vectors of {' or '.join(FLOATS)}, and this encoder has dtype={encoder.options.dtype!r}"
        )
