"""The state of a fit on disk: a resumed fit learns the same rows, and a damaged state is an error.

| file | contents |
|---|---|
| `epoch.safetensors` | the state after the last complete epoch, which is used if the fit diverges later |
| `state.safetensors` | a later state within the next epoch, if one was saved; a resumed fit starts from it |

Each has the rows as tensors and everything else as JSON in its header, with checksums (CRC-32) of both and of the files
of the corpus. Files are replaced atomically: a killed process leaves the old state or the new one.
"""

import dataclasses
import json
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from rowspace._base.atomic import atomic_file
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.strict_json import parse_object
from rowspace.learn.options import FitOptions
from rowspace.learn.run_folder import EPOCH_NAME, STATE_NAME
from rowspace.learn.word2vec.allocation import check_memory, empty_weights, list_used
from rowspace.learn.word2vec.kernels.arrays import Rows, Weights
from rowspace.learn.word2vec.state import FitState
from rowspace.text import IdCorpus

__all__ = ["corpus_checksums", "load_epoch", "load_state", "save_state"]

VERSION = "1"
CORPUS_FILES = ("ids.bin", "corpus.json")
BYTES_AT_ONCE = 1 << 22
DAMAGES = (SafetensorError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)


def corpus_checksums(folder: Path) -> dict[str, int]:
    """Return the checksum of each file of the corpus in `folder`."""
    return {name: _checksum(_blocks(folder / name)) for name in CORPUS_FILES}


def save_state(state: FitState, folder: Path) -> None:
    """Write the state into `folder`, atomically."""
    place = {
        field.name: getattr(state, field.name)
        for field in dataclasses.fields(state)
        if field.name not in ("weights", "options", "initial")
    }
    header = {"place": json.dumps(place), "options": json.dumps(dataclasses.asdict(state.options))}
    header["version"] = VERSION
    header["header_crc32"] = str(_header_checksum(header))
    tensors = _tensors(state.weights)
    header["rows_crc32"] = str(_checksum(tensors.values()))
    at_end_of_epoch = state.epoch > 0 and state.chunk == 0
    with atomic_file(folder / (EPOCH_NAME if at_end_of_epoch else STATE_NAME)) as file:
        file.write(save(tensors, header))
    if at_end_of_epoch:
        (folder / STATE_NAME).unlink(missing_ok=True)


def load_state(folder: Path, **changes: Any) -> tuple[IdCorpus, FitState]:
    """Read the corpus and the newest state in `folder`.

    Args:
        folder: The run folder.
        **changes: Options that replace the saved ones.

    Raises:
        FileFormatError: The corpus or the state is damaged.
        UsageError: There is no state.
    """
    names = [name for name in (STATE_NAME, EPOCH_NAME) if (folder / name).exists()]
    if not names:
        raise UsageError(f"there is no interrupted fit in {str(folder)!r} to resume; start one without resume")
    return _load(folder / names[0], None, changes)


def load_epoch(folder: Path, corpus: IdCorpus) -> FitState | None:
    """Read the state after the last complete epoch; None if there is none, or its file is damaged."""
    path = folder / EPOCH_NAME
    try:
        return _load(path, corpus, {})[1] if path.exists() else None
    except FileFormatError:
        return None


def _load(path: Path, corpus: IdCorpus | None, changes: dict[str, Any]) -> tuple[IdCorpus, FitState]:
    try:
        header, place = _read_header(path)
        options = FitOptions(**_parsed(header["options"], path) | changes)
        corpus = corpus or _read_corpus(path.parent, place["files"])
        ngrams = list_used(corpus.vocabulary, corpus.counts, options)
    except FileFormatError:
        raise
    except (*DAMAGES, OSError) as error:
        raise _damaged(path, error) from error
    check_memory(len(corpus.vocabulary), len(ngrams.buckets), options)
    try:
        weights = empty_weights(len(corpus.vocabulary), options, ngrams)
        state = FitState(weights, options, **place)
        state.check()
        _read_rows(path, weights, header)
    except (*DAMAGES, OSError) as error:
        raise _damaged(path, error) from error
    return corpus, state


def _damaged(path: Path, error: Exception) -> FileFormatError:
    if isinstance(error, OSError):
        return FileFormatError(
            f"{str(error.filename or path)!r} cannot be read ({error.strerror}); start a fit without resume"
        )
    return FileFormatError(f"{str(path)!r} is damaged ({error}); start a fit without resume")


def _read_header(path: Path) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the header, after verifying its checksum."""
    with safe_open(path, framework="numpy") as file:
        header: dict[str, str] = file.metadata()
    if header.get("version", VERSION) != VERSION:  # the first version has no such entry
        raise FileFormatError(
            f"{str(path)!r} was written by another version of rowspace; resume it with that one, or start a fit "
            "without resume"
        )
    if str(_header_checksum(header)) != header["header_crc32"]:
        raise ValueError("the checksum of its header differs")
    return header, _parsed(header["place"], path)


def _parsed(text: str, path: Path) -> dict[str, Any]:
    return parse_object(text.encode(), repr(str(path)), remedy="start a fit without resume")


def _read_corpus(folder: Path, checksums: dict[str, int]) -> IdCorpus:
    """Return the corpus, after verifying the checksums of its files and the range of its ids."""
    for name in CORPUS_FILES:
        if _checksum(_blocks(folder / name)) != checksums[name]:
            raise FileFormatError(
                f"{str(folder / name)!r} is damaged or belongs to another fit: its checksum differs from the one in "
                "the saved state; start a fit without resume"
            )
    corpus = IdCorpus.load(folder)
    for block in _blocks(corpus.ids_path):
        ids = np.frombuffer(block, "<i4")
        if ids.min() < -1 or ids.max() >= len(corpus.vocabulary):
            raise ValueError(f"an id is not in the vocabulary of {len(corpus.vocabulary)}")
    return corpus


def _read_rows(path: Path, weights: Weights, header: dict[str, str]) -> None:
    """Read the rows into `weights`."""
    tensors = _tensors(weights)
    with safe_open(path, framework="numpy") as file:
        for name, rows in tensors.items():
            read: Rows = file.get_tensor(name)
            if read.shape != rows.shape or read.dtype != rows.dtype:
                raise ValueError(f"{name} is {read.dtype} {read.shape}, not {rows.dtype} {rows.shape}")
            np.copyto(rows, read)
    if str(_checksum(tensors.values())) != header["rows_crc32"]:
        raise ValueError("the checksum of its rows differs")
    if not all(np.isfinite(rows).all() for rows in tensors.values()):
        raise ValueError("its rows are not finite")


def _tensors(weights: Weights) -> dict[str, Rows]:
    """Return the rows to save, without the workers' copies."""
    return {
        "inputs": weights.inputs[: weights.size],
        "outputs": weights.outputs[: weights.size],
        "ngrams": weights.ngrams.rows[: len(weights.ngrams.buckets)],
    }


def _header_checksum(header: dict[str, str]) -> int:
    return _checksum(header[name].encode() for name in ("place", "options"))


def _checksum(parts: Iterable[Any]) -> int:
    """Return the CRC-32 of the concatenation of some buffers."""
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(part, checksum)
    return checksum


def _blocks(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks."""
    with path.open("rb") as file:
        while block := file.read(BYTES_AT_ONCE):
            yield block
