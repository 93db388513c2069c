"""Records → rows of an index: only those of records that are new or have changed are encoded and written."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

from rowspace.search.reading.chunks import Chunk, chunk_document
from rowspace.search.reading.documents import Document, Section
from rowspace.search.records import Record, Row, read_record
from rowspace.search.storage.settings import ColumnType, RecordColumns
from rowspace.search.storage.store import ChunkStore
from rowspace.search.storage.vectors import AnyEncoder
from rowspace.search.writer import Progress, ReadSource, Summary, Writer

__all__ = ["update_records"]

_BATCH = 8_000  # records in one commit


def update_records(
    store: ChunkStore,
    rows: Iterable[Row],
    encoder: AnyEncoder,
    columns: RecordColumns,
    *,
    is_all: bool,
    on_progress: Progress | None = None,
) -> Summary:
    """Add records to an index, and replace those with the same id that have changed.

    Args:
        store: The index, of which this process is the only writer.
        rows: The records.
        encoder: The encoder of the index.
        columns: The columns in the settings of the index.
        is_all: Whether these are all records, so that others in the index are removed.
        on_progress: Called after each record.

    Returns:
        What was done.

    Raises:
        FileFormatError: If a record is damaged; those before it are in the index.
        UsageError: If a record of Python is not valid, or two have the same id.
    """
    return _Update(store, encoder, columns, on_progress or (lambda done, total: None), is_all=is_all).run(rows)


class _Update:
    def __init__(
        self, store: ChunkStore, encoder: AnyEncoder, columns: RecordColumns, on_progress: Progress, *, is_all: bool
    ) -> None:
        self.store, self.columns, self.on_progress, self.is_all = store, columns, on_progress, is_all
        self.types = dict[str, ColumnType]() if is_all else dict(columns.types)
        self.writer = Writer(store, encoder, batch=_BATCH)
        self.summary, self.known = self.writer.summary, self.writer.known
        self.seen, self.empty = set[str](), set[str]()  # ids

    def run(self, rows: Iterable[Row]) -> Summary:
        start = time.perf_counter()
        self.writer.write(self._changed(rows))
        gone = (self.known.keys() - self.seen if self.is_all else set()) | (self.known.keys() & self.empty)
        self.writer.remove(sorted(gone))
        if self.types != self.columns.types:
            columns = replace(self.columns, types=self.types)
            self.store.change_settings(replace(self.store.settings, records=columns))
        self.store.maintain()
        self.on_progress(len(self.seen), len(self.seen))
        self.summary.chunks = self.store.count()
        self.summary.seconds = time.perf_counter() - start
        return self.summary

    def _changed(self, rows: Iterable[Row]) -> Iterator[ReadSource]:
        """Yield the records that are new or have changed and have text."""
        for row in rows:
            record = read_record(row, self.columns, self.types)
            if record.id in self.seen:
                row.refuse(f"the id {record.id!r:.80} belongs to an earlier record; change one of them or remove it")
            self.seen.add(record.id)
            self.on_progress(len(self.seen), 0)
            known, digest = self.known.get(record.id), record.digest()
            if known is not None and known.digest == digest:
                self.summary.unchanged += 1
            elif chunks := self._chunks(record):
                yield ReadSource(record.id, "", len(record.text), 0, digest, chunks, record.metadata)
            else:
                self.empty.add(record.id)
                self.summary.leave_out(record.id, "without text")

    def _chunks(self, record: Record) -> list[Chunk]:
        document = Document(record.text, [Section(0, len(record.text), record.title)], is_prose=True)
        return list(chunk_document(document, max_chars=self.store.settings.max_chars))
