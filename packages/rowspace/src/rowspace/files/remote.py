"""Files at URLs, such as s3://bucket/file.parquet, by the file systems of pyarrow; no other module opens a URL.

S3 servers other than Amazon's are named by AWS_ENDPOINT_URL, and keys are found where Amazon's own tools look for them.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex
from tempfile import mkdtemp
from typing import IO, TYPE_CHECKING, BinaryIO, NamedTuple, Self, cast
from urllib.parse import quote

from platformdirs import user_cache_path

from rowspace._base.atomic import atomic_file, clear_temporaries
from rowspace.errors import MissingExtraError, RowspaceError, UsageError, reason_of

if TYPE_CHECKING:
    from pyarrow import fs

__all__ = [
    "TEMPORARY",
    "RemoteFile",
    "RemotePath",
    "delete_remote",
    "is_url",
    "local_copy",
    "open_remote",
    "path_or_url",
    "read_remote",
    "remote_file",
    "remote_files",
    "remote_names",
    "upload",
    "write_remote",
]

TEMPORARY = ".tmp"
"""The ending of the hidden names of files that are being written."""

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://", re.ASCII)
_ENDPOINTS = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ACCESS_KEY_ID", "AWS_REGION")
_MAGIC = re.compile(r"[*?[]")
_WILD = re.compile(r"\*\*/|\*\*|\*|\?|\[[^]/]+\]|.", re.DOTALL)
_WILDCARDS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_HIDDEN = ("_", ".")  # markers such as _SUCCESS
_AT_ONCE = 1 << 22  # bytes
_REMEDY = "check the address, the access keys and the network"


class RemoteFile(NamedTuple):
    """A file at a URL.

    Attributes:
        url: Its URL.
        size: Its bytes.
        modified_ns: When it was last modified, in nanoseconds.
    """

    url: str
    size: int
    modified_ns: int


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
    place = _Place.of(url)
    magic = _MAGIC.search(place.path)
    with _errors(url):
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
        what = "there is no file or folder" if magic is None else "no file matches the pattern"
        raise UsageError(f"{what} {url!r}; check the address")
    return sorted(files)


def remote_file(url: str) -> RemoteFile:
    """Return the size and time of one file; raises as `remote_files`."""
    place = _Place.of(url)
    with _errors(url):
        info = place.system.get_file_info(place.path)
    if not info.is_file:
        raise UsageError(f"there is no file {url!r}; check the address")
    return place.file(info)


def remote_names(url: str) -> set[str]:
    """Return the names of the files below a folder, relative to it; none if there is no folder.

    Raises:
        RowspaceError: The place cannot be read.
    """
    place = _Place.of(url)
    with _errors(url):
        return {info.path[len(place.path) :].strip("/") for info in place.below(place.path)}


def open_remote(url: str) -> IO[bytes]:
    """Open a file to read bytes, at any place of it; raises as `remote_files`."""
    place = _Place.of(url)
    with _errors(url):
        return cast("IO[bytes]", place.system.open_input_file(place.path))


def read_remote(url: str) -> bytes | None:
    """Return the bytes of a file, or None if there is none; raises as `remote_files`."""
    place = _Place.of(url)
    with _errors(url):
        if not place.system.get_file_info(place.path).is_file:
            return None
        with place.system.open_input_file(place.path) as file:
            return cast("bytes", file.read())


def write_remote(url: str, data: bytes) -> None:
    """Write a file in one step: readers find the old file or the new one; raises as `remote_files`."""
    with _errors(url, doing="written"), _Place.of(url).replaced() as file:
        file.write(data)


def upload(source: Path, url: str) -> None:
    """Copy a local file to a URL in one step; raises as `remote_files`."""
    with _errors(url, doing="written"), source.open("rb") as local, _Place.of(url).replaced() as file:
        shutil.copyfileobj(local, file, _AT_ONCE)


def delete_remote(url: str) -> None:
    """Delete a file if it exists; raises as `remote_files`."""
    place = _Place.of(url)
    with _errors(url, doing="deleted"), suppress(FileNotFoundError):
        place.system.delete_file(place.path)


def local_copy(url: str) -> Path:
    """Return a copy of a file or folder in the user's cache, made when it is first needed or has changed there.

    Args:
        url: The URL of a file or folder.

    Raises:
        UsageError: There is no such file or folder.
        RowspaceError: It cannot be read.
        MissingExtraError: pyarrow is not installed.
    """
    url = url.rstrip("/")
    files = remote_files(url)
    key = blake2b(repr(files).encode(), digest_size=16).hexdigest()
    target = user_cache_path("rowspace") / "remote" / key / url.rpartition("/")[2]
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    if files[0].url == url:
        with atomic_file(target) as local:
            _download(url, local)
        return target
    clear_temporaries(target)
    scratch = Path(mkdtemp(prefix=".rowspace-", dir=target.parent))
    try:
        for file in files:
            copy = scratch / file.url.removeprefix(url).strip("/")
            copy.parent.mkdir(parents=True, exist_ok=True)
            with copy.open("wb") as local:
                _download(file.url, local)
        with suppress(OSError):  # another process was faster
            scratch.rename(target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return target


def _download(url: str, local: BinaryIO) -> None:
    with open_remote(url) as remote, _errors(url):
        shutil.copyfileobj(remote, local, _AT_ONCE)


class _Place(NamedTuple):
    """A URL whose file system is open.

    Attributes:
        system: The file system.
        path: The path in it.
        before, after: What the URL has before and after the path: the scheme, perhaps a host, and options.
    """

    system: "fs.FileSystem"
    path: str
    before: str
    after: str

    @classmethod
    def of(cls, url: str) -> Self:
        """Open the file system of a URL."""
        scheme, rest, options = _parts(url)
        bucket = rest.split("/")[0]
        endpoints = tuple(os.environ.get(name) for name in _ENDPOINTS)
        try:
            system, root = _file_system(f"{scheme}{quote(bucket, safe=':@')}/{options}", endpoints)
        except ImportError:
            raise MissingExtraError(f"{url!r} is a URL, which needs pyarrow: pip install 'rowspace[arrow]'") from None
        except ValueError as error:  # of Arrow
            raise UsageError(
                f"{url!r} cannot be opened ({reason_of(error)}); URLs begin with s3, gs or hdfs"
            ) from error
        except OSError as error:
            raise RowspaceError(f"{url}: cannot be opened ({_reason(error)}); {_REMEDY}") from error
        path = rest if root.strip("/") == bucket else rest[len(bucket) :]
        return cls(system, path, scheme + rest[: len(rest) - len(path)], options)

    def file(self, info: "fs.FileInfo") -> RemoteFile:
        """Return a file that was found."""
        return RemoteFile(f"{self.before}{info.path}{self.after}", info.size, info.mtime_ns or 0)

    def below(self, base: str) -> "list[fs.FileInfo]":
        """Return the files in a folder and its folders."""
        from pyarrow.fs import FileSelector

        selector = FileSelector(base, recursive=True, allow_not_found=True)
        return [info for info in self.system.get_file_info(selector) if info.is_file]

    @contextmanager
    def replaced(self) -> Iterator[BinaryIO]:
        """Yield a file to write to, which takes the place of the one at the path when the block ends."""
        folder, _, name = self.path.rpartition("/")
        temporary = f"{folder}/.{name}-{token_hex(4)}{TEMPORARY}"  # since an upload that fails may leave a part
        if self.system.type_name != "s3":  # which has no folders
            self.system.create_dir(folder, recursive=True)
        try:
            with self.system.open_output_stream(temporary) as file:
                yield cast("BinaryIO", file)
            self.system.move(temporary, self.path)
        except BaseException:
            with suppress(OSError):
                self.system.delete_file(temporary)
            raise


@lru_cache
def _file_system(url: str, _endpoints: tuple[str | None, ...]) -> "tuple[fs.FileSystem, str]":
    """Return the file system of a URL, and its path; the environment is part of what is remembered."""
    from pyarrow.fs import FileSystem

    return cast("tuple[fs.FileSystem, str]", FileSystem.from_uri(url))


def _parts(url: str) -> tuple[str, str, str]:
    """Return the scheme, the place and the options of a URL.

    >>> _parts("s3://bucket/a?b/?region=eu")
    ('s3://', 'bucket/a?b', '?region=eu')
    """
    scheme, place, options = re.fullmatch(r"(\w[\w+.-]*://)(.*?)(\?\w+=.*)?", url, re.DOTALL).groups("")  # type: ignore[union-attr]  # `is_url` holds
    return scheme, place.rstrip("/"), options


@contextmanager
def _errors(url: str, *, doing: str = "read") -> Iterator[None]:
    """Translate the errors of pyarrow's file systems about a URL."""
    try:
        yield
    except FileNotFoundError as error:
        raise UsageError(f"there is no file or folder {url!r}; check the address") from error
    except OSError as error:
        raise RowspaceError(f"{url}: cannot be {doing} ({_reason(error)}); {_REMEDY}") from error


def _reason(error: OSError) -> str:
    """Return what went wrong, without the internals of the client library."""
    found = re.search(r"AWS Error ([A-Z_]+)", str(error))
    return reason_of(error) if found is None else found[1].lower().replace("_", " ")


def _translated(piece: str) -> str:
    """Return a piece of a pattern as a regular expression."""
    if piece.startswith("[") and len(piece) > 1:
        return piece.replace("[!", "[^", 1)
    return _WILDCARDS.get(piece) or re.escape(piece)


def _is_hidden(path: str) -> bool:
    return any(part.startswith(_HIDDEN) for part in path.strip("/").split("/"))
