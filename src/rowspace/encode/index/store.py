"""The chunks of an index on disk or in an object store: a dataset of Lance, which is the storage of LanceDB.

Each commit to a dataset is atomic, so a process that is killed leaves the state of its last commit. All rows of a file
are written in one commit; the first of them has the file's size, time and hash. The two search indexes only make
searches faster: rows that are not in them are searched one by one.
"""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rowspace.encode.index.files import DATASET
from rowspace.encode.index.settings import SETTINGS_KEY, IndexSettings, dump_settings, read_settings
from rowspace.errors import FileFormatError, MissingExtraError, UsageError, reason_of

if TYPE_CHECKING:
    import lance
    import pyarrow as pa

__all__ = [
    "UNFINISHED",
    "ChunkStore",
    "FileState",
    "import_lance",
    "is_remote",
    "sql_list",
]

UNFINISHED = f".{DATASET}.tmp"
"""The folder in an index that a process killed while it creates the dataset leaves."""

_LEXICAL, _DENSE = "text_idx", "vector_idx"
_MAX_UNINDEXED = 2_000  # rows outside of the search indexes
_MAX_FRAGMENTS = 24
_KEPT = timedelta(hours=1)  # old versions, which a running search may be reading


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

    def __init__(self, dataset: "lance.LanceDataset", source: str) -> None:
        self.dataset = dataset
        self.source = source
        self.settings = read_settings(dataset.schema.metadata or {}, source)
        self._folder = _identity(source)

    @classmethod
    def create(cls, path: str, settings: IndexSettings, *, replace: bool = False) -> "ChunkStore":
        """Create an empty index at a path that has none, or `replace` one."""
        lance, schema = import_lance(), _schema(settings)
        if is_remote(path):
            mode = "overwrite" if replace else "create"
            return cls(lance.write_dataset(schema.empty_table(), _uri(path), schema, mode=mode), path)
        temporary = Path(path, UNFINISHED)
        shutil.rmtree(temporary, ignore_errors=True)  # that of a killed process
        temporary.mkdir(parents=True)
        lance.write_dataset(schema.empty_table(), str(temporary), schema)
        temporary.rename(_uri(path))  # Lance itself would leave a folder without a version if it were killed
        return cls.open(path)

    @classmethod
    def open(cls, path: str) -> "ChunkStore":
        """Open an index.

        Raises:
            UsageError: If there is none.
            FileFormatError: If it is damaged, or of a later version.
        """
        lance = import_lance()
        if not is_remote(path) and not Path(_uri(path)).is_dir():
            raise UsageError(f"there is no index in {path!r}; create it with rowspace index FILES -o {path}")
        try:
            dataset = lance.dataset(_uri(path))
        except (ValueError, OSError, RuntimeError) as error:
            if "not found" in str(error) and is_remote(path):
                raise UsageError(f"there is no index in {path!r}; create it with rowspace index FILES") from error
            advice = "check the URL and the credentials" if is_remote(path) else "build it again with --rebuild"
            raise FileFormatError(f"{path}: the index cannot be opened ({reason_of(error)}); {advice}") from error
        return cls(dataset, path)

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
        if _identity(self.source) == self._folder:
            self.dataset.checkout_latest()
            self.settings = read_settings(self.dataset.schema.metadata or {}, self.source)
            return
        latest = ChunkStore.open(self.source)
        self.dataset, self.settings, self._folder = latest.dataset, latest.settings, latest._folder

    @classmethod
    def copy(cls, source: str, target: str) -> "ChunkStore":
        """Replace the index at `target`, or write a new one, with the rows and settings of another, in one commit."""
        dataset = cls.open(source).dataset
        rows = dataset.scanner().to_reader()
        return cls(import_lance().write_dataset(rows, _uri(target), dataset.schema, mode="overwrite"), target)

    @staticmethod
    def drop(path: str) -> None:
        """Delete an index in an object store."""
        import_lance().LanceDataset.drop(_uri(path))

    def change_settings(self, settings: IndexSettings) -> None:
        """Store other settings."""
        self.dataset.update_schema_metadata({SETTINGS_KEY: dump_settings(settings)})
        self.settings = settings

    def files(self) -> dict[str, FileState]:
        """Return the state of each file."""
        columns = ["path", "size", "mtime_ns", "digest"]
        rows = self.dataset.to_table(columns=columns, filter="chunk = 0").to_pydict()
        states = map(FileState, rows["size"], rows["mtime_ns"], rows["digest"])
        return dict(zip(rows["path"], states, strict=True))

    def names(self) -> list[str]:
        """Return the names of passages, each once."""
        return [name for name in dict.fromkeys(self.dataset.to_table(columns=["name"])["name"].to_pylist()) if name]

    def count(self) -> int:
        """Return the number of chunks."""
        return int(self.dataset.count_rows())

    def write(self, rows: Mapping[str, Any], *, replaced: Sequence[str] = ()) -> None:
        """Add rows; in the same commit, remove the old rows of the files `replaced`."""
        import pyarrow as pa

        table = pa.table(dict(rows), schema=_schema(self.settings))
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

    def remove(self, paths: Sequence[str]) -> None:
        """Remove the rows of files."""
        self.dataset.delete(f"path IN {sql_list(paths)}")

    def maintain(self) -> None:
        """Bring the search indexes up to date, join small files, and delete old versions."""
        rows = self.count()
        if not rows:
            return
        names = {index.name for index in self.dataset.describe_indices()}
        if len(self.dataset.get_fragments()) > _MAX_FRAGMENTS:
            self.dataset.optimize.compact_files()
        if _LEXICAL not in names:
            self.dataset.create_scalar_index("text", "INVERTED", _LEXICAL)
        if self.is_approximate and _DENSE not in names:
            self._create_dense(rows)
        limit = max(_MAX_UNINDEXED, rows // 10)
        if any(self.dataset.stats.index_stats(name)["num_unindexed_rows"] > limit for name in names):
            self.dataset.optimize.optimize_indices()
        self.dataset.cleanup_old_versions(_KEPT, delete_unverified=True)

    @property
    def is_approximate(self) -> bool:
        """Whether the search by vectors uses an index."""
        return self.count() >= self.settings.ann_from

    def _create_dense(self, rows: int) -> None:
        self.dataset.create_index("vector", "IVF_SQ", _DENSE, metric="dot", num_partitions=max(1, int(rows**0.5)))


def import_lance() -> Any:
    """Import Lance, or raise `MissingExtraError`."""
    try:
        import lance
    except ImportError as error:
        raise MissingExtraError("a search index needs Lance: pip install 'rowspace[search]'") from error
    return lance


def is_remote(path: str) -> bool:
    """Whether a path is that of an object store, such as s3://bucket/index."""
    return "://" in path


def sql_list(values: Iterable[str]) -> str:
    """Return strings as a list of SQL.

    >>> sql_list(["a", "it's"])
    "('a', 'it''s')"
    """
    return "(" + ", ".join("'" + value.replace("'", "''") + "'" for value in values) + ")"


def _uri(path: str) -> str:
    return f"{path.rstrip('/')}/{DATASET}"


def _identity(path: str) -> tuple[int, int] | None:
    """Return what differs after a folder is replaced by another one; None in an object store."""
    if is_remote(path):
        return None
    try:
        status = Path(_uri(path)).stat()
    except OSError:
        return (0, 0)  # removed
    return status.st_dev, status.st_ino


def _schema(settings: IndexSettings) -> "pa.Schema":
    import pyarrow as pa

    return pa.schema(
        [
            ("path", pa.string()),
            ("chunk", pa.int32()),
            ("first_line", pa.int32()),
            ("last_line", pa.int32()),
            ("name", pa.string()),
            ("text", pa.string()),
            ("vector", pa.list_(pa.float32(), settings.dim)),
            ("size", pa.int64()),
            ("mtime_ns", pa.int64()),
            ("digest", pa.string()),
        ],
        metadata={SETTINGS_KEY: dump_settings(settings)},
    )
