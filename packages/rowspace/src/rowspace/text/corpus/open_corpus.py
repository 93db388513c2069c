"""A corpus → one stream of pieces of text, or of token lists.

A corpus is a path, several paths, a folder, a glob pattern, '-' for standard input, or an iterable of strings or of
token lists.
"""

import glob
import os
import re
import stat
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from rowspace._base.validate import check_column
from rowspace.errors import CorpusError, CorpusWarning, UsageError, missing_file
from rowspace.files.remote import is_url, remote_file, remote_files
from rowspace.text.characters import utf8
from rowspace.text.corpus.pieces import read_pieces
from rowspace.text.corpus.reading import BLOCK, STANDARD_INPUT, Piece, cut_pieces

__all__ = [
    "Corpus",
    "CorpusFile",
    "OpenCorpus",
    "corpus_bytes",
    "corpus_files",
    "file_bytes",
    "open_corpus",
    "warn_of_tags",
]

Corpus = str | os.PathLike[str] | Iterable[str] | Iterable[os.PathLike[str]] | Iterable[Iterable[str]]
"""A path, several `pathlib.Path`, an iterable of strings, or one of token lists."""

TAGS_BY_WORDS = 1 / 200
TAGS_SHOWN = 3
_NAMES = rb"p|div|span|b|i|u|a|em|strong|font|center|sup|sub|li|ul|ol|td|th|tr|table|title|body|head|h[1-6]|blockquote"
_TAG = re.compile(rb"</(" + _NAMES + rb")\s*>|<(br)(?: ?/)?>", re.IGNORECASE)

_TEXTS_WANTED = "a corpus is a path, several pathlib.Path, an iterable of strings, or one of token lists"


class OpenCorpus(NamedTuple):
    """A corpus as a stream: of pieces of text, or of token lists."""

    pieces: Iterator[Piece] | None
    token_lists: Iterator[list[str]] | None


def open_corpus(
    corpus: Corpus, *, column: str | None = None, on_bytes: Callable[[int], None] | None = None
) -> OpenCorpus:
    """Return a corpus as a stream; of an iterable, only the first item is read now.

    Args:
        corpus: Paths, texts or token lists.
        column: The column that holds the text, of files with records; dots separate nested names.
        on_bytes: Called with the number of bytes read from files.

    Raises:
        CorpusError: there is nothing to read; the stream raises it for what cannot be read.
        UsageError: It is a data frame or a dict.

    The stream warns of text with many tags of HTML (`CorpusWarning`).

    >>> open_corpus(["one text", "another"]).pieces is not None
    True
    """
    if isinstance(corpus, str | os.PathLike):
        return OpenCorpus(_watched(_file_pieces([corpus], column, on_bytes)), None)
    if not isinstance(corpus, Iterable) or isinstance(corpus, bytes | bytearray):
        raise CorpusError(f"{_TEXTS_WANTED}, not {type(corpus).__name__}")
    check_column("a corpus", corpus)
    if isinstance(corpus, list | tuple) and corpus and all(map(_names_file, corpus)):
        raise CorpusError(
            f"every string of the corpus names a file, such as {corpus[0]!r}; to read files, pass "
            "pathlib.Path(...) for each; to learn from the strings themselves, pass iter(...)"
        )
    items = iter(corpus)
    first = next(items, items)  # the iterator itself if it has no items
    if first is items:
        raise CorpusError("the corpus is empty: the iterable has no items")
    all_items: Iterator[Any] = chain([first], items)
    if isinstance(first, os.PathLike):
        return OpenCorpus(_watched(_file_pieces(all_items, column, on_bytes)), None)
    if column is not None:
        raise CorpusError(
            f"column={column!r} names a column of files with records, but this corpus is not a file; leave it out"
        )
    if isinstance(first, str):
        return OpenCorpus(_watched(_text_pieces(all_items)), None)
    return OpenCorpus(None, _token_lists(all_items))


def corpus_bytes(corpus: Corpus) -> int | None:
    """Return an upper bound of the bytes that `on_bytes` will report, or None if it is unknown.

    >>> corpus_bytes("-") is None
    True
    """
    paths = [corpus] if isinstance(corpus, str | os.PathLike) else corpus
    if not isinstance(paths, list | tuple) or not all(isinstance(path, str | os.PathLike) for path in paths):
        return None
    if paths is corpus and any(isinstance(path, str) for path in paths):
        return None  # texts
    total = 0
    for source in corpus_files(paths):
        if source.name == STANDARD_INPUT or not (is_url(source.name) or _file_type(source.name) == stat.S_IFREG):
            return None
        total += file_bytes(source.name)
    return total


def file_bytes(name: str) -> int:
    """Return the size of a file, at a path or a URL."""
    return remote_file(name).size if is_url(name) else Path(name).stat().st_size


class CorpusFile(NamedTuple):
    """A file to read, and whether the caller named it (otherwise it is skipped if it is binary)."""

    name: str
    named: bool


def _file_pieces(
    paths: Iterable[str | os.PathLike[str]], column: str | None, on_bytes: Callable[[int], None] | None
) -> Iterator[Piece]:
    """Yield the text of files, each of which is a document."""
    tried, found = None, False
    for source in corpus_files(paths):
        for piece in read_pieces(source.name, named=source.named, column=column, on_bytes=on_bytes):
            found = True
            yield piece
        tried = source
    if not found and tried is not None and not tried.named:
        what = "no file has records" if column else "no file is plain text"
        raise CorpusError(f"{what}: {tried.name!r}, for example, was skipped; name a folder or pattern with such files")


def corpus_files(paths: Iterable[str | os.PathLike[str]]) -> Iterator[CorpusFile]:
    """Yield the files that paths, folders, patterns and URLs name; those of a folder or a pattern in sorted order.

    Raises:
        CorpusError: There is no text file in a folder.
        UsageError: There is no such file.

    >>> [file.named for file in corpus_files(["-"])]
    [True]
    """
    for path in paths:
        name = path if isinstance(path, str) else _name(path)
        if is_url(name):
            files = remote_files(name)
            yield from (CorpusFile(file.url, named=file.url == name) for file in files)
            continue
        file_type = _file_type(name)
        if file_type == stat.S_IFDIR:
            yield from _folder(name)
        elif file_type:
            yield CorpusFile(name, named=True)
        elif glob.has_magic(name):
            yield from _pattern(name)
        else:
            text = " (a text itself goes in a list: [text])" if " " in name else ""
            raise missing_file(name, f"check the path{text}")


def _name(path: object) -> str:
    if not isinstance(path, os.PathLike):
        raise CorpusError(f"{_TEXTS_WANTED}; this one holds pathlib.Path and then {type(path).__name__}")
    return str(os.fspath(path))


def _file_type(name: str) -> int:
    """Return the type of the file with this name, 0 if there is none."""
    if name == STANDARD_INPUT:
        return stat.S_IFIFO
    try:
        return stat.S_IFMT(Path(name).stat().st_mode)
    except PermissionError as error:
        raise CorpusError(f"{name!r} cannot be read: permission denied; check the permissions of its folder") from error
    except (OSError, ValueError):  # no such file, a name that is too long or contains a NUL
        return 0


def _folder(name: str) -> Iterator[CorpusFile]:
    """Yield the files below a folder, except hidden ones and those of tables."""
    empty = True
    _refuse_table(name)

    def raise_error(error: OSError) -> None:
        raise CorpusError(f"folder {error.filename!r} cannot be read: {error.strerror}; check its permissions")

    for folder, folders, files in os.walk(name, onerror=raise_error):
        folders[:] = sorted(
            inner for inner in folders if not inner.startswith(".") and not _is_table(Path(folder, inner))
        )
        for file in sorted(files):
            path = Path(folder, file)
            if not file.startswith(".") and _file_type(str(path)) == stat.S_IFREG:
                empty = False
                yield CorpusFile(str(path), named=False)
    if empty:
        raise CorpusError(f"folder {name!r} holds no text files; name one that does")


def _refuse_table(name: str) -> None:
    """Raise CorpusError for a folder that is a table or a model: its JSON files would be read as text."""
    if _is_table(Path(name)):
        raise CorpusError(f"{name!r} is a table or a model, not a corpus; name text files, or a folder of them")


def _is_table(folder: Path) -> bool:
    """Return whether a folder holds a rowspace table, or the configuration and weights of a model."""
    try:
        names = {entry.name for entry in os.scandir(folder)}
    except OSError:
        return False  # os.walk reports it
    weights = any(name.endswith((".safetensors", ".bin", ".safetensors.index.json")) for name in names)
    return "rowspace.json" in names or (weights and not names.isdisjoint({"config.json", "modules.json"}))


def _pattern(pattern: str) -> Iterator[CorpusFile]:
    """Yield the files that match a glob pattern."""
    matches = glob.glob(pattern, recursive=True)  # noqa: PTH207  # Path.glob refuses absolute patterns
    files = sorted(path for path in matches if _file_type(path) == stat.S_IFREG)
    if not files:
        raise UsageError(f"no file matches the pattern {pattern!r}; check it: ** matches folders inside folders")
    for path in files:
        yield CorpusFile(path, named=False)


def _names_file(text: object) -> bool:
    return isinstance(text, str) and len(text) < 1000 and _file_type(text) == stat.S_IFREG


def _text_pieces(texts: Iterable[object]) -> Iterator[Piece]:
    """Yield strings as documents, long ones in pieces."""
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise CorpusError(f"item {index} of the corpus is {type(text).__name__}; the items before are strings")
        data = utf8(text)
        if len(data) > BLOCK:
            yield from cut_pieces(data[start : start + BLOCK] for start in range(0, len(data), BLOCK))
        else:
            yield data, True


def _token_lists(lists: Iterable[object]) -> Iterator[list[str]]:
    """Yield token lists, each of which is a sentence."""
    for index, tokens in enumerate(lists):
        if not isinstance(tokens, Iterable) or isinstance(tokens, str | bytes | bytearray):
            raise CorpusError(f"item {index} of the corpus is {type(tokens).__name__}; {_TEXTS_WANTED}")
        sentence = list(tokens)
        for token in sentence:
            if not isinstance(token, str):
                raise CorpusError(f"item {index} of the corpus holds {token!r}; a token list holds strings only")
        yield sentence


def _watched(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces of text; warn of tags in the first megabyte."""
    begin, size = list[bytes](), 0
    for data, last in pieces:
        if size < BLOCK:
            begin.append(data)
            size += len(data)
            if size >= BLOCK:
                warn_of_tags(b"\n".join(begin))
        yield data, last
    if size < BLOCK:
        warn_of_tags(b"\n".join(begin))


def warn_of_tags(text: bytes) -> None:
    """Warn with a `CorpusWarning` if a text has many tags of HTML.

    Counted are closing tags of HTML and `<br>`, which neither code nor mathematics has: neither `a<b` nor `vector<T>`.
    They are many if there is one for each 200 words.
    """
    names = Counter((closed or single).decode().lower() for closed, single in _TAG.findall(text))
    if names and names.total() >= TAGS_BY_WORDS * len(text.split()):
        shown = ", ".join(f"<{name}>" for name, _ in names.most_common(TAGS_SHOWN))
        warnings.warn(
            f"the text has many tags of HTML ({shown}), whose names become words; remove them first, for example: "
            "sed 's/<[^>]*>/ /g' FILE > FILE.txt",
            CorpusWarning,
            stacklevel=2,
        )
