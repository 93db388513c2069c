"""The location of an index, a folder or an object store: existence, the lock of its writer, replacement."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rowspace._base.atomic import atomic_folder, clear_temporaries
from rowspace._base.work_folder import LOCK_NAME, locked
from rowspace.errors import RowspaceError, UsageError
from rowspace.files.remote import check_plain_url
from rowspace.search.bridge import BRIDGES
from rowspace.search.reading.files import DATASET
from rowspace.search.storage.dataset import is_remote
from rowspace.search.storage.store import UNFINISHED, ChunkStore

__all__ = ["check_folder", "has_index", "replacing", "resolve_place", "writing"]

_ENDPOINTS = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT")
_HTTP_URL = re.compile(r"https?://([\w.-]+|\[[0-9A-Fa-f:.]+\])(:\d+)?(/[!-~]*)?", re.ASCII)


def resolve_place(path: str | Path) -> str:
    """Return the absolute path of a folder, or a URL as it is.

    Raises:
        UsageError: If the path is empty or has NUL, the URL has a user or options, or the object store's endpoint in
            the environment is not a URL.
    """
    text = os.fspath(path)
    if not text or "\0" in text:
        raise UsageError(f"the path of an index must not be empty or have NUL, got {text!r}")
    if not is_remote(text):
        return os.path.realpath(text)
    check_plain_url(text)
    _check_endpoint()
    return text


def has_index(place: str) -> bool:
    """Whether there is an index, which may be damaged."""
    return ChunkStore.exists(place) if is_remote(place) else Path(place, DATASET).is_dir()


def check_folder(place: str) -> None:
    """Raise `UsageError` for a folder that is neither an index nor empty."""
    folder = Path(place)
    if folder.exists() and not (folder.is_dir() and (has_index(place) or _is_empty(folder))):
        raise UsageError(f"{place} is not an index; name a new or an empty folder")


@contextmanager
def writing(place: str) -> Iterator[None]:
    """Hold the lock of a folder that is new, empty or an index."""
    if is_remote(place):
        yield
        return
    check_folder(place)
    folder = Path(place)
    try:
        if folder.parent.is_dir():
            clear_temporaries(folder)  # of a killed build, which may have left the old index under a hidden name
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RowspaceError(f"cannot write to {place}: {error.strerror}; name another folder") from error
    with locked(folder) as is_ours:
        if not is_ours:
            raise RowspaceError(f"another process is writing to {place}; wait until it has finished")
        yield


@contextmanager
def replacing(place: str) -> Iterator[str]:
    """Yield where to build: the place itself, or a new place whose index will replace the one there."""
    if not has_index(place):
        yield place
    elif is_remote(place):
        temporary = f"{place.rstrip('/')}/rebuild"
        yield temporary
        ChunkStore.copy(temporary, place).maintain()
        ChunkStore.drop(temporary)
    else:
        with atomic_folder(place, marker=DATASET, contents=(DATASET, LOCK_NAME, UNFINISHED, BRIDGES)) as new:
            yield str(new)


def _check_endpoint() -> None:
    """Raise `UsageError` for an endpoint that is not a URL, at which Lance would panic."""
    for name in _ENDPOINTS:
        endpoint = os.environ.get(name, "")
        if endpoint and not _HTTP_URL.fullmatch(endpoint):
            raise UsageError(f"{name} is {endpoint!r}, which is not a URL such as https://localhost:9000")


def _is_empty(folder: Path) -> bool:
    return {entry.name for entry in folder.iterdir()} <= {LOCK_NAME, UNFINISHED}
