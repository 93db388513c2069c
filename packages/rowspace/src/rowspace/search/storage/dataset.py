"""The dataset of Lance in which an index is kept: where it is, its columns, and the lists of its conditions."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rowspace._base.lazy import import_extra
from rowspace.search.reading.files import DATASET
from rowspace.search.storage.settings import SETTINGS_KEY, IndexSettings, dump_settings

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["dataset_identity", "dataset_schema", "dataset_uri", "import_lance", "is_remote", "sql_list"]


def import_lance() -> Any:
    """Import Lance, or raise `MissingExtraError`."""
    return import_extra("lance", "a search index needs Lance", "search")


def is_remote(path: str) -> bool:
    """Whether a path is that of an object store, such as s3://bucket/index."""
    return "://" in path


def sql_list(values: Iterable[str]) -> str:
    """Return strings as a list of SQL.

    >>> sql_list(["a", "it's"])
    "('a', 'it''s')"
    """
    return "(" + ", ".join("'" + value.replace("'", "''") + "'" for value in values) + ")"


def dataset_uri(path: str) -> str:
    """Where the dataset of an index is."""
    return f"{path.rstrip('/')}/{DATASET}"


def dataset_identity(path: str) -> tuple[int, int] | None:
    """Return what differs after a folder is replaced by another one; None in an object store."""
    if is_remote(path):
        return None
    try:
        status = Path(dataset_uri(path)).stat()
    except OSError:
        return (0, 0)  # removed
    return status.st_dev, status.st_ino


def dataset_schema(settings: IndexSettings) -> "pa.Schema":
    """The columns of a dataset, one row for each passage, and the settings."""
    import pyarrow as pa

    return pa.schema(
        [
            ("path", pa.string()),
            ("chunk", pa.int32()),
            ("first_line", pa.int32()),
            ("last_line", pa.int32()),
            ("name", pa.string()),
            ("text", pa.string()),
            ("title", pa.string()),  # the words of the path and the name
            ("words", pa.string()),  # those of the passage
            ("file_words", pa.string()),  # those of the whole file, in its first row
            ("vector", pa.list_(pa.float32(), settings.dim)),
            ("size", pa.int64()),
            ("mtime_ns", pa.int64()),
            ("digest", pa.string()),
            ("metadata", pa.json_()),  # of a record
        ],
        metadata={SETTINGS_KEY: dump_settings(settings)},
    )
