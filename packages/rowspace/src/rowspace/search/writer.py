"""Passages of files and records → rows of an index, in batches that are one commit each."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.contextual_encoder import ContextualEncoder
from rowspace.search.reading.chunks import Chunk
from rowspace.search.storage.store import ChunkStore, FileState
from rowspace.search.storage.vectors import (
    AnyEncoder,
    Passage,
    encode_passages,
    known_share_of,
    passage_text,
    title_text,
)
from rowspace.search.storage.words import with_parts

__all__ = ["Progress", "ReadSource", "Summary", "Writer"]

_FIRST_BATCH, _MAX_BATCH = 1 << 20, 1 << 23  # characters in one commit, unless one file has more
_SLOW_BATCH = 1 << 15  # the same with a sentence encoder: some 50 passages, whose seconds a killed process loses
_BATCH_SOURCES = 1_000  # of files that are read one by one; records are far smaller
_MAX_FILE_WORDS = 1 << 22  # characters of a file as a whole
_ENCODED = 1 << 14  # passages that are encoded at once
_MANY_UNKNOWN = 0.2  # share of a file's letters from which it is named
_MEASURED = 1_000  # characters of a file in which that share is measured

Progress = Callable[[int, int], None]
"""Called with the files or records done, and the number of all; that of records is 0 until the end."""


@dataclass
class Summary:
    """What an update did.

    Attributes:
        added, changed, removed, unchanged: Numbers of files, or of records.
        chunks: Passages in the index now.
        skipped: The number of files, folders and records that were left out, by reason, without those that .gitignore
            files exclude, hidden ones and links.
        left_out: All that were left out, each with the reason.
        problems: Files that their parser could not read, and folders and .gitignore files that could not be read, each
            with the reason and what was done.
        unknown_share: The share of the letters of new and changed files that are in no token with a row, which their
            vectors leave out. It is measured in one passage of each file, in the middle, and weighted by the number of
            passages.
        unknown: That share of each file, if it is above 0.2.
        seconds: The duration.
    """

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    chunks: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    left_out: dict[str, str] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    unknown_share: float = 0.0
    unknown: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0

    def leave_out(self, path: str, reason: str) -> None:
        """Count a file or record that is left out."""
        self.skipped[reason] += 1
        self.left_out[path] = reason


class ReadSource(NamedTuple):
    """A file or a record that was read, and its passages.

    Attributes:
        path: The path of the file, or the id of the record.
        place: The path as a part of titles; empty for a record.
        size, mtime_ns, digest: What shows whether it has changed.
        chunks: Its passages, at least one.
        metadata: A JSON object for a record.
    """

    path: str
    place: str
    size: int
    mtime_ns: int
    digest: str
    chunks: list[Chunk]
    metadata: str | None = None


class Writer:
    """Writes rows of an index, of which this process is the only writer.

    A process killed at any time leaves complete files and records.

    Args:
        store: The index.
        encoder: The encoder of the index.
        batch: The maximum number of files or records in a commit.

    Attributes:
        known: The state of each file or record before.
        summary: What was done.
    """

    def __init__(self, store: ChunkStore, encoder: AnyEncoder, *, batch: int = _BATCH_SOURCES) -> None:
        self._store, self._encoder, self._batch = store, encoder, batch
        self.known: dict[str, FileState] = store.files()
        self.summary = Summary()
        self._passages, self._unknown = 0, 0.0  # passages written, and how many of them the vectors leave out

    def write(self, sources: Iterable[ReadSource]) -> None:
        """Write files or records; a batch is encoded while the next one is read."""
        with ThreadPoolExecutor(1, thread_name_prefix="rowspace") as writer:
            pending: Future[None] | None = None
            for batch in self._batches(sources):
                if pending is not None:
                    pending.result()
                pending = writer.submit(self._write, batch)
            if pending is not None:
                pending.result()
        self.summary.unknown_share = self._unknown / max(1, self._passages)

    def remove(self, paths: Sequence[str]) -> None:
        """Remove files or records."""
        for start in range(0, len(paths), _BATCH_SOURCES):
            self._store.remove(paths[start : start + _BATCH_SOURCES])
        self.summary.removed = len(paths)

    def _batches(self, sources: Iterable[ReadSource]) -> Iterator[list[ReadSource]]:
        """Yield batches, each twice as large as the one before, so that writing begins early."""
        is_slow = isinstance(self._encoder, ContextualEncoder)
        batch, size, most = list[ReadSource](), 0, _SLOW_BATCH if is_slow else _FIRST_BATCH
        for source in sources:
            batch.append(source)
            size += sum(len(chunk.text) + len(source.metadata or "") for chunk in source.chunks)
            if size >= most or len(batch) == self._batch:
                yield batch
                batch, size, most = [], 0, most if is_slow else min(2 * most, _MAX_BATCH)
        if batch:
            yield batch

    def _write(self, batch: list[ReadSource]) -> None:
        chunks = [chunk for source in batch for chunk in source.chunks]
        columns: dict[str, Any] = {"path": [], "chunk": [], "size": [], "mtime_ns": [], "digest": [], "metadata": []}
        titles = list[str]()
        for path, place, size, mtime_ns, digest, own, metadata in batch:
            number = len(own)
            columns["path"] += [path] * number
            columns["chunk"] += range(number)
            for name, value in (("size", size), ("mtime_ns", mtime_ns), ("digest", digest)):
                columns[name] += [value] + [None] * (number - 1)
            columns["metadata"] += [metadata] * number
            titles += [title_text(place, chunk.name) for chunk in own]
        for name in ("first_line", "last_line", "name", "text"):
            columns[name] = [getattr(chunk, name) for chunk in chunks]
        columns["title"] = titles
        columns["words"] = [with_parts(chunk.text) for chunk in chunks]
        columns["file_words"] = list(_file_words(batch, titles, columns["words"]))
        columns["vector"] = _as_list(self._vectors(batch, titles))
        replaced = [source.path for source in batch if source.path in self.known]
        self._store.write({name: columns[name] for name in self._store.dataset.schema.names}, replaced=replaced)
        self.summary.changed += len(replaced)
        self.summary.added += len(batch) - len(replaced)
        for source in batch:
            self._measure(source)

    def _measure(self, source: ReadSource) -> None:
        """Add the share of unknown letters of a file to the summary."""
        text = source.chunks[len(source.chunks) // 2].text[:_MEASURED]
        unknown = 1 - known_share_of(text, self._encoder) if any(map(str.isalnum, text)) else 0.0
        self._passages += len(source.chunks)
        self._unknown += unknown * len(source.chunks)
        if unknown > _MANY_UNKNOWN:
            self.summary.unknown[source.path] = round(unknown, 3)

    def _vectors(self, batch: Sequence[ReadSource], titles: Sequence[str]) -> NDArray[np.float32]:
        """Return the (n, d) unit vectors of passages."""
        texts = [[passage_text(chunk.name, chunk.text) for chunk in source.chunks] for source in batch]
        openings = [own[0] for own in texts for _ in own]
        passages = list(map(Passage, chain.from_iterable(texts), titles, openings))
        parts = [passages[start : start + _ENCODED] for start in range(0, len(passages), _ENCODED)]
        return np.concatenate([encode_passages(self._encoder, part) for part in parts])


def _file_words(batch: Iterable[ReadSource], titles: Sequence[str], words: Sequence[str]) -> Iterator[str | None]:
    """Yield the words of each file with those of its path for its first passage, and None for the others."""
    start = 0
    for source in batch:
        end = start + len(source.chunks)
        yield "\n".join([titles[start], *words[start:end]])[:_MAX_FILE_WORDS]
        yield from [None] * (end - start - 1)
        start = end


def _as_list(vectors: NDArray[np.float32]) -> Any:
    """Return (n, d) vectors as Arrow's list of fixed size, without a copy."""
    import pyarrow as pa

    return pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), vectors.shape[1])
