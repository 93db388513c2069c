"""`encode_parts`: a table and a source of many files → a folder of Parquet files with vectors, and a manifest."""

import os
import socket
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from rowspace.encode.stream import StreamProgress
from rowspace.encode.stream.bad_rows import BadRows
from rowspace.errors import CorpusWarning, FileFormatError, RowspaceError, UsageError, reason_of
from rowspace.files.remote import is_url, without_options
from rowspace.scale.encoders import EncoderSource, TableLike
from rowspace.scale.engines import On
from rowspace.scale.manifest import MANIFEST, Manifest, read_manifest
from rowspace.scale.mapping import check_engine, map_parts
from rowspace.scale.part_files import PartFacts, PartsOptions, facts_in, write_part
from rowspace.scale.parts import Part, check_names, find_parts
from rowspace.scale.places import Place
from rowspace.text.corpus import BadRow

__all__ = ["PartsResult", "encode_parts"]

MAX_NAMED = 100  # bad rows of a result


class PartsResult(NamedTuple):
    """A folder of vectors.

    Attributes:
        out: Its absolute path or URL.
        parts: The number of its parts.
        new_parts: How many of them this run has written.
        texts: The number of rows of all parts.
        new_texts: The number of rows of the new parts.
        bad: How many rows have no text.
        bad_rows: The first of them.
        dim: Numbers of a vector.
        dtype: Their dtype.
        seconds: The duration of this run.
    """

    out: str
    parts: int
    new_parts: int
    texts: int
    new_texts: int
    bad: int
    bad_rows: tuple[BadRow, ...]
    dim: int
    dtype: str
    seconds: float


def encode_parts(  # what, where, and how
    table: TableLike,
    source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    options: PartsOptions | None = None,
    on: On = "processes",
    workers: int | None = None,
    on_progress: Callable[[StreamProgress], None] | None = None,
) -> PartsResult:
    r"""Encode the texts of many files, part by part, into Parquet files, on one machine or a cluster.

    Each part becomes one file, which appears complete or not at all, under a name that depends on its source only. The
    same call again works only on parts that are missing or whose source has changed, whatever has ended the run before,
    and the files have the same bytes with any engine and any number of workers. A row without a text (null, damaged,
    not UTF-8) has a vector of zeros, or is an error if `strict`.

    Args:
        table: The path or URL of a table with a tokenizer, a `Table`, or an `Encoder` with its options. Workers open it
            once, by its path if it has one.
        source: Files, folders, patterns or URLs, as for `find_parts`. Of files with records all columns are kept, of
            others the texts.
        out: A new folder, one of an earlier run, or a URL such as s3://bucket/vectors.
        options: How to read and save.
        on: "processes" of this machine, "ray" (the cluster that is running, or a local one), "dask" (likewise), an
            executor of `concurrent.futures`, or None for this process.
        workers: How many parts at a time; None is one for each core of the machine or the cluster.
        on_progress: Called after each part.

    Returns:
        What is in the folder.

    Raises:
        UsageError: An argument is wrong, the folder is of another table, other options or another program, or two files
            have a column of different types.
        CorpusError: The source cannot be read.
        MissingExtraError: pyarrow or the engine is not installed.
        RowspaceError: A part failed; the other parts that have begun are saved.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> import rowspace as rs
        >>> table = rs.fit(["a red cat", "a red dog"], dim=4, epochs=1, min_count=1, sample=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "texts.txt").write_text("a cat\na dog\n")
        ...     first = encode_parts(table, f"{folder}/*.txt", f"{folder}/vectors", on=None)
        ...     again = encode_parts(table, f"{folder}/*.txt", f"{folder}/vectors", on=None)
        >>> first.new_texts, again.new_texts, again.texts
        (2, 0, 2)
    """
    began, options = time.monotonic(), options or PartsOptions()
    check_engine(on, workers)
    place, encoder = Place(out), EncoderSource.of(table)
    old = read_manifest(place)
    manifest = Manifest.new(encoder, options)
    if old is not None:
        old.check_same(manifest, place)
    sources = [source] if isinstance(source, str | os.PathLike) else list(source)
    parts = find_parts(sources, max_bytes=options.part_bytes, known=() if old is None else old.parts)
    if workers is not None and len(parts) < workers:
        warnings.warn(
            f"there are fewer parts ({len(parts)}) than workers ({workers}), so some workers have nothing to do; "
            "smaller parts use them all",
            CorpusWarning,
            stacklevel=2,
        )
    _check_apart(place, parts, sources)
    place.make()
    run = _Run(place, encoder, options, manifest, on_progress)
    run.prepare(parts, old)
    run.work(on, workers)
    return run.result(time.monotonic() - began)


def _check_apart(place: Place, parts: list[Part], sources: Iterable[str | os.PathLike[str]]) -> None:
    """Raise `UsageError` if a file that is read is in the folder of outputs, or this folder in one that is read."""
    folder = f"{without_options(place.name)}/"
    read = [without_options(part.source) for part in parts]
    inside = next((name for name in read if name.startswith(folder)), None)
    if inside is not None:
        raise UsageError(f"{inside} is read and lies in {place.name}, where vectors are saved; name another folder")
    for each in sources:
        source = os.fspath(each)
        name = without_options(source).rstrip("/") if is_url(source) else os.path.realpath(source)
        if folder.startswith(f"{name}/") and name not in read:
            raise UsageError(
                f"{place.name} lies in {source}, so that its vectors would be read the next time; name another folder"
            )


@dataclass(frozen=True)
class _EncodePart:
    """What a worker does with a part."""

    encoder: EncoderSource
    options: PartsOptions
    out: str

    def __call__(self, part: Part) -> PartFacts:
        """Write the file of a part, unless another worker has done so, and return what is in it."""
        place = Place(self.out)
        if place.is_local:
            self._check_seen(self.out, is_seen=Path(place.path(MANIFEST)).is_file())
        if not is_url(part.source):
            self._check_seen(part.source, is_seen=Path(part.source).is_file())
        with place.adding(part.name) as path:
            return write_part(self.encoder.open(), part, path, self.options)

    def _check_seen(self, path: str, *, is_seen: bool) -> None:
        if not is_seen:
            raise RowspaceError(
                f"the worker on {socket.gethostname()} does not see {path}; use a folder that all machines share, or a "
                "URL such as s3://bucket/folder"
            )


@dataclass
class _Run:
    """A run between the search for its parts and its result."""

    place: Place
    encoder: EncoderSource
    options: PartsOptions
    manifest: Manifest
    on_progress: Callable[[StreamProgress], None] | None
    missing: list[Part] = field(default_factory=list)
    new: list[Part] = field(default_factory=list)
    types: dict[str, tuple[str, str]] = field(default_factory=dict)  # of each column, and a file that has it

    def prepare(self, parts: list[Part], old: Manifest | None) -> None:
        """Remove files of sources that have changed, and write the manifest before any new file.

        Raises `UsageError` if a part has the name of one that another source has made.
        """
        names = self.place.names()
        wanted, sources = set(parts), {part.source for part in parts}
        old_parts, old_facts = ([], {}) if old is None else (old.parts, old.facts)
        check_names([*parts, *(part for part in old_parts if part.source not in sources and part.name in names)])
        for part in old_parts:
            if part in wanted or part.source not in sources:
                if part not in wanted and part.name in names:
                    self.manifest.parts.append(part)  # of a source that was not named again
                if part.name in names and part.name in old_facts:
                    self.manifest.facts[part.name] = old_facts[part.name]
            elif part.name in names:
                self.place.remove(part.name)
                names.remove(part.name)
        self.manifest.parts = sorted([*self.manifest.parts, *parts])
        self.missing = [part for part in parts if part.name not in names]
        for part in parts:
            if part.name in names and part.name not in self.manifest.facts:  # the run before was killed
                self.manifest.facts[part.name] = _stored_facts(self.place, part.name)
            if self.options.strict and part.name in names:
                for row in self.manifest.facts[part.name].bad_rows:
                    BadRows(strict=True).add(row)
        for part in self.manifest.parts:
            if part.name in self.manifest.facts:
                self._check_types(part, self.manifest.facts[part.name])
        self._save()

    def work(self, on: On, workers: int | None) -> None:
        """Encode the parts that are missing."""
        function = _EncodePart(self.encoder, self.options, self.place.name)
        total = sum(part.bytes for part in self.missing)
        try:
            for part, facts in map_parts(function, self.missing, on=on, workers=workers):
                self._check_types(part, facts)
                self.manifest.facts[part.name] = facts
                self.new.append(part)
                if self.on_progress is not None:
                    texts = self._texts(self.new)
                    self.on_progress(StreamProgress(texts, texts, sum(each.bytes for each in self.new), total))
            self.place.clean()
        finally:
            if self.new:
                self._save()

    def _check_types(self, part: Part, facts: PartFacts) -> None:
        """Remove the file of a part and raise `UsageError` if a column has another type than in a part before."""
        for column, kind in facts.types.items():
            known, source = self.types.setdefault(column, (kind, part.source))
            if known != kind:
                self.place.remove(part.name)
                raise UsageError(
                    f"column {column!r} is {kind} in {part.source!r} and {known} in {source!r}, but all files of a "
                    "folder must have one type; write the column with one type in both files (Parquet keeps types), or "
                    "encode them into two folders"
                )

    def result(self, seconds: float) -> PartsResult:
        """Return the sums over all parts."""
        found = [self.manifest.facts[part.name] for part in self.manifest.parts]
        rows = [row for facts in found for row in facts.bad_rows][:MAX_NAMED]
        return PartsResult(
            self.place.name,
            len(self.manifest.parts),
            len(self.new),
            sum(facts.rows for facts in found),
            self._texts(self.new),
            sum(facts.bad for facts in found),
            tuple(rows),
            self.manifest.dim,
            self.manifest.dtype,
            seconds,
        )

    def _texts(self, parts: list[Part]) -> int:
        return sum(self.manifest.facts[part.name].rows for part in parts)

    def _save(self) -> None:
        self.place.write(MANIFEST, self.manifest.to_bytes())


def _stored_facts(place: Place, name: str) -> PartFacts:
    """Return the facts in the footer of a file that a killed run has written."""
    import pyarrow as pa

    from rowspace.scale.parts import open_source_file

    try:
        with open_source_file(place.path(name)) as file:
            return facts_in(file)
    except (pa.ArrowException, EOFError) as error:
        raise FileFormatError(f"{place.path(name)}: damaged ({reason_of(error)}); remove it, and run again") from error
