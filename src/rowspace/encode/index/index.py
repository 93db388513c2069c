"""`Index`: files as passages that can be searched by meaning and by words."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rowspace._base.atomic import atomic_directory
from rowspace._base.lock import LOCK_NAME, locked
from rowspace.encode.encoder import Encoder
from rowspace.encode.index.files import DATASET, resolve_roots
from rowspace.encode.index.options import IndexOptions
from rowspace.encode.index.search import Hit, Mode, search_store
from rowspace.encode.index.settings import IndexSettings
from rowspace.encode.index.store import ChunkStore, import_lance, is_remote
from rowspace.encode.index.update import Progress, Summary, unit_vectors, update_store
from rowspace.errors import RowspaceError, UsageError

__all__ = ["Index"]

FLOATS = ("float32", "float16")


class Index:
    """A search index of files, in a folder or an object store; make one with `build` or `open`.

    Attributes:
        path: Where it is.
        settings: What it was made with.
        summary: What the last build or update did; None if there was none since `open`.
    """

    def __init__(self, path: str, store: ChunkStore, encoder: Encoder | None) -> None:
        self.path = path
        self.summary: Summary | None = None
        self._store, self._encoder = store, encoder

    @classmethod
    def build(
        cls,
        files: str | Path | Iterable[str | Path],
        encoder: Encoder,
        path: str | Path,
        *,
        options: IndexOptions | None = None,
        table: str | Path | None = None,
        on_progress: Progress | None = None,
    ) -> "Index":
        """Make an index of files.

        An index at `path` is replaced when the new one is complete; in an object store, at once. A killed build of the
        first index leaves the files that are done, and `update` continues.

        Args:
            files: Files and folders.
            encoder: Texts → vectors.
            path: A new folder, an index, or a URL such as s3://bucket/index.
            options: The length of passages, and limits.
            table: The path of the encoder's table, so that `open` finds it.
            on_progress: Called after each file.

        Returns:
            The index.

        Raises:
            UsageError: If a file does not exist, `path` is another kind of folder, or vectors are not floats.
            RowspaceError: If another process writes to `path`.
        """
        if encoder.options.dtype not in FLOATS:
            raise UsageError(
                f"an index needs vectors of {' or '.join(FLOATS)}, and this encoder has dtype={encoder.options.dtype!r}"
            )
        place, roots = _place(path), resolve_roots(files)
        settings = IndexSettings(
            encoder.fingerprint,
            encoder.dim,
            None if table is None else os.path.realpath(table),
            tuple(roots),
            **asdict(options or IndexOptions()),
        )
        with _writing(place), _replacing(place) as new:
            store = ChunkStore.create(new, settings, replace=is_remote(place))
            summary = update_store(store, roots, encoder, on_progress=on_progress)
        index = cls.open(place, encoder)
        index.summary = summary
        return index

    @classmethod
    def open(cls, path: str | Path, encoder: Encoder | None = None) -> "Index":
        """Open an index.

        Args:
            path: Its folder or URL.
            encoder: The encoder that it was made with; by default that of the table whose path it has stored.

        Raises:
            UsageError: If there is no index, or the encoder differs.
            FileFormatError: If the index is damaged.
        """
        place = _place(path)
        index = cls(place, ChunkStore.open(place), None)
        if encoder is not None:
            index._encoder = index._checked(encoder)
        return index

    @classmethod
    def exists(cls, path: str | Path) -> bool:
        """Whether there is an index at `path`, which may be damaged."""
        place = _place(path)
        return ChunkStore.exists(place) if is_remote(place) else _exists(place)

    @classmethod
    def check_target(cls, path: str | Path) -> None:
        """Raise the errors that `build` would raise about `path`, or for lack of Lance; call it before long work."""
        import_lance()
        place = _place(path)
        if not is_remote(place):
            _check_folder(place)

    @property
    def settings(self) -> IndexSettings:
        """What the index was made with."""
        return self._store.settings

    def __len__(self) -> int:
        """Return the number of passages."""
        return self._store.count()

    def files(self) -> list[str]:
        """Return the paths of the files."""
        return sorted(self._store.files())

    def update(
        self, files: str | Path | Iterable[str | Path] | None = None, *, on_progress: Progress | None = None
    ) -> Summary:
        """Read files that are new or have changed, and remove those that no longer exist.

        Args:
            files: Files and folders; by default all that were indexed before. Others in the index are unchanged.
            on_progress: Called after each file.

        Returns:
            What was done.

        Raises:
            UsageError: If a file does not exist and is not in the index.
            RowspaceError: If another process writes to the index.
        """
        with _writing(self.path):
            self._store.refresh()
            known = self.settings.roots
            missing = [*known, *self._store.files()]  # these may have been removed
            roots = resolve_roots(known if files is None else files, known=missing)
            joined = tuple(resolve_roots([*known, *roots], known=missing))
            if joined != known:
                self._store.change_settings(replace(self.settings, roots=joined))
            self.summary = update_store(self._store, roots, self._encoder_of_table(), on_progress=on_progress)
        return self.summary

    def search(self, query: str, *, k: int = 10, path: str | None = None, mode: Mode = "hybrid") -> list[Hit]:
        """Return the passages that answer a query, best first.

        Args:
            query: Words or a question.
            k: The maximum number of passages.
            path: Search only files whose path matches this pattern, such as `*.md`, `docs/` or `src/**/*.py`.
            mode: "dense" ranks by the cosine of vectors, "lexical" by BM25, "hybrid" by both.

        Returns:
            At most `k` hits; none if no word of the query is known.

        Raises:
            UsageError: If an argument is not valid, or the table has changed since the index was made.
        """
        self._store.refresh()
        vector = None if mode == "lexical" else self._vector(query)
        return search_store(self._store, query, vector, k=k, path=path, mode=mode)

    def _vector(self, query: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = unit_vectors(self._encoder_of_table().encode([query]))[0]
        return vector

    def _encoder_of_table(self) -> Encoder:
        if self._encoder is None:
            if self.settings.table is None:
                raise UsageError(f"{self.path}: the index does not know its table; pass the encoder, or use --table")
            self._encoder = self._checked(Encoder.load(self.settings.table))
        return self._encoder

    def _checked(self, encoder: Encoder) -> Encoder:
        if encoder.fingerprint != self.settings.fingerprint:
            known = f" ({self.settings.table})" if self.settings.table else ""
            raise UsageError(
                f"{self.path}: the index was made with another table{known}, so vectors cannot be compared: it has "
                f"fingerprint {self.settings.fingerprint}, this table {encoder.fingerprint}; use that table, or build "
                "the index again with --rebuild"
            )
        return encoder


def _place(path: str | Path) -> str:
    text = os.fspath(path)
    if not text or "\0" in text:
        raise UsageError(f"the path of an index must not be empty or have NUL, got {text!r}")
    return text if is_remote(text) else os.path.realpath(text)


def _exists(place: str) -> bool:
    return is_remote(place) or Path(place, DATASET).is_dir()


def _is_empty(folder: Path) -> bool:
    return {entry.name for entry in folder.iterdir()} <= {LOCK_NAME}


@contextmanager
def _replacing(place: str) -> Iterator[str]:
    """Yield where to build: the place itself, or a new folder that will replace the index there."""
    if is_remote(place) or not _exists(place):
        yield place
        return
    with atomic_directory(place, marker=DATASET, contents=(DATASET, LOCK_NAME)) as new:
        yield str(new)


@contextmanager
def _writing(place: str) -> Iterator[None]:
    """Hold the lock of a folder that is new, empty or an index."""
    if is_remote(place):
        yield
        return
    _check_folder(place)
    folder = Path(place)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RowspaceError(f"cannot write to {place}: {error.strerror}; name another folder") from error
    with locked(folder) as is_ours:
        if not is_ours:
            raise RowspaceError(f"another process is writing to {place}; wait until it has finished")
        yield


def _check_folder(place: str) -> None:
    folder = Path(place)
    if folder.exists() and not (folder.is_dir() and (_exists(place) or _is_empty(folder))):
        raise UsageError(f"{place} is not an index; name a new or an empty folder")
