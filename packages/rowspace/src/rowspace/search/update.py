"""Files → rows of an index: only files that are new or have changed are read, and only their rows are written."""

import hashlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.encoder import Encoder
from rowspace.errors import FileFormatError, RowspaceError
from rowspace.files.open_folder import open_regular
from rowspace.search.ranking.coverage import known_share_of
from rowspace.search.reading.chunks import Chunk
from rowspace.search.reading.files import CHOSEN, FoundFile, find_files
from rowspace.search.reading.reader import FileReader
from rowspace.search.storage.store import ChunkStore, FileState
from rowspace.search.storage.vectors import Passage, encode_passages, passage_text, title_text
from rowspace.search.storage.words import with_parts

__all__ = ["Progress", "Summary", "update_store"]

_FIRST_BATCH, _MAX_BATCH = 1 << 20, 1 << 23  # characters in one commit, unless one file has more
_BATCH_FILES = 1_000
_GROUP_FILES, _GROUP_BYTES = 64, 1 << 17  # that are read together
_MAX_FILE_WORDS = 1 << 22  # characters of a file as a whole
_ENCODED = 1 << 14  # passages that are encoded at once
_MANY_UNKNOWN = 0.2  # share of a file's letters from which it is named
_MEASURED = 1_000  # characters of a file in which that share is measured

Progress = Callable[[int, int], None]
"""Called with the files done and the number of files."""


@dataclass
class Summary:
    """What an update did.

    Attributes:
        added, changed, removed, unchanged: Numbers of files.
        chunks: Passages in the index now.
        skipped: The number of files and folders that were left out, by reason, without those that .gitignore files
            exclude, hidden ones and links.
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


class _ReadFile(NamedTuple):
    """A file that was read, and its passages."""

    found: FoundFile
    digest: str
    chunks: list[Chunk]


def update_store(
    store: ChunkStore, roots: Sequence[str], encoder: Encoder, *, on_progress: Progress | None = None
) -> Summary:
    """Bring an index up to date with the files below `roots`; its other files are unchanged.

    Files are written in batches. Each is one commit, so that a process killed at any time leaves complete files, and
    the next update continues.

    Args:
        store: The index, of which this process is the only writer.
        roots: Absolute paths of files and folders.
        encoder: The encoder of the index.
        on_progress: Called after each file.

    Returns:
        What was done.
    """
    return _Update(store, encoder, on_progress or (lambda done, total: None)).run(roots)


class _Update:
    def __init__(self, store: ChunkStore, encoder: Encoder, on_progress: Progress) -> None:
        self.store, self.encoder, self.on_progress = store, encoder, on_progress
        self.known: dict[str, FileState] = store.files()
        self.summary = Summary()
        self._base = _base_of(store.settings.roots)
        self._done = self._total = 0
        self._passages, self._unknown = 0, 0.0  # passages written, and how many of them the vectors leave out

    def run(self, roots: Sequence[str]) -> Summary:
        start = time.perf_counter()
        files = list(find_files(roots, self.summary.problems, self.summary.left_out))
        self.summary.skipped.update(each for each in self.summary.left_out.values() if each not in CHOSEN)
        kept, touched = set[str](), dict[str, int]()
        reader = FileReader(self.store.settings.max_chars)
        with (
            reader,
            ThreadPoolExecutor(1, thread_name_prefix="rowspace") as writer,
        ):  # encodes while the next one is read
            pending: Future[None] | None = None
            for batch in _batches(self._read(files, reader, kept, touched)):
                if pending is not None:
                    pending.result()
                pending = writer.submit(self._write, batch)
            if pending is not None:
                pending.result()
        self._remove([path for path in self.known if path not in kept and _is_below(path, roots)])
        if touched:
            self.store.touch(touched)
        self.store.maintain()
        self.summary.chunks = self.store.count()
        self.summary.unknown_share = self._unknown / max(1, self._passages)
        self.summary.seconds = time.perf_counter() - start
        return self.summary

    def _read(
        self, files: Sequence[FoundFile], reader: FileReader, kept: set[str], touched: dict[str, int]
    ) -> Iterator[_ReadFile]:
        """Yield the new and changed files that have text; collect the paths that stay in the index."""
        self._total = len(files)
        for group in _groups(self._changed(files, kept, touched)):
            passages = reader.read([(found.path, data) for found, data, _ in group])
            for (found, _, digest), (chunks, left_out, problem) in zip(group, passages, strict=True):
                if problem:
                    self.summary.problems[found.path] = problem
                if chunks:
                    kept.add(found.path)
                    yield _ReadFile(found, digest, chunks)
                else:
                    self._leave_out(found, left_out or "without text")
                self._is_done()

    def _changed(
        self, files: Sequence[FoundFile], kept: set[str], touched: dict[str, int]
    ) -> Iterator[tuple[FoundFile, bytes, str]]:
        """Yield the files to read, with their bytes and the hash of these."""
        for found in files:
            known = self.known.get(found.path)
            if known is not None and known[:2] == (found.size, found.mtime_ns):
                kept.add(found.path)
                self.summary.unchanged += 1
                self._is_done()
                continue
            try:
                data = self._data(found)
            except FileFormatError as reason:
                self._leave_out(found, str(reason))
                self._is_done()
                continue
            digest = hashlib.blake2b(data, digest_size=16).hexdigest()
            if known is None or digest != known.digest:
                yield found, data, digest
                continue
            kept.add(found.path)
            touched[found.path] = found.mtime_ns
            self.summary.unchanged += 1
            self._is_done()

    def _leave_out(self, found: FoundFile, reason: str) -> None:
        self.summary.skipped[reason] += 1
        self.summary.left_out[found.path] = reason

    def _is_done(self) -> None:
        self._done += 1
        self.on_progress(self._done, self._total)

    def _data(self, found: FoundFile) -> bytes:
        """Return the content of a file; raises `FileFormatError` with the reason to leave it out."""
        most = self.store.settings.max_megabytes * 1_000_000
        if found.size > most:
            raise FileFormatError("too large")
        try:
            found.path.encode()
            with open_regular(Path(found.path)) as file:
                data = file.read(most + 1) or b""  # None: a file of the system that is not ready
        except UnicodeEncodeError:
            raise FileFormatError("name not UTF-8") from None
        except FileFormatError:
            is_there = os.path.lexists(found.path)
            raise FileFormatError("not a regular file" if is_there else "removed in the meantime") from None
        except (RowspaceError, OSError):
            raise FileFormatError("no permission to read") from None
        if len(data) > most:  # it has grown
            raise FileFormatError("too large")
        return data

    def _write(self, batch: list[_ReadFile]) -> None:
        chunks = [chunk for file in batch for chunk in file.chunks]
        columns: dict[str, Any] = {"path": [], "chunk": [], "size": [], "mtime_ns": [], "digest": []}
        for found, digest, own in batch:
            number = len(own)
            columns["path"] += [found.path] * number
            columns["chunk"] += range(number)
            for name, value in (("size", found.size), ("mtime_ns", found.mtime_ns), ("digest", digest)):
                columns[name] += [value] + [None] * (number - 1)
        for name in ("first_line", "last_line", "name", "text"):
            columns[name] = [getattr(chunk, name) for chunk in chunks]
        columns["title"] = [
            title_text(os.path.relpath(path, self._base), chunk.name)
            for path, chunk in zip(columns["path"], chunks, strict=True)
        ]
        columns["words"] = [with_parts(chunk.text) for chunk in chunks]
        columns["file_words"] = list(_file_words(batch, columns["title"], columns["words"]))
        columns["vector"] = _as_list(self._vectors(batch, columns["title"]))
        replaced = [file.found.path for file in batch if file.found.path in self.known]
        self.store.write({name: columns[name] for name in self.store.dataset.schema.names}, replaced=replaced)
        self.summary.changed += len(replaced)
        self.summary.added += len(batch) - len(replaced)
        for file in batch:
            self._measure(file)

    def _measure(self, file: _ReadFile) -> None:
        """Add the share of unknown letters of a file to the summary."""
        text = file.chunks[len(file.chunks) // 2].text[:_MEASURED]
        unknown = 1 - known_share_of(text, self.encoder) if any(map(str.isalnum, text)) else 0.0
        self._passages += len(file.chunks)
        self._unknown += unknown * len(file.chunks)
        if unknown > _MANY_UNKNOWN:
            self.summary.unknown[file.found.path] = round(unknown, 3)

    def _vectors(self, batch: Sequence[_ReadFile], titles: Sequence[str]) -> NDArray[np.float32]:
        """Return the (n, d) unit vectors of passages."""
        texts = [[passage_text(chunk.name, chunk.text) for chunk in file.chunks] for file in batch]
        openings = [own[0] for own in texts for _ in own]
        passages = list(map(Passage, chain.from_iterable(texts), titles, openings))
        parts = [passages[start : start + _ENCODED] for start in range(0, len(passages), _ENCODED)]
        return np.concatenate([encode_passages(self.encoder, part) for part in parts])

    def _remove(self, paths: Sequence[str]) -> None:
        for start in range(0, len(paths), _BATCH_FILES):
            self.store.remove(paths[start : start + _BATCH_FILES])
        self.summary.removed = len(paths)


def _file_words(batch: Iterable[_ReadFile], titles: Sequence[str], words: Sequence[str]) -> Iterator[str | None]:
    """Yield the words of each file with those of its path for its first passage, and None for the others."""
    start = 0
    for file in batch:
        end = start + len(file.chunks)
        yield "\n".join([titles[start], *words[start:end]])[:_MAX_FILE_WORDS]
        yield from [None] * (end - start - 1)
        start = end


def _groups(files: Iterable[tuple[FoundFile, bytes, str]]) -> Iterator[list[tuple[FoundFile, bytes, str]]]:
    """Yield files in groups of at most `_GROUP_FILES`; a large one is alone."""
    group, size = list[tuple[FoundFile, bytes, str]](), 0
    for file in files:
        size += len(file[1])
        if group and (size > _GROUP_BYTES or len(group) == _GROUP_FILES):
            yield group
            group, size = [], len(file[1])
        group.append(file)
    if group:
        yield group


def _batches(files: Iterable[_ReadFile]) -> Iterator[list[_ReadFile]]:
    """Yield batches, each twice as large as the one before, so that writing begins early."""
    batch, size, most = list[_ReadFile](), 0, _FIRST_BATCH
    for file in files:
        batch.append(file)
        size += sum(len(chunk.text) for chunk in file.chunks)
        if size >= most or len(batch) == _BATCH_FILES:
            yield batch
            batch, size, most = [], 0, min(2 * most, _MAX_BATCH)
    if batch:
        yield batch


def _base_of(roots: Sequence[str]) -> str:
    """Return the folder below which paths are part of titles: the one root, or what several have in common."""
    common = os.path.commonpath(roots)
    return common if Path(common).is_dir() else str(Path(common).parent)


def _is_below(path: str, roots: Sequence[str]) -> bool:
    return any(path == root or path.startswith(root.rstrip("/") + "/") for root in roots)


def _as_list(vectors: NDArray[np.float32]) -> Any:
    """Return (n, d) vectors as Arrow's list of fixed size, without a copy."""
    import pyarrow as pa

    return pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), vectors.shape[1])
