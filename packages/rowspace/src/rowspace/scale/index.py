"""`build_index`: files → an index, whose rows workers write as fragments that become part of it in one commit."""

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rowspace.encode.contextual_encoder import ContextualEncoder
from rowspace.encode.modes import is_contextual_at
from rowspace.errors import UsageError
from rowspace.files.hub import local_path
from rowspace.files.remote import is_url
from rowspace.scale.encoders import EncoderSource, TableLike
from rowspace.scale.engines import On
from rowspace.scale.mapping import check_engine, map_parts
from rowspace.search.index import Index
from rowspace.search.options import IndexOptions, settings_of
from rowspace.search.ranking.query_encoder import open_encoder
from rowspace.search.reading.files import CHOSEN, FoundFile, find_files, resolve_roots
from rowspace.search.storage.damage import lance_errors
from rowspace.search.storage.dataset import dataset_schema, dataset_uri, import_lance, is_remote
from rowspace.search.storage.settings import IndexSettings
from rowspace.search.storage.store import ChunkStore, FileState
from rowspace.search.update import FileUpdate
from rowspace.search.writer import Progress, Summary

__all__ = ["build_index"]

MAX_FILES, MAX_BYTES = 2_000, 1 << 25  # of a group, which is one fragment
GROUPS = 16  # at least, if there are so many files
SLOW_BYTES = 1 << 19  # of a group with a sentence encoder, which a core encodes in a minute or two


def build_index(  # as `Index.build`, and where
    files: str | Path | Iterable[str | Path],
    encoder: TableLike,
    path: str | Path,
    *,
    options: IndexOptions | None = None,
    on: On = "processes",
    workers: int | None = None,
    on_progress: Progress | None = None,
) -> Index:
    """Make an index of files by several workers; searches find what they find in one of `Index.build`.

    Workers read, divide and encode groups of files, and write their rows next to the index. When all are done, the
    rows become part of it in one commit: a run that fails or is killed before leaves an old index as it is, or an
    empty new one. With a sentence encoder, each group of files is a commit of its own, so that a killed run leaves the
    files that are done in a new index. `Index.update` then reads only files that are missing or change.

    Args:
        files: Files and folders, which all workers see, or URLs such as s3://bucket/docs.
        encoder: The path or URL of a table or a sentence encoder, a `Table`, or an encoder.
        path: A new folder, an index, or a URL such as s3://bucket/index. With a cluster, all machines must see it.
        options: The length of passages, and limits.
        on: As for `encode_parts`.
        workers: As for `encode_parts`.
        on_progress: Called with the number of files done, and that of all.

    Returns:
        The index.

    Raises:
        UsageError: As for `Index.build` and `encode_parts`.
        RowspaceError: Files or the table cannot be read by a worker, or another process writes to `path`.
    """
    check_engine(on, workers)
    source = EncoderSource.of(_open_if_contextual(encoder))
    opened = source.open()
    settings = settings_of(opened, options or IndexOptions(), source.path, resolve_roots(files), None)
    work = _Work(source, on, workers, on_progress or (lambda done, total: None))
    return Index.build_by(path, settings, opened, work.write)


def _open_if_contextual(encoder: TableLike) -> TableLike:
    """Return the sentence encoder at a path; else what is given, of which the path may be needed."""
    if isinstance(encoder, str | Path) and not is_url(encoder) and is_contextual_at(Path(local_path(encoder))):
        return open_encoder(encoder)
    return encoder


class _Group(NamedTuple):
    """Files whose rows are one fragment.

    Attributes:
        name: Its name, in messages.
        files: The files.
    """

    name: str
    files: tuple[FoundFile, ...]


class _Written(NamedTuple):
    """What a worker has made of a group: the JSON of its fragments, and the counts."""

    fragments: list[str]
    summary: Summary


@dataclass(frozen=True)
class _Work:
    """Writes an index with workers."""

    encoder: EncoderSource
    on: On
    workers: int | None
    on_progress: Progress

    def write(self, store: ChunkStore) -> Summary:
        """Write all rows of a new index in one commit, or each group of files in one with a sentence encoder."""
        began, summary = time.perf_counter(), Summary()
        files = list(find_files(store.settings.roots, summary.problems, summary.left_out))
        summary.skipped.update(each for each in summary.left_out.values() if each not in CHOSEN)
        is_slow = isinstance(self.encoder.open(), ContextualEncoder)
        groups = list(_groups(files, SLOW_BYTES if is_slow else MAX_BYTES))
        function = partial(_write_group, self.encoder, store.source, store.settings)
        done, written = 0, dict[_Group, _Written]()
        for group, made in map_parts(function, groups, on=self.on, workers=self.workers):
            if is_slow and made.fragments:
                store.append_fragments(made.fragments)
            written[group] = made
            done += len(group.files)
            self.on_progress(done, len(files))
        parts = [written[group] for group in groups]
        fragments = [each for part in parts for each in part.fragments]
        if fragments and not is_slow:
            store.append_fragments(fragments)
        store.maintain()
        _add(summary, [part.summary for part in parts])
        summary.chunks, summary.seconds = store.count(), time.perf_counter() - began
        return summary


def _groups(files: Sequence[FoundFile], max_bytes: int) -> Iterator[_Group]:
    """Yield groups of files in their order."""
    most = min(max_bytes, sum(file.size for file in files) // GROUPS + 1)
    group, size, number = list[FoundFile](), 0, 0
    for file in files:
        if group and (size + file.size > most or len(group) == MAX_FILES):
            yield _Group(f"{number:06} (from {group[0].path})", tuple(group))
            group, size, number = [], 0, number + 1
        group.append(file)
        size += file.size
    if group:
        yield _Group(f"{number:06} (from {group[0].path})", tuple(group))


def _write_group(encoder: EncoderSource, path: str, settings: IndexSettings, group: _Group) -> _Written:
    """Write the rows of a group of files as a fragment that is not part of the index yet."""
    if not is_remote(path) and not Path(dataset_uri(path)).is_dir():
        raise UsageError(f"a worker does not see the index at {path}; use a folder that all machines share, or a URL")
    store = _FragmentStore(path, settings)
    update = FileUpdate(store, encoder.open(), lambda done, total: None)  # type: ignore[arg-type]  # what it needs
    update.write(group.files, set(), {})
    update.summary.chunks = store.rows
    return _Written(store.finish(), update.summary)


class _FragmentStore:
    """What takes the rows of an update, in place of a `ChunkStore`."""

    def __init__(self, path: str, settings: IndexSettings) -> None:
        self.settings, self._path = settings, path
        self.dataset = import_lance().dataset(dataset_uri(path))
        self._tables = list[Any]()

    def files(self) -> dict[str, FileState]:
        """Return no files: all are new."""
        return {}

    def write(self, rows: Mapping[str, Any], *, replaced: Sequence[str] = ()) -> None:
        """Keep rows."""
        import pyarrow as pa

        self._tables.append(pa.table(dict(rows), schema=dataset_schema(self.settings)))

    @property
    def rows(self) -> int:
        """How many rows were kept."""
        return sum(map(len, self._tables))

    def finish(self) -> list[str]:
        """Write all rows, and return the JSON of their fragments."""
        import pyarrow as pa
        from lance.fragment import write_fragments

        if not self._tables:
            return []
        with lance_errors(self._path, is_remote=is_remote(self._path), writes=True):
            made = write_fragments(pa.concat_tables(self._tables), self.dataset, dataset_schema(self.settings))
        return [json.dumps(fragment.to_json()) for fragment in made]


def _add(total: Summary, parts: Sequence[Summary]) -> None:
    """Add the counts of workers."""
    passages = max(1, sum(part.chunks for part in parts))
    for part in parts:
        total.added += part.added
        total.skipped.update(part.skipped)
        total.left_out |= part.left_out
        total.problems |= part.problems
        total.unknown |= part.unknown
        total.unknown_share += part.unknown_share * part.chunks / passages
