"""Files → rows of an index: only files that are new or have changed are read, and only their rows are written."""

import hashlib
import os
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from rowspace.errors import FileFormatError, RowspaceError
from rowspace.files.open_folder import open_regular
from rowspace.files.remote import common_folder, is_url, open_remote
from rowspace.search.reading.files import CHOSEN, FoundFile, find_files
from rowspace.search.reading.reader import read_groups
from rowspace.search.storage.store import ChunkStore
from rowspace.search.storage.vectors import AnyEncoder
from rowspace.search.writer import Progress, ReadSource, Summary, Writer

__all__ = ["FileUpdate", "update_store"]

_GROUP_FILES, _GROUP_BYTES = 64, 1 << 17  # that are read together


def update_store(
    store: ChunkStore, roots: Sequence[str], encoder: AnyEncoder, *, on_progress: Progress | None = None
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
    return FileUpdate(store, encoder, on_progress or (lambda done, total: None)).run(roots)


class FileUpdate:
    """An update of an index of files; `write` is the part of it that workers do.

    Args:
        store: The index, or what takes its rows.
        encoder: The encoder of the index.
        on_progress: Called after each file.
    """

    def __init__(self, store: ChunkStore, encoder: AnyEncoder, on_progress: Progress) -> None:
        self.store, self.on_progress = store, on_progress
        self.writer = Writer(store, encoder)
        self.summary, self.known = self.writer.summary, self.writer.known
        self._base = _base_of(store.settings.roots)
        self._done = self._total = 0

    def run(self, roots: Sequence[str]) -> Summary:
        """Find the files, write what has changed, remove what is gone, and maintain the index."""
        start = time.perf_counter()
        files = list(find_files(roots, self.summary.problems, self.summary.left_out))
        self.summary.skipped.update(each for each in self.summary.left_out.values() if each not in CHOSEN)
        kept, touched = set[str](), dict[str, int]()
        self.write(files, kept, touched)
        self._remove([path for path in self.known if path not in kept and _is_below(path, roots)])
        if touched:
            self.store.touch(touched)
        self.store.maintain()
        self.summary.chunks = self.store.count()
        self.summary.seconds = time.perf_counter() - start
        return self.summary

    def _remove(self, gone: Sequence[str]) -> None:
        """Forget deleted files that were named themselves, and remove the rows of all that are gone or forgotten."""
        settings = self.store.settings
        left = tuple(root for root in settings.roots if root not in gone or is_url(root) or Path(root).exists())
        if left != settings.roots:
            self.store.change_settings(replace(settings, roots=left))
        forgotten = [path for path in self.known if not _is_below(path, left)]  # also by an update that was killed here
        self.writer.remove(list(dict.fromkeys([*gone, *forgotten])))

    def write(self, files: Sequence[FoundFile], kept: set[str], touched: dict[str, int]) -> None:
        """Write the rows of files that are new or have changed; collect the paths that stay in the index."""
        with closing(self._read(files, kept, touched)) as sources:
            self.writer.write(sources)

    def _read(
        self, files: Sequence[FoundFile], kept: set[str], touched: dict[str, int]
    ) -> Generator[ReadSource, None, None]:
        """Yield the new and changed files that have text; collect the paths that stay in the index."""
        self._total = len(files)
        groups = _groups(self._changed(files, kept, touched))
        named = ((group, [(found.path, data) for found, data, _ in group]) for group in groups)
        for group, passages in read_groups(named, self.store.settings.max_chars):
            for (found, _, digest), (chunks, left_out, problem) in zip(group, passages, strict=True):
                if problem:
                    self.summary.problems[found.path] = problem
                if chunks:
                    kept.add(found.path)
                    place = (
                        found.path[len(self._base) + 1 :]
                        if is_url(found.path)
                        else os.path.relpath(found.path, self._base)
                    )
                    yield ReadSource(found.path, place, found.size, found.mtime_ns, digest, chunks)
                else:
                    self.summary.leave_out(found.path, left_out or "without text")
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
                self.summary.leave_out(found.path, str(reason))
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
            with open_remote(found.path) if is_url(found.path) else open_regular(Path(found.path)) as file:
                data = file.read(most + 1) or b""  # None: a file of the system that is not ready
        except UnicodeEncodeError:
            raise FileFormatError("name not UTF-8") from None
        except FileFormatError:
            if not os.path.lexists(found.path):
                raise FileFormatError("removed in the meantime") from None
            is_regular = Path(found.path).is_file()
            raise FileFormatError("Git LFS pointer or GGUF" if is_regular else "not a regular file") from None
        except (RowspaceError, OSError):
            raise FileFormatError("no permission to read") from None
        if len(data) > most:  # it has grown
            raise FileFormatError("too large")
        return data


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


def _base_of(roots: Sequence[str]) -> str:
    """Return the folder below which paths are part of titles: the one root, or what several have in common."""
    if not roots or any(map(is_url, roots)):
        return common_folder(roots)
    common = os.path.commonpath(roots)
    return common if Path(common).is_dir() else str(Path(common).parent)


def _is_below(path: str, roots: Sequence[str]) -> bool:
    return any(path == root or path.startswith(root.rstrip("/") + "/") for root in roots)
