"""The folder of a classifier: a table in the native format, classifier.safetensors, and classifier.json.

| file | contents |
|---|---|
| `classifier.safetensors` | `weight.0`, `bias.0`, ...: the matrix (d, e) and the bias (e,) of each layer, float64 |
| `classifier.json` | labels, options of the classifier and of the encoder, the encoder's fingerprint, facts |
"""

import json
import os
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.atomic import atomic_folder, check_folder_target, check_not_interrupted
from rowspace.encode import Encoder
from rowspace.errors import FileFormatError, UsageError, reason_of
from rowspace.files.strict_json import SEAL, read_object, sealed, unsealed
from rowspace.store import load, save
from rowspace.store.native.manifest import FILES, MARKER, OPTIONAL, plain_settings

__all__ = ["SavedClassifier", "check_target", "read_classifier", "write_classifier"]

JSON, TENSORS = "classifier.json", "classifier.safetensors"
CONTENTS = (*FILES, *OPTIONAL, MARKER, JSON, TENSORS)
VERSION = 2
UNCHECKED = 1  # the version without checksums
MAX_BYTES = 1 << 30
REMEDY = "learn it again with TextClassifier.fit"

Layers = list[tuple[NDArray[np.float64], NDArray[np.float64]]]


class SavedClassifier(NamedTuple):
    """What is saved of a classifier in addition to its table; see `TextClassifier`."""

    params: dict[str, Any]
    classes: NDArray[Any]
    layers: Layers
    facts: dict[str, Any]


def check_target(path: str | os.PathLike[str]) -> None:
    """Raise what `write_classifier` would raise about the path itself."""
    check_folder_target(path, marker=JSON, contents=CONTENTS)


def write_classifier(saved: SavedClassifier, encoder: Encoder, path: str | os.PathLike[str]) -> None:
    """Write a classifier and the table of its encoder to a folder, atomically."""
    from safetensors.numpy import save_file

    tensors: dict[str, NDArray[np.float64]] = {}
    for number, (weight, bias) in enumerate(saved.layers):
        tensors |= {f"weight.{number}": np.ascontiguousarray(weight), f"bias.{number}": np.ascontiguousarray(bias)}
    options = {name: value for name, value in asdict(encoder.options).items() if name != "workers"}
    document = {
        "version": VERSION,
        "classes": saved.classes.tolist(),
        "classifier": plain_settings(saved.params),
        "encoder": options,
        "fingerprint": encoder.fingerprint,
        "facts": saved.facts,
    }
    with atomic_folder(path, marker=JSON, contents=CONTENTS) as folder:
        save(encoder.table, folder)
        save_file(tensors, folder / TENSORS)
        document["weights"] = zlib.crc32((folder / TENSORS).read_bytes())
        (folder / JSON).write_text(json.dumps(sealed(document), indent=1), encoding="utf-8")


def read_classifier(path: Path) -> tuple[SavedClassifier, Encoder]:
    """Open the classifier and the encoder in a folder.

    Raises:
        UsageError: There is no classifier at `path`.
        FileFormatError: It is damaged.
    """
    if not (path / JSON).is_file():
        check_not_interrupted(path, "classifier")
        raise UsageError(f"there is no classifier in {str(path)!r}; learn one with TextClassifier.fit")
    document = _document(path / JSON)
    layers = _read_layers(path / TENSORS, document.get("weights"))
    try:
        saved = SavedClassifier(
            dict(document["classifier"]), np.array(document["classes"]), layers, dict(document["facts"])
        )
        options, fingerprint = dict(document["encoder"]), str(document["fingerprint"])
        outputs = len(saved.classes) if len(saved.classes) > 2 else 1
        if saved.classes.ndim != 1 or saved.classes.dtype.kind not in "Uib" or layers[-1][0].shape[1] != outputs:
            raise ValueError
        if saved.params.keys() != {"kind", "hidden_units", "max_iter", "seed"}:
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise FileFormatError(f"{path / JSON}: damaged, or of another version of rowspace; {REMEDY}") from None
    encoder = Encoder(load(path), **options)
    if encoder.fingerprint != fingerprint or layers[0][0].shape[0] != encoder.dim:
        raise FileFormatError(f"{path}: the table is not the one that the classifier was learned with; {REMEDY}")
    return saved, encoder


def _document(path: Path) -> dict[str, Any]:
    """Return the content of classifier.json; raises `FileFormatError` if it is damaged, or of a later version."""
    document = read_object(path, remedy=REMEDY)
    if document.get("version") not in (UNCHECKED, VERSION):
        raise FileFormatError(
            f"{path}: damaged, or of a later version of rowspace (version {document.get('version')!r:.40}, this one "
            f"reads up to {VERSION}); upgrade with pip install -U rowspace, or {REMEDY}"
        )
    is_checked = document["version"] == VERSION or SEAL in document
    return unsealed(document, str(path), remedy=REMEDY) if is_checked else document


def _read_layers(path: Path, checksum: int | None) -> Layers:
    """Return the layers; raises `FileFormatError` unless their shapes fit each other."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        if path.stat().st_size > MAX_BYTES:
            raise FileFormatError(f"{path}: more than {MAX_BYTES:,} bytes, too large for a classifier; {REMEDY}")
        data = path.read_bytes()
        if checksum is not None and zlib.crc32(data) != checksum:
            raise FileFormatError(f"{path}: is damaged (its checksum differs); {REMEDY}")
        tensors = load(data)
        layers = [
            (tensors.pop(f"weight.{number}"), tensors.pop(f"bias.{number}")) for number in range(len(tensors) // 2)
        ]
    except FileFormatError:
        raise
    except (SafetensorError, OSError, KeyError, ValueError) as error:
        raise FileFormatError(f"{path}: no weights of a classifier ({reason_of(error)}); {REMEDY}") from None
    widths = [weight.shape[0] for weight, _ in layers if weight.ndim == 2]
    fits = len(widths) == len(layers) > 0 and not tensors
    for number, (weight, bias) in enumerate(layers if fits else []):
        following = widths[number + 1] if number + 1 < len(widths) else weight.shape[1]
        fits &= weight.dtype == bias.dtype == np.float64 and bias.shape == (weight.shape[1],) == (following,)
        fits &= bool(np.isfinite(weight).all() and np.isfinite(bias).all())
    if not fits:
        raise FileFormatError(f"{path}: the weights do not fit each other or are not finite; {REMEDY}")
    return layers
