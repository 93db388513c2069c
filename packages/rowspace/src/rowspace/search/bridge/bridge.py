"""`Bridge`: a map from the vectors of one encoder to those of another, in a file with the index."""

import json
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.atomic import atomic_file
from rowspace.errors import FileFormatError, RowspaceError, reason_of
from rowspace.files.strict_json import SEAL, parse_object, sealed, unsealed
from rowspace.search.bridge.maps import LAYERS, VectorMap
from rowspace.search.storage.dataset import is_remote
from rowspace.search.storage.vectors import unit_vectors

__all__ = ["BRIDGES", "Bridge", "load_bridge", "save_bridge"]

BRIDGES = "bridges"
"""The folder in an index that holds its bridges."""
_KEY = "rowspace_bridge"
_VERSION = 2
_UNCHECKED = 1  # the version without checksums
_REMEDY = "learn the bridge again with rowspace bridge"
_MAX_BYTES = 1 << 30


@dataclass(frozen=True)
class Bridge:
    """A map from the vectors of a new encoder to those of the encoder that made an index.

    Attributes:
        source: The fingerprint of the new encoder.
        target: The fingerprint of the encoder of the index.
        kind: "orthogonal", "linear", "low-rank" or "mlp".
        passages: Number of passages it was learned from.
        held_out: Number of held-out passages that its recall was measured on.
        recall: recall@10: the mean share of a held-out passage's 10 nearest passages that the bridge finds, too.
        interval: The 95 % interval of `recall`, from a bootstrap over held-out passages.
        map: The map.
    """

    source: str
    target: str
    kind: str
    passages: int
    held_out: int
    recall: float
    interval: tuple[float, float]
    map: VectorMap

    def apply(self, vectors: NDArray[Any]) -> NDArray[np.float32]:
        """Return vectors of the new encoder as unit vectors in the space of the index.

        Args:
            vectors: (n, d) floating, of the new encoder.

        Returns:
            (n, d of the index) float32; a row of zeros stays zeros.
        """
        units = unit_vectors(vectors)
        mapped = unit_vectors(self.map.apply(units))
        return np.where(units.any(axis=1, keepdims=True), mapped, np.float32(0))

    def facts(self) -> dict[str, Any]:
        """Return all but the map, for JSON."""
        return {
            "source": self.source,
            "target": self.target,
            "kind": self.kind,
            "passages": self.passages,
            "held_out": self.held_out,
            "recall": self.recall,
            "interval": list(self.interval),
        }

    def to_bytes(self) -> bytes:
        """Return the bridge as a safetensors file."""
        from safetensors.numpy import save

        tensors = self.map.tensors()
        document = sealed({"version": _VERSION, **self.facts(), "crc32": _checksum(tensors)})
        return save(tensors, metadata={_KEY: json.dumps(document)})

    @classmethod
    def from_file(cls, path: Path, name: str) -> "Bridge":
        """Open a bridge.

        Args:
            path: A file with the bytes of `to_bytes`.
            name: The name of the file in messages.

        Raises:
            FileFormatError: The file is damaged, or no bridge.
        """
        from safetensors import SafetensorError, safe_open

        if path.stat().st_size > _MAX_BYTES:
            raise FileFormatError(f"{name}: more than {_MAX_BYTES:,} bytes, too large for a bridge; {_REMEDY}")
        try:
            with safe_open(path, framework="numpy") as file:
                metadata, tensors = file.metadata() or {}, {}
                for key in file.keys():  # noqa: SIM118  # not a dict
                    tensors[key] = file.get_tensor(key) if key in LAYERS else None
        except (SafetensorError, OSError, TypeError, ValueError) as error:
            raise FileFormatError(f"{name}: not a safetensors file ({reason_of(error)}); {_REMEDY}") from None
        facts = parse_object(metadata.get(_KEY, "").encode(), name, remedy=_REMEDY)
        if facts.get("version") == _VERSION or SEAL in facts:
            facts = unsealed(facts, name, remedy=_REMEDY)
        try:
            if "crc32" in facts and facts.pop("crc32") != _checksum(tensors):
                raise ValueError
            return _from_parts(facts, tensors)
        except (KeyError, TypeError, ValueError):
            raise FileFormatError(f"{name}: damaged, or of another version of rowspace; {_REMEDY}") from None


def _checksum(tensors: dict[str, Any]) -> int:
    """Return the CRC-32 of tensors in the order of `LAYERS`."""
    checksum = 0
    for name in LAYERS:
        if tensors.get(name) is not None:
            checksum = zlib.crc32(np.ascontiguousarray(tensors[name]).view(np.uint8).data, checksum)
    return checksum


def _from_parts(facts: dict[str, Any], tensors: dict[str, Any]) -> Bridge:
    """Return the bridge; raises `KeyError`, `TypeError` or `ValueError` for anything but what `to_bytes` wrote."""
    if facts.pop("version") not in (_UNCHECKED, _VERSION):
        raise ValueError
    low, high = map(float, facts.pop("interval"))
    texts = {name: facts.pop(name) for name in ("source", "target", "kind")}
    numbers = {name: facts.pop(name) for name in ("passages", "held_out")}
    if facts.keys() != {"recall"} or not all(type(text) is str for text in texts.values()):
        raise ValueError
    if not all(type(number) is int for number in numbers.values()):
        raise ValueError
    return Bridge(**texts, **numbers, recall=float(facts["recall"]), interval=(low, high), map=VectorMap.of(tensors))


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
