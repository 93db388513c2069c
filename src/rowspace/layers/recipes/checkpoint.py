"""A transformers directory of safetensors, sharded or not: `Checkpoint` reads config.json and the tensors asked for.

A tensor is read a few rows at a time, each time from a fresh mapping: no tensor is in memory twice, and the result is
a copy that another program that writes the file cannot change. No code of the checkpoint runs, and no pickle is opened.
"""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from rowspace.errors import FileFormatError, UsageError
from rowspace.files.transformers_folder import TransformersFolder

__all__ = ["Checkpoint"]

READ_AT_ONCE = 1 << 22  # bytes


class Checkpoint:
    """The directory `path`, of which config and names are read at once, and tensors when they are asked for.

    `config` is config.json as a dict, `names` are those of the tensors, in order; `read_at_once` is how many bytes of a
    tensor are mapped at a time. Raises `FileFormatError` where a file is missing or damaged, has another form, or leads
    out of the directory.
    """

    def __init__(self, path: str | PathLike[str], *, read_at_once: int = READ_AT_ONCE) -> None:
        self.folder = Path(path)
        self._read_at_once = read_at_once
        if not self.folder.is_dir():
            raise UsageError(f"{path} is not a directory; pass a local copy of the model's repository")
        self._files = TransformersFolder(self.folder)
        self.config = self._files.config
        self.names = sorted(self._files.files)

    def find(self, endings: Iterable[str]) -> str:
        """The tensor that is called as one of `endings`, or ends in a dot and it; the first ending that is found wins.

        Models put their own name in front or not (`bert.embeddings...`, `embeddings...`): that is left open. Raises
        `FileFormatError` where there is none, or more than one.
        """
        endings = tuple(endings)
        for ending in endings:
            found = [name for name in self.names if name == ending or name.endswith(f".{ending}")]
            if len(found) == 1:
                return found[0]
            if found:
                raise FileFormatError(f"{self.folder}: {found} all end in {ending!r}; keep the one that is meant")
        raise FileFormatError(
            f"{self.folder}: no tensor ends in {' or '.join(map(repr, endings))}; check that config.json and weights "
            f"belong together"
        )

    def read(self, name: str) -> Tensor:
        """The tensor `name`, in its own dtype, on the CPU."""
        if name not in self._files.files:
            raise UsageError(f"{self.folder} holds no tensor {name!r}; see names")
        path = self._files.file_of(name)
        try:
            return _read(path, name, self._read_at_once)
        except (SafetensorError, OSError) as error:
            raise FileFormatError(f"{path}: tensor {name!r} cannot be read: {error}; restore the file") from error


def _read(path: Path, name: str, at_once: int) -> Tensor:
    """A tensor, copied out of the file some rows at a time: a mapping counts as memory for as long as it is open."""
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
