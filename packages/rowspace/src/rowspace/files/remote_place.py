"""A URL whose file system is open: `Place`, by the file systems of pyarrow; no other module opens a URL.

S3 servers other than Amazon's are named by AWS_ENDPOINT_URL, and keys are found where Amazon's own tools look for them.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from secrets import token_hex
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Self, cast
from urllib.parse import quote

from rowspace.errors import MissingExtraError, RowspaceError, UsageError, missing_file, reason_of

if TYPE_CHECKING:
    from pyarrow import fs

__all__ = ["TEMPORARY", "Place", "RemoteFile", "translated_errors", "url_parts"]

TEMPORARY = ".tmp"
"""The ending of the hidden names of files that are being written."""

_URL_PARTS = re.compile(r"(?P<scheme>\w[\w+.-]*://)(?P<place>.*?)(?P<options>\?\w+=.*)?", re.DOTALL)
_ENDPOINTS = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ACCESS_KEY_ID", "AWS_REGION")
_OBJECT_STORES = {"s3://", "gs://", "gcs://"}
_RETRIES = "retry_limit_seconds="
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


class Place(NamedTuple):
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
        scheme, rest, options = url_parts(url)
        bucket = rest.split("/")[0]
        user, _, name = bucket.rpartition("@")
        if ":" in user or (":" in name and scheme in _OBJECT_STORES):  # which have no ports
            raise UsageError(
                f"a URL that begins with {scheme} has a key in it, and URLs are shown and saved; set variables of the "
                "environment, such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for s3://"
            )
        endpoints = tuple(os.environ.get(name) for name in _ENDPOINTS)
        try:
            system, root = _file_system(f"{scheme}{quote(bucket, safe=':@[]')}/{_limited(scheme, options)}", endpoints)
        except ImportError:
            raise MissingExtraError(f"{url!r} is a URL, which needs pyarrow: pip install 'rowspace[arrow]'") from None
        except ValueError as error:  # of Arrow
            raise UsageError(
                f"{url!r} cannot be opened ({reason_of(error)}); URLs begin with s3, gs or hdfs"
            ) from error
        except OSError as error:
            raise RowspaceError(f"{url}: cannot be opened ({_reason(error)}); {_REMEDY}") from error
        path = rest[len(bucket) - len(name) :] if root.strip("/") == name else rest[len(bucket) :]
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
        temporary = self._temporary()  # since an upload that fails may leave a part
        try:
            with self.system.open_output_stream(temporary) as file:
                yield cast("BinaryIO", file)
            self.system.move(temporary, self.path)
        except BaseException:
            with suppress(OSError):
                self.system.delete_file(temporary)
            raise

    def check_writable(self) -> None:
        """Write an empty file next to the path, and delete it; raise the error of the system if it cannot be."""
        temporary = self._temporary()
        with self.system.open_output_stream(temporary):
            pass
        self.system.delete_file(temporary)

    def _temporary(self) -> str:
        """Return a hidden path next to the path, in a folder that exists."""
        folder, _, name = self.path.rpartition("/")
        if self.system.type_name not in {"s3", "gcs"}:  # which have no folders
            self.system.create_dir(folder, recursive=True)
        return f"{folder}/.{name}-{token_hex(4)}{TEMPORARY}"


def _limited(scheme: str, options: str) -> str:
    """Return the options of a URL with a limit for requests that fail, which Google's client repeats for 15 minutes.

    >>> _limited("gs://", "?scheme=http"), _limited("gs://", ""), _limited("s3://", "")
    ('?scheme=http&retry_limit_seconds=30', '?retry_limit_seconds=30', '')
    """
    if scheme not in {"gs://", "gcs://"} or _RETRIES in options:
        return options
    return f"{options}{'&' if options else '?'}{_RETRIES}30"


@lru_cache
def _file_system(url: str, _endpoints: tuple[str | None, ...]) -> "tuple[fs.FileSystem, str]":
    """Return the file system of a URL, and its path; the environment is part of what is remembered."""
    from pyarrow.fs import FileSystem

    return cast("tuple[fs.FileSystem, str]", FileSystem.from_uri(url))


def url_parts(url: str) -> tuple[str, str, str]:
    """Return the scheme, the place and the options of a URL.

    >>> url_parts("s3://bucket/a?b/?region=eu")
    ('s3://', 'bucket/a?b', '?region=eu')
    """
    found = _URL_PARTS.fullmatch(url)
    if found is None:
        raise UsageError(f"{url!r} is not a URL; URLs begin with s3://, gs:// or hdfs://")
    return found["scheme"], found["place"].rstrip("/"), found["options"] or ""


@contextmanager
def translated_errors(url: str, *, doing: str = "read") -> Iterator[None]:
    """Translate the errors of pyarrow's file systems about a URL."""
    try:
        yield
    except FileNotFoundError as error:
        raise missing_file(url, "check the address") from error
    except OSError as error:
        raise RowspaceError(f"{url}: cannot be {doing} ({_reason(error)}); {_REMEDY}") from error


def _reason(error: OSError) -> str:
    """Return what went wrong, without the internals of the client library."""
    found = re.search(r"AWS Error ([A-Z_]+)", str(error))
    return reason_of(error) if found is None else found[1].lower().replace("_", " ")
