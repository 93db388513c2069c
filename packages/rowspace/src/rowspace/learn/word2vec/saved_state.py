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
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from rowspace._base.atomic import atomic_file
from rowspace._base.plural import plural
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.strict_json import parse_object
from rowspace.learn.options import FitOptions
from rowspace.learn.run_folder import EPOCH_NAME, STATE_NAME
from rowspace.learn.word2vec.allocation import check_memory, empty_weights, list_used
from rowspace.learn.word2vec.kernels.arrays import Rows, Weights
from rowspace.learn.word2vec.state import FitState
from rowspace.text import IdCorpus

__all__ = ["all_rows", "corpus_checksums", "load_epoch", "load_state", "place_of", "read_place", "save_state"]

VERSION = "1"
CORPUS_FILES = ("ids.bin", "corpus.json")
BYTES_AT_ONCE = 1 << 22
DAMAGES = (SafetensorError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)


def corpus_checksums(folder: Path) -> dict[str, int]:
    """Return the checksum of each file of the corpus in `folder`."""
    return {name: _checksum(_blocks(folder / name)) for name in CORPUS_FILES}


def save_state(state: FitState, folder: Path) -> None:
    """Write the state into `folder`, atomically."""
    header = {"place": json.dumps(place_of(state)), "options": json.dumps(dataclasses.asdict(state.options))}
    header["version"] = VERSION
    header["header_crc32"] = str(_header_checksum(header))
    tensors = all_rows(state.weights)
    header["rows_crc32"] = str(_checksum(tensors.values()))
    at_end_of_epoch = state.epoch > 0 and state.chunk == state.merges == 0
    with atomic_file(folder / (EPOCH_NAME if at_end_of_epoch else STATE_NAME)) as file:
        file.write(save(tensors, header))
    if at_end_of_epoch:
        (folder / STATE_NAME).unlink(missing_ok=True)


def place_of(state: FitState) -> dict[str, Any]:
    """Return how far a fit is and what it reads: the fields of the state without rows and options."""
    fields = {field.name for field in dataclasses.fields(state)} - {"weights", "options", "initial"}
    return {name: getattr(state, name) for name in fields}


def read_place(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return `place_of` the newest state in `folder`, and its options; raises as `load_state`."""
    path = _newest(folder)
    with _reading(path):
        header, place = _read_header(path)
        return place, _parsed(header["options"], path)


def load_state(folder: Path, corpus: IdCorpus | None = None, **changes: Any) -> tuple[IdCorpus, FitState]:
    """Read the corpus and the newest state in `folder`.

    Args:
        folder: The run folder.
        corpus: The corpus, if it is not in `folder`.
        **changes: Options that replace the saved ones.

    Raises:
        FileFormatError: The corpus or the state is damaged.
        UsageError: There is no state, or it is one of several machines, whose corpus is not in `folder`.
    """
    return _load(_newest(folder), corpus, changes)


def load_epoch(folder: Path, corpus: IdCorpus) -> FitState | None:
    """Read the state after the last complete epoch; None if there is none, or its file is damaged."""
    path = folder / EPOCH_NAME
    try:
        return _load(path, corpus, {})[1] if path.exists() else None
    except FileFormatError:
        return None


def _newest(folder: Path) -> Path:
    names = [name for name in (STATE_NAME, EPOCH_NAME) if (folder / name).exists()]
    if not names:
        raise UsageError(f"there is no interrupted fit in {str(folder)!r} to resume; start one without resume")
    return folder / names[0]


def _load(path: Path, corpus: IdCorpus | None, changes: dict[str, Any]) -> tuple[IdCorpus, FitState]:
    with _reading(path):
        header, place = _read_header(path)
    if corpus is None and "machines" in place["text"]:
        processes = plural(place["text"]["machines"], "process", "processes")
        raise UsageError(
            f"the interrupted fit learns in {processes}; resume it as it was started, with torchrun or Ray"
        )
    with _reading(path):
        options = FitOptions(**_parsed(header["options"], path) | changes)
        corpus = corpus or _read_corpus(path.parent, place["files"])
        ngrams = list_used(corpus.vocabulary, corpus.counts, options)
    check_memory(len(corpus.vocabulary), len(ngrams.buckets), options)
    with _reading(path):
        weights = empty_weights(len(corpus.vocabulary), options, ngrams)
        state = FitState(weights, options, **place)
        state.check()
        _read_rows(path, weights, header)
    return corpus, state


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Translate the errors of a file that is damaged."""
    try:
        yield
    except FileFormatError:
        raise
    except (*DAMAGES, OSError) as error:
        raise _damaged(path, error) from error


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
    tensors = all_rows(weights)
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


def all_rows(weights: Weights) -> dict[str, Rows]:
    """Return the rows of a fit by name, (n, padded dim), without the workers' copies."""
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
