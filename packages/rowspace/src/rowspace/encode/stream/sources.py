"""A source of texts (files, standard input, a column of records, an iterable) → lists of texts, and batches of them."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeVar

from rowspace._base.plural import plural
from rowspace._base.validate import check_column
from rowspace.encode.stream.bad_rows import BadRows
from rowspace.errors import UsageError
from rowspace.files.remote import is_url, remote_file
from rowspace.text.corpus import STANDARD_INPUT, CorpusFile, corpus_files, read_texts

__all__ = ["FileIdentity", "Source", "TextDigest", "TextSource", "batches_of", "open_source", "skip_texts"]

TextSource = str | os.PathLike[str] | Iterable[str] | Iterable[os.PathLike[str]]
"""A path, '-' for standard input, several `pathlib.Path`, or an iterable of texts."""

Texts = list[str | None]
Text = TypeVar("Text", str, str | None)
OnBytes = Callable[[int], None]
MAX_CHARACTERS = 1 << 21  # of a batch
MIN_TEXTS = 1 << 12  # enough for all threads of an encoder; fewer only if they are long
MAX_COUNTED = 1 << 12  # texts of an iterable in one list
WANTED = "a source is a path, several pathlib.Path, or an iterable of texts"


class FileIdentity(NamedTuple):
    """What tells a changed file from the same file: its absolute path, size in bytes, and time of modification."""

    path: str
    size: int
    modified_ns: int


class Source(NamedTuple):
    """A source that has been found, but not read.

    Attributes:
        files: Its files, in the order in which they are read; empty for standard input and iterables.
        total_bytes: The size of its files, or None if it has none.
        read: Yields its texts in lists, None for a row without one; called once, with a function to call with the
            number of bytes read.
    """

    files: tuple[FileIdentity, ...]
    total_bytes: int | None
    read: Callable[[OnBytes | None], Iterator[Texts]]


def open_source(
    source: TextSource,
    *,
    column: str | None = None,
    bad: BadRows | None = None,
    outputs: Collection[Path] = (),
) -> Source:
    """Find a source's files; of an iterable, only the first item is read now.

    Args:
        source: See `TextSource`.
        column: The column that holds the text, of files with records (JSON lines and arrays, CSV, Parquet); dots
            separate nested names.
        bad: What counts the rows of files without a text; by default they are errors.
        outputs: Files and folders, with links resolved, that are left out where they are in a folder that is read.

    Raises:
        CorpusError: A folder has no text files; `read` raises it for what cannot be read.
        FileFormatError: By `read`: a file is damaged, or a row has no text and that is an error.
        UsageError: A file does not exist, the source is something else, or `column` does not fit it.

    >>> list(open_source(iter(["one text", "another"])).read(None))
    [['one text', 'another']]
    """
    paths, texts = _paths_or_texts(source)
    if paths is None:
        if column is not None:
            raise UsageError("column is for files with records, but this source is an iterable of texts; leave it out")
        return Source((), None, lambda _: _checked_lists(texts))
    files = [file for file in corpus_files(paths) if file.named or not _is_in(outputs, file.name)]
    if [file.name for file in files].count(STANDARD_INPUT) > 1:
        raise UsageError("standard input ('-') can be read once only; name it once")
    known = tuple(_identity(file.name) for file in files if is_url(file.name) or _is_regular(file.name))
    total = sum(file.size for file in known) if len(known) == len(files) else None
    rows = BadRows(strict=True) if bad is None else bad
    return Source(known, total, lambda on_bytes: _file_texts(files, column, on_bytes, rows))


def _paths_or_texts(source: TextSource) -> tuple[list[str | os.PathLike[str]] | None, Iterable[object]]:
    """Return the paths of a source, or None and its items."""
    if isinstance(source, str | os.PathLike):
        return [source], ()
    if not isinstance(source, Iterable) or isinstance(source, bytes | bytearray):
        raise UsageError(f"{WANTED}, not {type(source).__name__}")
    check_column("a source", source)
    if isinstance(source, list | tuple) and source and all(_names_file(item) for item in source):
        raise UsageError(
            f"every text names a file, such as {source[0]!r}; to read the files, pass pathlib.Path(...) for each; to "
            "encode the names, pass iter(...)"
        )
    items = iter(source)
    first = next(items, items)  # the iterator itself if it has no items
    if isinstance(first, os.PathLike):
        return [_path(item) for item in chain([first], items)], ()
    return None, () if first is items else chain([first], items)


def _path(item: object) -> os.PathLike[str]:
    if not isinstance(item, os.PathLike):
        raise UsageError(f"{WANTED}; this one holds pathlib.Path and then {type(item).__name__}")
    return item


def _names_file(item: object) -> bool:
    return isinstance(item, str) and 0 < len(item) < 1000 and _is_regular(item)


def _is_regular(name: str) -> bool:
    try:
        return name != STANDARD_INPUT and Path(name).is_file()
    except (OSError, ValueError):
        return False


def _is_in(places: Collection[Path], name: str) -> bool:
    path = Path(name).resolve()
    return any(path.is_relative_to(place) for place in places)


def _identity(name: str) -> FileIdentity:
    if is_url(name):
        return FileIdentity(*remote_file(name))
    facts = Path(name).stat()
    return FileIdentity(str(Path(name).resolve()), facts.st_size, facts.st_mtime_ns)


def _checked_lists(texts: Iterable[object]) -> Iterator[Texts]:
    """Yield an iterable's texts in lists of a bounded number; each item must be a string."""
    found: Texts = []
    size = 0
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise UsageError(f"item {number} of the source is {type(text).__name__}, not a text; {WANTED}")
        found.append(text)
        size += len(text)
        if len(found) >= MAX_COUNTED or size >= 1 << 20:
            yield found
            found, size = [], 0
    if found:
        yield found


def _file_texts(files: list[CorpusFile], column: str | None, on_bytes: OnBytes | None, bad: BadRows) -> Iterator[Texts]:
    """Yield the texts of files."""
    for file in files:
        yield from read_texts(file.name, named=file.named, column=column, on_bytes=on_bytes, on_bad=bad.add)


class TextDigest:
    """A hash of texts in order, regardless of how they are split into lists.

    >>> first, second = TextDigest(), TextDigest()
    >>> first.add(["a", "b"])
    >>> second.add(["a"])
    >>> second.add(["b"])
    >>> first.hex() == second.hex()
    True
    """

    def __init__(self) -> None:
        self._hash = blake2b(digest_size=16)

    def add(self, texts: Sequence[str | None]) -> None:
        """Add the next texts; None counts as an empty one."""
        if texts:
            self._hash.update("\0".join([*(text or "" for text in texts), ""]).encode("utf-8", "surrogatepass"))

    def hex(self) -> str:
        """Return the hash of the texts so far."""
        return self._hash.copy().hexdigest()


def batches_of(lists: Iterable[list[Text]], *, limit: int) -> Iterator[list[Text]]:
    """Yield texts in batches of at most `limit` texts and about `MAX_CHARACTERS`; a longer text is a separate batch.

    >>> list(batches_of([["a"], ["b", "c", "d", "e"]], limit=2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    batch, characters = list[Text](), 0
    for texts in lists:
        size = sum(len(text or "") for text in texts)
        if len(batch) + len(texts) <= limit and characters + size <= MAX_CHARACTERS:
            batch += texts
            characters += size
            if len(batch) >= min(limit, MIN_TEXTS):
                yield batch
                batch, characters = [], 0
            continue
        for text in texts:
            size = len(text or "")
            if batch and (len(batch) == limit or characters + size > MAX_CHARACTERS):
                yield batch
                batch, characters = [], 0
            batch.append(text)
            characters += size
    if batch:
        yield batch


def skip_texts(lists: Iterator[list[Text]], count: int, expected: str, digest: TextDigest) -> Iterator[list[Text]]:
    """Yield the lists after the first `count` texts, and add these to `digest`.

    Raises:
        UsageError: The hash of the first `count` texts is not `expected`, or there are fewer.
    """
    missing = count
    for texts in lists:
        digest.add(texts[:missing])
        if missing <= len(texts):
            _check(digest, expected, count)
            yield texts[missing:]
            yield from lists
            return
        missing -= len(texts)
    raise UsageError(
        f"the source has only {plural(count - missing, 'text')}, but {count:,} were encoded before; {REDO}"
    )


REDO = "it is not the source of the interrupted run: give that one, or start again without resume"


def _check(digest: TextDigest, expected: str, count: int) -> None:
    if digest.hex() != expected:
        raise UsageError(f"the first {plural(count, 'text')} of the source differ from those encoded before; {REDO}")
