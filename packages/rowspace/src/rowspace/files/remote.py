"""Files at URLs, such as s3://bucket/file.parquet: found, read, written and deleted."""

import os
import re
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, cast

from rowspace.errors import UsageError, missing_file
from rowspace.files.remote_place import Place, RemoteFile, translated_errors, url_parts

__all__ = [
    "RemotePath",
    "check_plain_url",
    "check_remote_target",
    "common_folder",
    "delete_remote",
    "inside_url",
    "is_url",
    "open_remote",
    "path_or_url",
    "read_remote",
    "remote_file",
    "remote_files",
    "remote_names",
    "split_url",
    "upload",
    "without_options",
    "write_remote",
]

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://", re.ASCII)
_MAGIC = re.compile(r"[*?[]")
_WILD = re.compile(r"\*\*/|\*\*|\*|\?|\[[^]/]+\]|.", re.DOTALL)
_WILDCARDS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_HIDDEN = ("_", ".")  # markers such as _SUCCESS
_AT_ONCE = 1 << 22  # bytes


class RemotePath(os.PathLike[str]):
    """A URL in the place of a `pathlib.Path`, which would join its slashes.

    >>> os.fspath(RemotePath("s3://bucket/file"))
    's3://bucket/file'
    """

    def __init__(self, url: str) -> None:
        self.url = url

    def __fspath__(self) -> str:
        return self.url


def is_url(name: object) -> bool:
    """Whether a name is a URL, not a path.

    >>> is_url("s3://bucket/a"), is_url("a/b"), is_url("c:/a")
    (True, False, False)
    """
    return isinstance(name, str) and _URL.match(name) is not None


def path_or_url(name: str) -> os.PathLike[str]:
    """Return a name as an object that functions accept in a list, where a string may be a text.

    >>> path_or_url("a/b"), os.fspath(path_or_url("s3://a/b"))
    (PosixPath('a/b'), 's3://a/b')
    """
    return RemotePath(name) if is_url(name) else Path(name)


def common_folder(folders: Iterable[str]) -> str:
    """Return the innermost folder that contains all folders, of paths or of URLs.

    >>> common_folder(["s3://bucket/a/bc", "s3://bucket/a/b"])
    's3://bucket/a'
    """
    names = [f"{folder.rstrip('/')}/" for folder in folders]
    return os.path.commonprefix(names).rpartition("/")[0]  # noqa: RUF071  # commonpath would join the slashes of a URL


def remote_files(url: str) -> list[RemoteFile]:
    """Return the files that a URL names, by their names: a file, those below a folder, or those that match a pattern.

    Args:
        url: A URL with the name as it is, without escapes; in a pattern, ** matches folders inside folders. In a
            folder, names that begin with _ or . are left out.

    Raises:
        UsageError: There is no such file, or the kind of URL is unknown.
        RowspaceError: The place cannot be read.
        MissingExtraError: pyarrow is not installed.
    """
    place = Place.of(url)
    magic = _MAGIC.search(place.path)
    with translated_errors(url):
        if magic is None:
            info = place.system.get_file_info(place.path)
            if info.is_file:
                return [place.file(info)]
        base = place.path if magic is None else place.path[: magic.start()].rpartition("/")[0]
        infos = place.below(base)
    if magic is None:
        files = [place.file(info) for info in infos if not _is_hidden(info.path[len(base) :])]
    else:
        matches = re.compile("".join(map(_translated, _WILD.findall(place.path))))
        files = [place.file(info) for info in infos if matches.fullmatch(info.path)]
    if not files:
        if magic is None:
            raise missing_file(url, "check the address")
        raise UsageError(f"no file matches the pattern {url!r}; check the address")
    return sorted(files)


def remote_file(url: str) -> RemoteFile:
    """Return the size and time of one file; raises as `remote_files`, also for a folder."""
    place = Place.of(url)
    with translated_errors(url):
        info = place.system.get_file_info(place.path)
    if info.type.name == "NotFound":
        raise missing_file(url, "check the address")
    if not info.is_file:
        raise UsageError(f"{url!r} is a folder; name a file in it")
    return place.file(info)


def remote_names(url: str) -> set[str]:
    """Return the names of the files below a folder, relative to it; none if there is no folder.

    Raises:
        RowspaceError: The place cannot be read.
    """
    place = Place.of(url)
    with translated_errors(url):
        return {info.path[len(place.path) :].strip("/") for info in place.below(place.path)}


def open_remote(url: str) -> IO[bytes]:
    """Open a file to read bytes, at any place of it; raises as `remote_files`."""
    place = Place.of(url)
    with translated_errors(url):
        return cast("IO[bytes]", place.system.open_input_file(place.path))


def read_remote(url: str) -> bytes | None:
    """Return the bytes of a file, or None if there is none; raises as `remote_files`."""
    place = Place.of(url)
    with translated_errors(url):
        if not place.system.get_file_info(place.path).is_file:
            return None
        with place.system.open_input_file(place.path) as file:
            return cast("bytes", file.read())


def write_remote(url: str, data: bytes) -> None:
    """Write a file in one step: readers find the old file or the new one; raises as `remote_files`."""
    with translated_errors(url, doing="written"), Place.of(url).replaced() as file:
        file.write(data)


def split_url(url: str) -> tuple[str, str, str]:
    """Return the URL of the folder, with its slash, the name in it, and the options of a URL.

    >>> split_url("s3://bucket/a/b.npy?region=eu")
    ('s3://bucket/a/', 'b.npy', '?region=eu')
    """
    scheme, place, options = url_parts(url)
    folder, slash, name = place.rpartition("/")
    return scheme + folder + slash, name, options


def without_options(url: str) -> str:
    """Return a URL without its options; a path as it is.

    >>> without_options("s3://bucket/a.parquet?region=eu"), without_options("a?b=c")
    ('s3://bucket/a.parquet', 'a?b=c')
    """
    if not is_url(url):
        return url
    scheme, place, _ = url_parts(url)
    return scheme + place


def check_plain_url(url: str) -> None:
    """Raise `UsageError` if a URL has a user or options; URLs of an index are compared, and Lance reads them."""
    _, place, options = url_parts(url)
    if options or "@" in place.split("/")[0]:
        raise UsageError(
            f"{url!r} has {'options' if options else 'a user'}, which the URLs of an index may not have; set variables "
            "of the environment, such as AWS_REGION and AWS_ENDPOINT_URL for s3://"
        )


def inside_url(url: str, name: str) -> str:
    """Return the URL of a file in a folder.

    >>> inside_url("s3://bucket/a?region=eu", "b.parquet")
    's3://bucket/a/b.parquet?region=eu'
    """
    scheme, place, options = url_parts(url)
    return f"{scheme}{place}/{name}{options}"


def check_remote_target(url: str) -> None:
    """Raise what `write_remote` would raise about a URL, for which an empty file is written; call it before long work.

    Raises:
        UsageError: The URL is that of a whole bucket.
    """
    if split_url(url)[0].endswith("://"):
        raise UsageError(f"{url!r} is a whole bucket; name a file or a folder in it")
    with translated_errors(url, doing="written"):
        Place.of(url).check_writable()


def upload(source: Path, url: str) -> None:
    """Copy a local file to a URL in one step; raises as `remote_files`."""
    with translated_errors(url, doing="written"), source.open("rb") as local, Place.of(url).replaced() as file:
        shutil.copyfileobj(local, file, _AT_ONCE)


def delete_remote(url: str) -> None:
    """Delete a file if it exists; raises as `remote_files`."""
    place = Place.of(url)
    with translated_errors(url, doing="deleted"), suppress(FileNotFoundError):
        place.system.delete_file(place.path)


def _translated(piece: str) -> str:
    """Return a piece of a pattern as a regular expression."""
    if piece.startswith("[") and len(piece) > 1:
        return piece.replace("[!", "[^", 1)
    return _WILDCARDS.get(piece) or re.escape(piece)


def _is_hidden(path: str) -> bool:
    return any(part.startswith(_HIDDEN) for part in path.strip("/").split("/"))
