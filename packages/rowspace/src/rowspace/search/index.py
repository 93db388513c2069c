"""`Index`: files or records as passages that can be searched by meaning and by words."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.contextual_encoder import ContextualEncoder
from rowspace.errors import UsageError
from rowspace.search.bridge import Bridge, BridgeOptions, learn_bridge, save_bridge
from rowspace.search.options import IndexOptions
from rowspace.search.places import check_folder, has_index, replacing, resolve_place, writing
from rowspace.search.ranking.conditions import Where, where_filter
from rowspace.search.ranking.evidence import Evidence, explain_hits
from rowspace.search.ranking.query_encoder import QueryEncoder, open_encoder
from rowspace.search.ranking.reranker import Reranker
from rowspace.search.ranking.scores import Hit, Mode, Rankings
from rowspace.search.ranking.search import find_passages, path_filter
from rowspace.search.reading.files import Change, file_time, resolve_roots
from rowspace.search.records import Records, check_names, rows_of, source_of
from rowspace.search.storage.dataset import import_lance, is_remote
from rowspace.search.storage.settings import IndexSettings, RecordColumns
from rowspace.search.storage.store import ChunkStore
from rowspace.search.storage.vectors import AnyEncoder, PassageVectors, read_vectors
from rowspace.search.update import update_store
from rowspace.search.update_records import update_records
from rowspace.search.writer import Progress, Summary

__all__ = ["Index", "settings_of"]

FLOATS = ("float32", "float16")


class Index:
    """A search index of files or records, in a folder or an object store; make one with `build` or `open`.

    Attributes:
        path: The folder or object store.
        settings: What it was made with.
        summary: What the last build or update did since `open`; zeros if there was none.
    """

    def __init__(
        self, path: str, store: ChunkStore, encoder: AnyEncoder | None, reranker: Reranker | None = None
    ) -> None:
        self.path = path
        self.summary = Summary()
        self._reranker = reranker
        self._store = store
        self._queries = QueryEncoder(path, store, encoder)

    @classmethod
    def build(
        cls,
        files: str | Path | Iterable[str | Path],
        encoder: AnyEncoder | str | Path,
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
            files: Files and folders, also at URLs such as s3://bucket/docs.
            encoder: Texts → vectors; or the path of a table or a sentence encoder, which the index remembers.
            path: A new folder, an index, or a URL such as s3://bucket/index.
            options: The length of passages, and limits.
            table: The path of the encoder's table or model, so that `open` finds it.
            on_progress: Called after each file.

        Returns:
            The index.

        Raises:
            UsageError: If a file does not exist, `path` is another kind of folder, or vectors are not floats.
            RowspaceError: If another process writes to `path`.
        """
        opened, table = _opened(encoder, table)
        settings = settings_of(opened, options or IndexOptions(), table, resolve_roots(files), None)
        return cls.build_by(
            path, settings, opened, lambda store: update_store(store, settings.roots, opened, on_progress=on_progress)
        )

    @classmethod
    def build_records(  # noqa: PLR0913  # as `build`, and the columns
        cls,
        records: str | Path | Iterable[str | Path] | Records,
        encoder: AnyEncoder | str | Path,
        path: str | Path,
        *,
        column: str = "text",
        id_column: str | None = None,
        title_column: str | None = None,
        options: IndexOptions | None = None,
        table: str | Path | None = None,
        on_progress: Progress | None = None,
    ) -> "Index":
        """Make an index of records, each with an id, a text and metadata.

        A long text is divided into passages, as those of files. Records are read one by one; of each, only its id and a
        hash stay in memory. Otherwise as `build`; a damaged record ends it, and those before it are in the index.

        Args:
            records: Files (JSON lines or arrays, CSV, TSV or Parquet, perhaps compressed), or dictionaries.
            encoder: As for `build`.
            path: A new folder, an index, or a URL such as s3://bucket/index.
            column: The column of texts; in names of columns, dots separate nested names.
            id_column: The column of ids, which are texts or integers; by default "id", or if the first record has
                none, a record has the number of its line as its id, such as "data.csv:3"; in an array, its own number.
            title_column: The column of titles, which are searched and shown as headings are.
            options: The length of passages, and limits.
            table: As for `build`.
            on_progress: Called after each record.

        Returns:
            The index. All other columns are the metadata of its hits, and `search` compares them with `where`.

        Raises:
            UsageError: If a record of Python is not valid, there is no such column, or an argument as in `build`.
            FileFormatError: If a record of a file is not; the message has its line.
            CorpusError: If a file cannot be read.
            RowspaceError: If another process writes to `path`.

        Example:
            >>> import tempfile, rowspace as rs
            >>> records = [{"id": "a", "text": "a red cat", "year": 1999}, {"id": "b", "text": "a red dog"}]
            >>> encoder = rs.Encoder(rs.fit(["a red cat", "a red dog"], dim=4, epochs=1, min_count=1))
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     index = Index.build_records(records, encoder, folder)
            ...     [(hit.id, hit.metadata) for hit in index.search("red", where="year>=1990")]
            [('a', {'year': 1999})]
        """
        chosen, (opened, table) = options or IndexOptions(), _opened(encoder, table)
        source, roots = source_of(records)
        names = {"column": column, "id_column": id_column, "title_column": title_column}
        rows = rows_of(source, max_megabytes=chosen.max_megabytes, columns=names)
        first = next(rows, None)
        if first is None:
            raise UsageError("there are no records; give at least one")
        columns = RecordColumns(column, id_column or ("id" if "id" in first.values else None), title_column, {})
        return cls.build_by(
            path,
            settings_of(opened, chosen, table, roots, columns),
            opened,
            lambda store: update_records(
                store, chain([first], rows), opened, columns, is_all=True, on_progress=on_progress
            ),
        )

    @classmethod
    def build_by(
        cls, path: str | Path, settings: IndexSettings, encoder: AnyEncoder, update: Callable[[ChunkStore], Summary]
    ) -> "Index":
        """Make an index of what a function writes; `build`, `build_records` and `rowspace.scale` give it.

        Args:
            path: As for `build`.
            settings: What the index is made with.
            encoder: The encoder.
            update: Writes rows to the storage of the new index, which then takes the place of an old one.

        Raises:
            RowspaceError: If another process writes to `path`, and what `update` raises.
        """
        place = resolve_place(path)
        with writing(place), replacing(place) as new:
            summary = update(ChunkStore.create(new, settings, replace=new != place))
        index = cls.open(place, encoder)
        index.summary = summary
        return index

    @classmethod
    def open(
        cls,
        path: str | Path,
        encoder: AnyEncoder | str | Path | None = None,
        *,
        reranker: AnyEncoder | str | Path | None = None,
    ) -> "Index":
        """Open an index.

        Args:
            path: Its folder or URL.
            encoder: The encoder that it was made with, or one that has a bridge to it (`build_bridge`), or the path of
                its table or model; by default the path that the index remembers.
            reranker: A sentence encoder, or the path of one, that reorders what hybrid searches find: the best 50
                passages, or k if that is more. It reads a passage the first time that a query finds it.

        Raises:
            UsageError: If there is no index, the encoder differs and has no bridge, or the vectors of the reranker are
                not floats.
            FileFormatError: If the index, the bridge or the reranker is damaged.
            MissingExtraError: If the reranker needs PyTorch or transformers, and it is not installed.
        """
        place = resolve_place(path)
        store, second = ChunkStore.open(place), None if reranker is None else open_encoder(reranker)
        if second is not None:
            _check_floats(second, "a reranker")
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
        """Return the paths of the files, or the ids of the records."""
        return sorted(self._store.files())

    def names(self) -> list[str]:
        """Return the headings and functions that passages belong to, each once, in the order of the index."""
        return self._store.names()

    def update(
        self, files: str | Path | Iterable[str | Path] | None = None, *, on_progress: Progress | None = None
    ) -> Summary:
        """Read files or records that are new or have changed, and remove those that no longer exist.

        Args:
            files: Files and folders; by default all that were indexed before. Others in the index are unchanged. Of an
                index of records, these are files to add; all are read.
            on_progress: Called after each file or record.

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
            if (columns := self.settings.records) is not None:
                return self._update_record_files(joined, columns, on_progress)
            if joined != known:
                self._store.change_settings(replace(self.settings, roots=joined))
            self.summary = update_store(
                self._store, roots, self._queries.encoder_of_passages(), on_progress=on_progress
            )
        return self.summary

    def _update_record_files(
        self, roots: tuple[str, ...], columns: RecordColumns, on_progress: Progress | None
    ) -> Summary:
        if not self.settings.roots:
            raise UsageError(f"{self.path}: the index has records of Python; update it with update_records")
        check_names(roots)
        rows = rows_of(
            [root for root in roots if Path(root).exists()],
            max_megabytes=self.settings.max_megabytes,
            columns={"column": columns.text},
        )
        encoder = self._queries.encoder_of_passages()
        self.summary = update_records(self._store, rows, encoder, columns, is_all=True, on_progress=on_progress)
        if roots != self.settings.roots:
            self._store.change_settings(replace(self.settings, roots=roots))
        return self.summary

    def update_records(self, records: Records, *, is_all: bool = False, on_progress: Progress | None = None) -> Summary:
        """Add records of Python, and replace those with the same id that have changed.

        Args:
            records: Dictionaries with the columns that `build_records` was given.
            is_all: Whether these are all records; then others in the index are removed.
            on_progress: Called after each record.

        Returns:
            What was done.

        Raises:
            UsageError: If a record is not valid, the index has none of Python, or the encoder did not make it.
            RowspaceError: If another process writes to the index.
        """
        with writing(self.path):
            self._store.refresh()
            self._store.check()
            columns = self.settings.records
            if columns is None or self.settings.roots:
                raise UsageError(f"{self.path}: the index was made of files, which update reads again")
            rows = rows_of(records, max_megabytes=self.settings.max_megabytes)
            encoder = self._queries.encoder_of_passages()
            self.summary = update_records(self._store, rows, encoder, columns, is_all=is_all, on_progress=on_progress)
        return self.summary

    def build_bridge(
        self,
        encoder: AnyEncoder | str | Path,
        *,
        options: BridgeOptions | None = None,
        on_step: Callable[[str], None] | None = None,
    ) -> Bridge:
        """Learn a map from another encoder's vectors to those of the index, and save it with the index.

        From then on, `open` accepts that encoder: its queries go through the map. The encoder that made the index is
        not needed. `build` removes the bridges of the index that it replaces.

        Args:
            encoder: The new encoder, or the path of its table or model.
            options: How many passages, and which map.
            on_step: Called with a sentence before each step.

        Returns:
            The bridge, with recall@10 on held-out passages.

        Raises:
            UsageError: If the encoder made the index, its vectors are not floats, or there are too few passages.
            RowspaceError: If the bridge cannot be written.
        """
        self._store.refresh()
        encoder = open_encoder(encoder)
        _check_floats(encoder, "a bridge")
        if encoder.fingerprint == self.settings.fingerprint:
            raise UsageError(f"{self.path}: the index was made with this table, so it needs no bridge; search it")
        bridge = learn_bridge(self._store, encoder, options or BridgeOptions(), on_step=on_step)
        save_bridge(self.path, bridge)
        return bridge

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

    def changes(self, hits: Iterable[Hit]) -> dict[str, Change]:
        """Return which files of hits have another size or time than when they were indexed, or are gone.

        Args:
            hits: Passages that were found.

        Returns:
            The change of each such path; none for a file that is as it was indexed, and none for records.
        """
        if self.settings.records is not None:
            return {}
        paths = sorted({hit.path for hit in hits})
        known = (
            {path: state for path, state in self._store.files(paths).items() if not is_remote(path)} if paths else {}
        )
        now = {path: file_time(path) for path in known}
        return {path: "changed" if now[path] else "gone" for path, state in known.items() if now[path] != state[:2]}

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


def _opened(encoder: AnyEncoder | str | Path, table: str | Path | None) -> tuple[AnyEncoder, str | Path | None]:
    """Return the encoder, and the path of its table or model if it is known."""
    path = encoder if isinstance(encoder, str | Path) else table
    return open_encoder(encoder), path


def settings_of(
    encoder: AnyEncoder,
    options: IndexOptions,
    table: str | Path | None,
    roots: Iterable[str],
    columns: RecordColumns | None,
) -> IndexSettings:
    """Return the settings of a new index; raise `UsageError` if the vectors of the encoder are not floats."""
    _check_floats(encoder, "an index")
    known = None if table is None else str(table) if is_remote(str(table)) else os.path.realpath(table)
    return IndexSettings(encoder.fingerprint, encoder.dim, known, tuple(roots), **asdict(options), records=columns)


def _check_floats(encoder: AnyEncoder, purpose: str) -> None:
    if encoder.options.dtype not in FLOATS:
        raise UsageError(
            f"{purpose} needs vectors of {' or '.join(FLOATS)}, and this encoder has dtype={encoder.options.dtype!r}"
        )
