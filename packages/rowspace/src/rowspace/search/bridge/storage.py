"""The bridges of an index: a safetensors file for each new encoder, in the folder or object store of the index."""

import tempfile
from pathlib import Path
from typing import Any

from rowspace._base.atomic import atomic_file
from rowspace.errors import FileFormatError, RowspaceError, reason_of
from rowspace.search.bridge.bridge import Bridge
from rowspace.search.storage.dataset import is_remote

__all__ = ["BRIDGES", "load_bridge", "save_bridge"]

BRIDGES = "bridges"
"""The folder in an index that holds its bridges."""


def save_bridge(place: str, bridge: Bridge) -> None:
    """Save a bridge with the index at `place`, in place of an older one of the same encoder; atomic.

    Raises:
        RowspaceError: The system or the object store refuses.
    """
    data = bridge.to_bytes()
    if not is_remote(place):
        path = Path(place, _name(bridge.source))
        path.parent.mkdir(exist_ok=True)
        with atomic_file(path) as file:
            file.write(data)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bridge")
        path.write_bytes(data)
        try:
            _session(place).upload_file(path, _name(bridge.source))
        except OSError as error:
            raise RowspaceError(f"{place}: the bridge cannot be written ({reason_of(error)})") from error


def load_bridge(place: str, source: str, target: str) -> Bridge | None:
    """Return the bridge of the index at `place` from one fingerprint to another; None if there is none.

    Raises:
        FileFormatError: It is damaged.
    """
    name = _name(source)
    if is_remote(place):
        bridge = _downloaded(place, name)
    else:
        path = Path(place, name)
        bridge = Bridge.from_file(path, str(path)) if path.is_file() else None
    if bridge is None or bridge.target != target:  # made for an index that has since been replaced
        return None
    if bridge.source != source:
        raise FileFormatError(f"{place}/{name}: the bridge of another encoder; learn it again with rowspace bridge")
    return bridge


def _downloaded(place: str, name: str) -> Bridge | None:
    session = _session(place)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bridge")
        try:
            if not session.contains(name):
                return None
            session.download_file(name, path)
        except OSError as error:
            raise RowspaceError(f"{place}/{name}: cannot be read ({reason_of(error)})") from error
        return Bridge.from_file(path, f"{place}/{name}")


def _session(place: str) -> Any:
    from lance.file import LanceFileSession

    return LanceFileSession(place.rstrip("/"))


def _name(source: str) -> str:
    return f"{BRIDGES}/{source}.safetensors"
