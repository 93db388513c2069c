"""`Index`: files or records as passages that can be searched by meaning and by words."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Self

from rowspace.errors import UsageError
from rowspace.files.remote import is_url
from rowspace.search.bridge import Bridge, BridgeOptions, learn_bridge, save_bridge
from rowspace.search.index_reader import IndexReader
from rowspace.search.options import IndexOptions, check_floats, settings_of
from rowspace.search.places import check_folder, replacing, resolve_place, writing
from rowspace.search.ranking.query_encoder import open_encoder
from rowspace.search.ranking.reranker import Reranker
from rowspace.search.reading.files import file_time, resolve_roots
from rowspace.search.records import Records, Row, check_names, records_of, rows_of, source_of
from rowspace.search.storage.dataset import import_lance, is_remote
from rowspace.search.storage.settings import IndexSettings, RecordColumns
from rowspace.search.storage.store import ChunkStore
from rowspace.search.storage.vectors import AnyEncoder
from rowspace.search.update import update_store
from rowspace.search.update_records import update_records
from rowspace.search.writer import Progress, Summary

__all__ = ["Index"]


class Index(IndexReader):
    """A search index of files or records, in a folder or an object store; make one with `build` or `open`.

    Attributes:
        path: The folder or object store.
        settings: What it was made with.
        summary: What the last build or update did since `open`; zeros if there was none.
    """

    def __init__(
        self, path: str, store: ChunkStore, encoder: AnyEncoder | None, reranker: Reranker | None = None
    ) -> None:
        super().__init__(path, store, encoder, reranker)
        self.summary = Summary()

    @classmethod
    def build(  # what, how and where
        cls,
        files: str | Path | Iterable[str | Path],
        encoder: AnyEncoder | str | Path,
        path: str | Path,
        *,
        ids: Iterable[str | int] | None = None,
        metadata: Iterable[Mapping[str, Any]] | None = None,
        options: IndexOptions | None = None,
        table: str | Path | None = None,
        on_progress: Progress | None = None,
    ) -> Self:
        """Make an index of files, or of a list of texts with ids.

        An index at `path` is replaced, in one step, when the new one is complete; until then it can be searched. A
        killed build of the first index leaves the files that are done, and `update` continues.

        Args:
            files: Files and folders, also at URLs such as s3://bucket/docs; if `ids` is given, texts.
            encoder: Texts → vectors; or the path of a table or a sentence encoder, which the index remembers.
            path: A new folder, an index, or a URL such as s3://bucket/index.
            ids: An id for each text; the index is then one of records, as `build_records` makes.
            metadata: For each text, its other values by name, which `search` compares with `where`.
            options: The length of passages, and limits.
            table: The path of the encoder's table or model, so that `open` finds it.
            on_progress: Called after each file.

        Returns:
            The index.

        Raises:
            UsageError: If a file does not exist, `path` is another kind of folder, vectors are not floats, or there are
                not as many ids and metadata as texts.
            RowspaceError: If another process writes to `path`.
        """
        if ids is not None or metadata is not None:
            records = records_of(files, ids, metadata)
            return cls.build_records(
                records, encoder, path, id_column="id", options=options, table=table, on_progress=on_progress
            )
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
    ) -> Self:
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
            >>> encoder = rs.Encoder(rs.fit(["a red cat", "a red dog"], dim=4, epochs=1, min_count=1, sample=0))
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
            lambda store: _write_records(store, chain([first], rows), opened, columns, roots, on_progress),
        )

    @classmethod
    def build_by(
        cls, path: str | Path, settings: IndexSettings, encoder: AnyEncoder, update: Callable[[ChunkStore], Summary]
    ) -> Self:
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
    def check_target(cls, path: str | Path) -> None:
        """Raise the errors that `build` would raise about `path` or a missing Lance; call it before long work."""
        import_lance()
        place = resolve_place(path)
        if not is_remote(place):
            check_folder(place)

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
            UsageError: If a file does not exist and is not in the index, a file or folder that was named for the index
                is missing, or the encoder did not make the index.
            RowspaceError: If another process writes to the index.
        """
        with writing(self.path):
            self._store.refresh()
            self._store.check()
            known = self.settings.roots
            missing = [*known, *self._store.files()]  # these may have been removed
            roots = resolve_roots(known if files is None else files, known=missing)
            joined = tuple(resolve_roots([*known, *roots], known=missing))
            self._check_roots(roots if self.settings.records is None else joined)
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
        rows = rows_of(roots, max_megabytes=self.settings.max_megabytes, columns={"column": columns.text})
        encoder = self._queries.encoder_of_passages()
        self.summary = _write_records(self._store, rows, encoder, columns, roots, on_progress)
        return self.summary

    def _check_roots(self, roots: Iterable[str]) -> None:
        """Raise `UsageError` if a folder, or a file of records, was indexed and is missing, as if its disk were gone.

        A file that was named by itself and has been deleted is no folder: the index forgets it.
        """
        files = self._store.files()
        for root in roots:
            if root in self.settings.roots and root not in files and not is_url(root) and not Path(root).exists():
                raise UsageError(
                    f"{root} was indexed and is missing; restore it, or build the index again from other files with "
                    "--rebuild"
                )

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
        on_progress: Progress | None = None,
    ) -> Bridge:
        """Learn a map from another encoder's vectors to those of the index, and save it with the index.

        From then on, `open` accepts that encoder: its queries go through the map. The encoder that made the index is
        not needed. `build` removes the bridges of the index that it replaces.

        Args:
            encoder: The new encoder, or the path of its table or model.
            options: How many passages, and which map.
            on_step: Called with a sentence before each step.
            on_progress: Called with the number of passages encoded, and that of all.

        Returns:
            The bridge, with recall@10 on held-out passages.

        Raises:
            UsageError: If the encoder made the index, its vectors are not floats, or there are too few passages.
            RowspaceError: If the bridge cannot be written.
        """
        self._store.refresh()
        encoder = open_encoder(encoder)
        check_floats(encoder, "a bridge")
        if encoder.fingerprint == self.settings.fingerprint:
            raise UsageError(f"{self.path}: the index was made with this table, so it needs no bridge; search it")
        bridge = learn_bridge(
            self._store, encoder, options or BridgeOptions(), on_step=on_step, on_progress=on_progress
        )
        save_bridge(self.path, bridge)
        return bridge


def _write_records(  # what, and how
    store: ChunkStore,
    rows: Iterable[Row],
    encoder: AnyEncoder,
    columns: RecordColumns,
    roots: Iterable[str],
    on_progress: Progress | None,
) -> Summary:
    """Write all records of files, and the times that these had before."""
    roots = tuple(roots)
    times = {root: time for root in roots if (time := file_time(root)) is not None}
    summary = update_records(store, rows, encoder, columns, is_all=True, on_progress=on_progress)
    settings = replace(store.settings, roots=roots, times=times)
    if settings != store.settings:
        store.change_settings(settings)
    return summary


def _opened(encoder: AnyEncoder | str | Path, table: str | Path | None) -> tuple[AnyEncoder, str | Path | None]:
    """Return the encoder, and the path of its table or model if it is known."""
    path = encoder if isinstance(encoder, str | Path) else table
    return open_encoder(encoder), path
