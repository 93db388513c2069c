"""Copies of files and folders at URLs, in the user's cache: `local_copy`."""

import shutil
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from tempfile import mkdtemp
from typing import BinaryIO

from platformdirs import user_cache_path

from rowspace._base.atomic import atomic_file, clear_temporaries
from rowspace.files.remote import open_remote, remote_files
from rowspace.files.remote_place import translated_errors

__all__ = ["local_copy"]

_AT_ONCE = 1 << 22  # bytes


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
    with open_remote(url) as remote, translated_errors(url):
        shutil.copyfileobj(remote, local, _AT_ONCE)
