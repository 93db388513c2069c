"""The chunks of an index on disk or in an object store: a dataset of Lance, which is the storage of LanceDB.

Each commit to a dataset is atomic, so a process that is killed leaves the state of its last commit. All rows of a file
are written in one commit; the first of them has the file's size, time and hash. The two search indexes only make
searches faster: rows that are not in them are searched one by one.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from rowspace._base.atomic import check_not_interrupted
from rowspace.errors import FileFormatError, UsageError
from rowspace.search.reading.files import DATASET
from rowspace.search.storage.damage import CHECKSUMS, REMEDY, Checksums, lance_errors
from rowspace.search.storage.dataset import (
    dataset_identity,
    dataset_schema,
    dataset_uri,
    import_lance,
    is_remote,
    sql_list,
)
from rowspace.search.storage.nearest import NearestInMemory
from rowspace.search.storage.settings import SETTINGS_KEY, IndexSettings, dump_settings, read_settings
from rowspace.search.storage.words import TOKENIZER

if TYPE_CHECKING:
    import lance
    import pyarrow as pa

__all__ = ["UNFINISHED", "ChunkStore", "FileState"]

UNFINISHED = f".{DATASET}.tmp"
"""The folder in an index that a process killed while it creates the dataset leaves."""

_LEXICAL = {"title": "title_idx", "words": "words_idx", "file_words": "file_words_idx"}  # of each column
_DENSE = "vector_idx"
_MAX_UNINDEXED = 2_000  # rows outside of the search indexes
_MAX_FRAGMENTS = 24
_MAX_REMOVED = 0.05  # share of removed rows, whose words still count in the scores of others
_KEPT = timedelta(hours=1)  # old versions, which a running search may be reading


P = ParamSpec("P")
R = TypeVar("R")


def _writing(method: Callable[Concatenate["ChunkStore", P], R]) -> Callable[Concatenate["ChunkStore", P], R]:
    """Translate the errors of Lance in a method that changes an index."""

    @wraps(method)
    def translated(self: "ChunkStore", /, *args: P.args, **kwargs: P.kwargs) -> R:
        with lance_errors(self.source, is_remote=is_remote(self.source), writes=True):
            return method(self, *args, **kwargs)

    return translated


class FileState(NamedTuple):
    """The state in which a file was indexed."""

    size: int
    mtime_ns: int
    digest: str


class ChunkStore:
    """The rows of an index: one per chunk.

    Args:
        dataset: An open dataset.
        source: The path of the index, for messages.
    """

    def __init__(self, dataset: "lance.LanceDataset", source: str, checksums: Checksums | None = None) -> None:
        self.dataset = dataset
        self.source = source
        self.settings = read_settings(dataset.schema.metadata or {}, source)
        self._folder = dataset_identity(source)
        self._checksums = checksums
        self._nearest = NearestInMemory()

    @classmethod
    def create(cls, path: str, settings: IndexSettings, *, replace: bool = False) -> "ChunkStore":
        """Create an empty index at a path that has none, or `replace` one."""
        lance, schema = import_lance(), dataset_schema(settings)
        with lance_errors(path, is_remote=is_remote(path), writes=True):
            if is_remote(path):
                mode = "overwrite" if replace else "create"
                return cls(lance.write_dataset(schema.empty_table(), dataset_uri(path), schema, mode=mode), path)
            temporary = Path(path, UNFINISHED)
            shutil.rmtree(temporary, ignore_errors=True)  # that of a killed process
            temporary.mkdir(parents=True)
            Checksums(str(temporary)).write(lance.write_dataset(schema.empty_table(), str(temporary), schema))
            temporary.rename(dataset_uri(path))  # Lance itself would leave a folder without a version if it were killed
        return cls.open(path)

    @classmethod
    def open(cls, path: str) -> "ChunkStore":
        """Open an index.

        Raises:
            UsageError: If there is none.
            FileFormatError: If it is damaged, or of a later version.
        """
        lance, local = import_lance(), not is_remote(path)
        if local and not Path(dataset_uri(path)).is_dir():
            check_not_interrupted(path, "index")
            raise UsageError(f"there is no index in {path!r}; create it with rowspace index FILES -o {path}")
        checksums = Checksums(dataset_uri(path)) if local else None
        is_checked = checksums is not None and checksums.check()
        try:
            with lance_errors(path, is_remote=not local):
                store = cls(lance.dataset(dataset_uri(path)), path, checksums)
        except FileFormatError as error:
            if not local and "not found" in str(error.__cause__):
                raise UsageError(f"there is no index in {path!r}; create it with rowspace index FILES") from error
            raise
        store._require_checksums(is_checked)
        return store

    @classmethod
    def exists(cls, path: str) -> bool:
        """Whether there is an index in an object store."""
        try:
            cls.open(path)
        except UsageError:
            return False
        except FileFormatError:
            return True
        return True

    def refresh(self) -> None:
        """Read the latest version, which another process may have written, or another index in its place.

        Raises:
            UsageError: If the index was removed.
            FileFormatError: If it is damaged.
        """
        if dataset_identity(self.source) != self._folder:
            latest = ChunkStore.open(self.source)
            self.dataset, self.settings, self._folder = latest.dataset, latest.settings, latest._folder
            self._checksums = latest._checksums
            return
        with lance_errors(self.source, is_remote=is_remote(self.source)):
            if self.dataset.latest_version == self.dataset.version:
                return
            # `checkout_latest` would fail, or let another thread's search fail, that uses the dataset at this moment.
            self.dataset = import_lance().dataset(dataset_uri(self.source))
            self.settings = read_settings(self.dataset.schema.metadata or {}, self.source)
        if self._checksums is not None:
            self._require_checksums(self._checksums.check())

    def check(self) -> None:
        """Compare the checksums of all files of an index in a folder, however large; call it before an update.

        Raises:
            FileFormatError: A file is damaged.
        """
        if self._checksums is not None:
            self._require_checksums(self._checksums.check(whole=True))

    @classmethod
    def copy(cls, source: str, target: str) -> "ChunkStore":
        """Replace the index at `target`, or write a new one, with the rows and settings of another, in one commit."""
        dataset = cls.open(source).dataset
        with lance_errors(target, is_remote=True, writes=True):
            rows = dataset.scanner().to_reader()
            return cls(
                import_lance().write_dataset(rows, dataset_uri(target), dataset.schema, mode="overwrite"), target
            )

    @staticmethod
    def drop(path: str) -> None:
        """Delete an index in an object store."""
        with lance_errors(path, is_remote=True, writes=True):
            import_lance().LanceDataset.drop(dataset_uri(path))

    def read(self, **arguments: Any) -> "pa.Table":
        """Return rows; the arguments are those of Lance's `scanner`.

        Raises:
            FileFormatError: Lance cannot read them.
        """
        with lance_errors(self.source, is_remote=is_remote(self.source)):
            table = self.dataset.scanner(**arguments).to_table()
            table.validate(full=True)  # otherwise a wrong offset of a text would crash the process
            return table

    def nearest(self, vector: NDArray[np.float32], k: int, *, columns: Sequence[str]) -> "pa.Table | None":
        """Return what `NearestInMemory.find` returns; raises as `read`."""
        with lance_errors(self.source, is_remote=is_remote(self.source)):
            table = self._nearest.find(self.dataset, vector, k, columns)
            if table is not None:
                table.validate(full=True)
            return table

    def take(self, rows: Sequence[int], *, columns: list[str]) -> "pa.Table":
        """Return the rows with these numbers; raises as `read`."""
        with lance_errors(self.source, is_remote=is_remote(self.source)):
            return self.dataset.take(list(rows), columns=columns)

    def batches(self, *, columns: list[str], size: int) -> "Iterator[pa.RecordBatch]":
        """Yield all rows, `size` at a time; raises as `read`."""
        with lance_errors(self.source, is_remote=is_remote(self.source)):
            yield from self.dataset.to_batches(columns=columns, batch_size=size)

    @_writing
    def change_settings(self, settings: IndexSettings) -> None:
        """Store other settings."""
        self.dataset.update_schema_metadata({SETTINGS_KEY: dump_settings(settings)})
        self.settings = settings

    def files(self, paths: Sequence[str] | None = None) -> dict[str, FileState]:
        """Return the state of each file, or of those at some paths."""
        columns = ["path", "size", "mtime_ns", "digest"]
        where = "" if paths is None else f" AND path IN {sql_list(paths)}"
        rows = self.read(columns=columns, filter=f"chunk = 0{where}").to_pydict()
        states = map(FileState, rows["size"], rows["mtime_ns"], rows["digest"])
        return dict(zip(rows["path"], states, strict=True))

    def names(self) -> list[str]:
        """Return the names of passages, each once."""
        return [name for name in dict.fromkeys(self.read(columns=["name"])["name"].to_pylist()) if name]

    def count(self, where: str | None = None) -> int:
        """Return the number of chunks, or of those that meet a condition of SQL."""
        with lance_errors(self.source, is_remote=is_remote(self.source)):
            return int(self.dataset.count_rows(filter=where))

    @_writing
    def write(self, rows: Mapping[str, Any], *, replaced: Sequence[str] = ()) -> None:
        """Add rows; in the same commit, remove the old rows of the files `replaced`."""
        import pyarrow as pa

        table = pa.table(dict(rows), schema=dataset_schema(self.settings))
        if not replaced:
            self.dataset.insert(table)
            return
        (
            self.dataset.merge_insert(["path", "chunk"])
            .when_matched_update_all()
            .when_not_matched_insert_all()
            .when_not_matched_by_source_delete(f"path IN {sql_list(replaced)}")
            .execute(table)
        )

    @_writing
    def append_fragments(self, fragments: Sequence[str]) -> None:
        """Add the rows that other processes have written as fragments of the dataset, in one commit.

        Args:
            fragments: The JSON of each, in the order of their rows.
        """
        lance = import_lance()
        metadata = [lance.fragment.FragmentMetadata.from_json(each) for each in fragments]
        operation = lance.LanceOperation.Append(metadata)
        self.dataset = lance.LanceDataset.commit(dataset_uri(self.source), operation, read_version=self.dataset.version)

    @_writing
    def touch(self, times: Mapping[str, int]) -> None:
        """Store the new times of files whose content is the same."""
        import pyarrow as pa

        table = pa.table(
            {
                "path": list(times),
                "chunk": pa.array([0] * len(times), pa.int32()),
                "mtime_ns": pa.array(list(times.values()), pa.int64()),
            }
        )
        self.dataset.merge_insert(["path", "chunk"]).when_matched_update_all().execute(table)

    @_writing
    def remove(self, paths: Sequence[str]) -> None:
        """Remove the rows of files."""
        self.dataset.delete(f"path IN {sql_list(paths)}")

    @_writing
    def maintain(self) -> None:
        """Bring the search indexes up to date, join small files, write the checksums, and delete old versions."""
        if rows := self.count():
            self._optimize(rows)
        if self._checksums is not None:
            self._remove_unfinished()
            self._checksums.write(self.dataset)
        self.dataset.cleanup_old_versions(_KEPT, delete_unverified=True)  # last: the checksums have none of their files

    def _remove_unfinished(self) -> None:
        """Remove the files of commits that were killed, which Lance keeps; no other process writes to the index."""
        for path in Path(dataset_uri(self.source)).rglob(".tmp*"):
            path.unlink(missing_ok=True)

    @property
    def is_approximate(self) -> bool:
        """Whether the search by vectors uses an index."""
        return self.count() >= self.settings.ann_from

    def _require_checksums(self, is_checked: bool) -> None:
        """Raise `FileFormatError` if an index in a folder has no checksums."""
        if self._checksums is not None and not is_checked:
            raise FileFormatError(f"{dataset_uri(self.source)}/{CHECKSUMS}: missing; restore the file, or {REMEDY}")

    def _optimize(self, rows: int) -> None:
        names = {index.name for index in self.dataset.describe_indices()}
        fragments = self.dataset.get_fragments()
        removed = sum(fragment.num_deletions for fragment in fragments)
        if len(fragments) > _MAX_FRAGMENTS or removed > rows * _MAX_REMOVED:
            self.dataset.optimize.compact_files(materialize_deletions_threshold=0)
        missing = [column for column, name in _LEXICAL.items() if name not in names]
        if missing:
            with ThreadPoolExecutor(len(missing)) as pool:  # each keeps one processor busy
                list(pool.map(self._create_lexical, missing))
            self.dataset.checkout_latest()
        if self.is_approximate and _DENSE not in names:
            self._create_dense(rows)
        limit = max(_MAX_UNINDEXED, rows // 10)
        if any(self.dataset.stats.index_stats(name)["num_unindexed_rows"] > limit for name in names):
            self.dataset.optimize.optimize_indices()

    def _create_lexical(self, column: str) -> None:
        dataset = import_lance().dataset(dataset_uri(self.source))  # a dataset makes one index at a time
        dataset.create_scalar_index(column, "INVERTED", _LEXICAL[column], **TOKENIZER)

    def _create_dense(self, rows: int) -> None:
        self.dataset.create_index("vector", "IVF_SQ", _DENSE, metric="dot", num_partitions=max(1, int(rows**0.5)))
