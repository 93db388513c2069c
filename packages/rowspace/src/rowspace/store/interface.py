"""`Format`: what is known of a format, and what the module that reads and writes it must have."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Protocol, cast

from rowspace._base.atomic import StrPath
from rowspace.table import Table

__all__ = ["Format", "KeyedReader", "Reader", "ReaderAndWriter", "Writer"]


class Reader(Protocol):
    """A module that reads a format."""

    def recognizes(self, path: Path) -> bool:
        """Whether what is at `path` is of the format, from its first bytes."""

    def load(self, path: StrPath, *, limit: int | None = None) -> Table:
        """Open the table at `path`, or its first `limit` rows."""


class KeyedReader(Protocol):
    """A reader of files of several tensors, where `key` is the name of the tensor of rows."""

    def load(self, path: StrPath, *, limit: int | None = None, key: str | None = None) -> Table:
        """Open the tensor `key` at `path` as a table, or its first `limit` rows."""


class Writer(Protocol):
    """A module that writes a format."""

    def check_target(self, path: StrPath) -> None:
        """Raise what `save` to `path` would raise about the path itself."""

    def save(self, table: Table, path: StrPath) -> None:
        """Write `table` to `path`."""


class ReaderAndWriter(Reader, Writer, Protocol):
    """A module that reads and writes a format."""


@dataclass(frozen=True)
class Format:
    """One format.

    Attributes:
        name: The name of the format in `save`.
        module: The module of this folder that reads and writes it, which is imported when it is first needed.
        suffixes: The endings of file names by which `save` chooses it.
        is_folder: Whether it is a folder, rather than a file.
        has_counts: Whether it can hold counts.
        has_keys: Whether its files may hold several tensors, and `load` takes a key.
        has_subwords: Whether it can hold n-gram rows.
        is_divided: Whether tokens are in a file next to it, which is not read from a URL.
        is_read_only: Whether `save` always refuses it; `save_quantized` writes the quantized one.
    """

    name: str
    module: str
    suffixes: tuple[str, ...] = ()
    is_folder: bool = False
    has_counts: bool = False
    has_keys: bool = False
    has_subwords: bool = False
    is_divided: bool = False
    is_read_only: bool = False

    @property
    def reader(self) -> Reader:
        """The module that reads it."""
        return cast("Reader", self._module)

    @property
    def keyed_reader(self) -> KeyedReader | None:
        """The module that reads it by a key; None if it takes no key."""
        return cast("KeyedReader", self._module) if self.has_keys else None

    @property
    def writer(self) -> Writer:
        """The module that writes it."""
        return cast("Writer", self._module)

    def recognizes(self, path: Path) -> bool:
        """Whether what is at `path` is of this format, from its first bytes."""
        return self.is_folder == path.is_dir() and self.reader.recognizes(path)

    @property
    def _module(self) -> ModuleType:
        return import_module(f"rowspace.store.{self.module}")
