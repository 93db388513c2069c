"""`save` and `load` for every format, which is recognized by content when read, and by name or suffix when written."""

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from rowspace._base.atomic import StrPath, check_not_interrupted, scratch_folder
from rowspace.errors import FileFormatError, RowspaceError, UsageError, missing_file
from rowspace.files.foreign import check_finished, hub_hint, unfinished_beside
from rowspace.files.hub import local_path
from rowspace.files.remote import (
    check_remote_target,
    delete_remote,
    inside_url,
    is_url,
    remote_names,
    split_url,
    upload,
)
from rowspace.store import native
from rowspace.store.interface import Format, KeyedReader, Reader, ReaderAndWriter, Writer
from rowspace.store.native.manifest import MARKER
from rowspace.store.unrecognized import describe
from rowspace.table import Table

__all__ = [
    "FORMATS",
    "Format",
    "KeyedReader",
    "Reader",
    "Writer",
    "check_target",
    "format_of",
    "format_to_write",
    "load",
    "save",
]


if TYPE_CHECKING:  # the modules are imported by name: here the type checker compares them with the protocols
    from rowspace.store.array_formats import npy, npz, parquet
    from rowspace.store.model_formats import (
        checkpoint,
        fasttext,
        model2vec,
        quantized,
        safetensors_file,
        sentence_transformers,
    )
    from rowspace.store.text_formats import glove, tsv, word2vec, word2vec_text

    _folders: tuple[ReaderAndWriter, ...] = (native, model2vec, quantized, sentence_transformers, checkpoint)
    _files: tuple[ReaderAndWriter, ...] = (safetensors_file, fasttext, npz, npy, parquet, tsv)
    _texts: tuple[ReaderAndWriter, ...] = (word2vec, word2vec_text, glove)
    _keyed: tuple[KeyedReader, ...] = (checkpoint, safetensors_file)


NATIVE = Format("native", "native", is_folder=True, has_counts=True, has_subwords=True)

FORMATS = (
    NATIVE,
    Format("model2vec", "model_formats.model2vec", is_folder=True),
    Format("quantized", "model_formats.quantized", is_folder=True, is_read_only=True),
    Format("sentence-transformers", "model_formats.sentence_transformers", is_folder=True),
    Format("transformers", "model_formats.checkpoint", is_folder=True, has_keys=True, is_read_only=True),
    Format("safetensors", "model_formats.safetensors_file", (".safetensors",), has_keys=True, is_divided=True),
    Format("fasttext", "model_formats.fasttext", has_counts=True, has_subwords=True),
    Format("npz", "array_formats.npz", (".npz",), has_counts=True),
    Format("npy", "array_formats.npy", (".npy",), is_divided=True),
    Format("parquet", "array_formats.parquet", (".parquet", ".arrow", ".feather"), has_counts=True),
    Format("tsv", "text_formats.tsv", (".tsv",), has_counts=True, is_divided=True),
    Format("word2vec", "text_formats.word2vec", (".bin",)),
    Format("word2vec-text", "text_formats.word2vec_text", (".vec", ".txt")),
    Format("glove", "text_formats.glove"),
)
"""All formats, in the order in which `load` tries them: with a magic number first, any lines of numbers last."""


def load(
    path: StrPath, *, verify: bool = False, limit: int | None = None, key: str | None = None, download: bool = False
) -> Table:
    """Open the table at `path`, in any format known here, recognized from its content.

    Rows are mapped, that is read from the disk on first access, if the format allows it (safetensors, .npy, .npz,
    Arrow); otherwise several threads read them.

    Args:
        path: A file, a folder, a URL such as s3://bucket/table, whose files are copied to the user's cache (needs
            `rowspace[arrow]`), or the name of a repository of the Hugging Face Hub in its local cache, such as
            "minishlab/potion-base-8M".
        verify: Also compare every byte with the saved checksums, if the format has them (native).
        limit: Open only the first rows, without the tokenizer, since it has more ids.
        key: The name of the tensor of a .safetensors file or a checkpoint, if there are several candidates.
        download: Fetch the repository from the Hub first. Nothing is downloaded otherwise.

    Raises:
        UsageError: Nothing is at `path`, or an argument does not fit the format.
        FileFormatError: What is at `path` is damaged, or of an unknown kind.
        RowspaceError: It cannot be read, for example for lack of permission.

    >>> load("no-such-table")
    Traceback (most recent call last):
    rowspace.errors.UsageError: there is no file or folder 'no-such-table'; check the path
    """
    if limit is not None and limit < 1:
        raise UsageError(f"limit must be at least 1, not {limit}; leave it out for all rows")
    given, path = path, local_path(path, download=download)
    source, known = Path(path), format_of(path)
    if key is not None:
        if known.keyed_reader is None:
            raise UsageError(f"{source}: a {known.name} table has one tensor of rows, and takes no key; leave it out")
        return known.keyed_reader.load(source, limit=limit, key=key)
    table = (
        native.load(source, verify=verify, limit=limit) if known is NATIVE else known.reader.load(source, limit=limit)
    )
    if limit is None:
        table.path = given if isinstance(given, str) and is_url(given) else os.path.realpath(path)
    return table


def save(table: Table, path: StrPath, *, format: str | None = None) -> None:
    """Write `table` to `path` atomically: a process killed at any moment leaves the old or the new file complete.

    Formats that keep the tokens in a second file cannot replace both in one step: see `array_formats/npy.py`.

    Args:
        table: The table.
        path: Where to write, or a URL such as s3://bucket/table (needs `rowspace[arrow]`), where a reader finds the
            old table, the new one, or in between, none.
        format: A name of `FORMATS`. None goes by the suffix: .npz, .npy (and a vocabulary next to it), .safetensors
            (and a tokenizer), .parquet, .arrow, .feather, .tsv (and metadata), .bin (word2vec), .vec and .txt
            (word2vec's text form); any other name becomes a native folder.

    Raises:
        UsageError: The format is unknown, cannot hold the table, or something else is at `path`.
        RowspaceError: The system refuses (disk full, no permission).

    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("pets", "pets.bin", "pets.txt", "pets.npz"):
    ...         save(Table(["cat", "dog"], np.eye(2, dtype=np.float32)), f"{folder}/{name}")
    ...         print(format_of(f"{folder}/{name}").name, load(f"{folder}/{name}")["dog"].tolist())
    native [0.0, 1.0]
    word2vec [0.0, 1.0]
    word2vec-text [0.0, 1.0]
    npz [0.0, 1.0]
    """
    known = format_to_write(path, format)
    if table.subwords is not None and not known.has_subwords:
        warnings.warn(
            f"{os.fspath(path)}: the {known.name} format cannot hold n-grams, so out-of-vocabulary words will have no "
            "row there; 'native' and 'fasttext' can",
            stacklevel=2,
        )
    if is_url(url := os.fspath(path)):
        _save_to_url(table, url, known)
    else:
        known.writer.save(table, path)


def check_target(path: StrPath, *, format: str | None = None) -> None:
    """Raise what `save` to `path` would raise about the path and the format: call it before long work.

    Args:
        path: Where `save` would write.
        format: As for `save`.

    Raises:
        UsageError: The format is unknown, or `path` cannot be replaced.
        RowspaceError: There is no permission to write.

    >>> check_target("table", format="excel")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rowspace.errors.UsageError: unknown format 'excel'; give 'native', ... or 'glove', or leave it out
    """
    known = format_to_write(path, format)
    if is_url(url := os.fspath(path)):
        _check_url(url, known)
    else:
        known.writer.check_target(path)


def format_of(path: StrPath) -> Format:
    """Return the format of what is at `path`.

    Raises:
        UsageError: Nothing is at `path`.
        FileFormatError: What is at `path` is not a table.
    """
    source = _existing(local_path(path))
    check_finished(source)
    for known in FORMATS:
        if known.recognizes(source):
            return known
    raise FileFormatError(f"{source} is not a table: {describe(source)}")


def format_to_write(path: StrPath, name: str | None) -> Format:
    """Return the format that `save` writes to a path or URL; raise `UsageError` for a name that is unknown."""
    if name is None:
        text = os.fspath(path)
        suffix = Path(split_url(text)[1] if is_url(text) else text).suffix.lower()
        return next((known for known in FORMATS if suffix in known.suffixes), NATIVE)
    for known in FORMATS:
        if known.name == name:
            return known
    *names, last = (repr(known.name) for known in FORMATS if not known.is_read_only)
    raise UsageError(f"unknown format {name!r}; give {', '.join(names)} or {last}, or leave it out")


def _existing(path: StrPath) -> Path:
    text = os.fspath(path)
    source = Path(text)
    if text and "\0" not in text:
        try:
            if source.exists():
                return source
        except OSError as error:
            raise RowspaceError(
                f"{text}: cannot be read: {error.strerror}; check the path and its permissions"
            ) from error
        check_not_interrupted(text, "table")
        unfinished = unfinished_beside(source)
        raise missing_file(text, f"check the path{hub_hint(text)}{unfinished}")
    raise missing_file(text)


def _check_url(url: str, known: Format) -> None:
    """Raise what `_save_to_url` would raise about the URL.

    Raises:
        UsageError: The format has two files, or there is a folder that is not a table in our own format.
        RowspaceError: It cannot be written.
        MissingExtraError: pyarrow is not installed.
    """
    if known.is_divided:
        raise UsageError(
            f"{url}: the {known.name} format keeps tokens in a second file, which is not read from a URL; name a "
            "folder or a .npz file"
        )
    check_remote_target(url)
    names = remote_names(url)
    if names and not (known.is_folder and MARKER in names):
        raise UsageError(f"{url} is a folder and not a table of this format; delete it, or name another place")


def _save_to_url(table: Table, url: str, known: Format) -> None:
    """Write a table to a URL; a reader finds the old table, the new one, or in between, none.

    Args:
        table: The table.
        url: Where: a file, or a folder that is new or a table, whose other files are deleted.
        known: The format.
    """
    _check_url(url, known)
    beside, name, options = split_url(url)
    with scratch_folder("save") as folder:
        known.writer.save(table, folder / name)
        paths = [path for path in folder.rglob("*") if path.is_file()]
        main = folder / name / MARKER if known.is_folder else folder / name
        urls = {path: f"{beside}{path.relative_to(folder).as_posix()}{options}" for path in paths}
        if main in urls:
            delete_remote(urls[main])  # so that nobody reads a mixture of two tables
        for path in sorted(paths, key=lambda path: path == main):
            upload(path, urls[path])
        own = {path.relative_to(folder / name).as_posix() for path in paths} if known.is_folder else set()
        for old in remote_names(url) - own:
            delete_remote(inside_url(url, old))
