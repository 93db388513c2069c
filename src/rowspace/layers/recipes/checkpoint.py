"""A transformers directory of safetensors, sharded or not: `Checkpoint` reads config.json and single tensors.

A tensor is read in blocks of rows, each through a new memory mapping: no tensor is in memory twice, and the result is a
copy that does not change if another program writes to the file. No code of the checkpoint runs, and no pickle is read.
"""

import json
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from rowspace.errors import FileFormatError, UsageError
from rowspace.files.open_folder import resolve_inside

__all__ = ["Checkpoint"]

CONFIG = "config.json"
MODEL = "model.safetensors"
INDEX = "model.safetensors.index.json"
LONGEST_JSON = 1 << 28  # bytes: the index of the largest models has about 10 MB
READ_AT_ONCE = 1 << 22  # bytes


class Checkpoint:
    """A directory with a config and tensors; the constructor reads the config and the names of the tensors.

    `config` is config.json as a dict; `read_at_once` is the number of bytes of a tensor that are mapped at a time.
    Raises `FileFormatError` if a file is missing, damaged, in another format, or a link out of the directory.
    """

    def __init__(self, path: str | PathLike[str], *, read_at_once: int = READ_AT_ONCE) -> None:
        self.folder = Path(path)
        self._read_at_once = read_at_once
        if not self.folder.is_dir():
            raise UsageError(f"{path} is not a directory; pass a local copy of the model's repository")
        self.config = _parsed(inside(self.folder, CONFIG))
        self._files = self._files_of_tensors()

    @property
    def names(self) -> list[str]:
        """The sorted names of all tensors."""
        return sorted(self._files)

    def find(self, endings: Iterable[str]) -> str:
        """Return the name of the tensor that equals one of `endings` or ends in a dot and it; the first match wins.

        So names may have the prefix of the model or not (`bert.embeddings...`, `embeddings...`). Raises
        `FileFormatError` if there is no such tensor, or more than one.
        """
        endings = tuple(endings)
        for ending in endings:
            found = [name for name in self.names if name == ending or name.endswith(f".{ending}")]
            if len(found) == 1:
                return found[0]
            if found:
                raise FileFormatError(f"{self.folder}: {found} all end in {ending!r}; remove the others")
        raise FileFormatError(
            f"{self.folder}: no tensor ends in {' or '.join(map(repr, endings))}; check that config.json and weights "
            f"are of the same model"
        )

    def read(self, name: str) -> Tensor:
        """Read the tensor `name`, in its dtype, to the CPU."""
        if name not in self._files:
            raise UsageError(f"{self.folder} has no tensor {name!r}; see names")
        path = inside(self.folder, self._files[name])
        try:
            return _read(path, name, self._read_at_once)
        except (SafetensorError, OSError) as error:
            raise FileFormatError(f"{path}: tensor {name!r} cannot be read: {error}; restore the file") from error

    def _files_of_tensors(self) -> dict[str, str]:
        """The name of the file of each tensor."""
        if not (self.folder / INDEX).is_file():
            path = inside(self.folder, MODEL)
            try:
                with safe_open(path, framework="pt") as file:
                    return dict.fromkeys(file.keys(), MODEL)
            except (SafetensorError, OSError) as error:
                raise FileFormatError(
                    f"{path}: cannot be read as safetensors: {error}; save the model with save_pretrained again"
                ) from error
        path = inside(self.folder, INDEX)
        files = _parsed(path).get("weight_map")
        if not isinstance(files, dict) or not all(isinstance(name, str) for name in files.values()):
            raise FileFormatError(f"{path}: 'weight_map' must map each tensor to a file name; restore the file")
        return files


def inside(folder: Path, name: str) -> Path:
    """The path of the file `name` in `folder`; raises `FileFormatError` if it is missing or links out of the folder."""
    path = resolve_inside(folder, name)
    if not path.is_file():
        raise FileFormatError(f"{path}: the file does not exist; save the model with save_pretrained again")
    return path


def _parsed(path: Path) -> dict[str, Any]:
    """The JSON object in the file `path`."""
    if path.stat().st_size > LONGEST_JSON:
        raise FileFormatError(f"{path}: the file is too large for JSON of a model; restore the file")
    try:
        document = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{path}: is not JSON: {error}; restore the file") from error
    if not isinstance(document, dict):
        raise FileFormatError(f"{path}: is not a JSON object; restore the file")
    return document


def _read(path: Path, name: str, at_once: int) -> Tensor:
    """Copy a tensor from the file in blocks of rows, since an open mapping counts as memory."""
    with safe_open(path, framework="pt") as file:
        rows = file.get_slice(name)
        shape = rows.get_shape()
        if not shape or 0 in shape:
            only: Tensor = file.get_tensor(name).clone()
            return only
        first = rows[:1]
        tensor = torch.empty(shape, dtype=first.dtype)
        step = max(1, at_once // (first.numel() * first.element_size()))
        del rows, first
    for start in range(0, shape[0], step):
        with safe_open(path, framework="pt") as file:
            tensor[start : start + step] = file.get_slice(name)[start : start + step]
    return tensor
