"""A transformers folder of safetensors, sharded or not: `Checkpoint` reads config.json and single tensors.

A tensor is read in blocks of rows, each through a new memory mapping: no tensor is in memory twice, and the result is a
copy that does not change if another program writes to the file. Codes of a quantized model become the float32 that they
stand for. No code of the checkpoint runs, and no pickle is read.
"""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from rowspace._base.plural import join_names
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.foreign import hub_hint
from rowspace.files.hub import local_path
from rowspace.files.transformers_folder import TransformersFolder

__all__ = ["Checkpoint"]

READ_AT_ONCE = 1 << 22  # bytes


class Checkpoint:
    """A folder with a config and tensors; the constructor reads the config and the names of the tensors.

    `config` is config.json as a dict, `names` are the sorted names of the tensors; `read_at_once` is the number of
    bytes of a tensor that are mapped at a time. Raises `FileFormatError` if a file is missing, damaged, in another
    format, or a link out of the folder.
    """

    def __init__(self, path: str | PathLike[str], *, read_at_once: int = READ_AT_ONCE) -> None:
        if not isinstance(path, str | PathLike):
            raise UsageError(f"path must be the folder of a model, a string or a Path, not {type(path).__name__}")
        self.folder = Path(local_path(path))
        self._read_at_once = read_at_once
        if not self.folder.is_dir():
            raise UsageError(
                f"{path} is not a folder; pass a local copy of the model's repository{hub_hint(str(path))}"
            )
        self._files = TransformersFolder(self.folder)
        self.config = self._files.config
        self.names = sorted(self._files.files)

    def find(self, endings: Iterable[str]) -> str:
        """Return the name of the tensor that equals one of `endings` or ends in a dot and it; the first match wins.

        So names may have the prefix of the model or not (`bert.embeddings...`, `embeddings...`). Of several it is that
        of the main model, as `main_table` says. Raises `FileFormatError` if there is no such tensor, or if that does
        not settle which one it is.
        """
        endings = tuple(endings)
        for ending in endings:
            found = [name for name in self.names if name == ending or name.endswith(f".{ending}")]
            main = found[0] if len(found) == 1 else self._files.main_table(found)
            if main is not None:
                return main
            if found:
                raise FileFormatError(
                    f"{self.folder}: {join_names(found)} all end in {ending!r}, so it is not clear which one is read; "
                    "save the part of the model that has it by itself, with save_pretrained"
                )
        raise FileFormatError(
            f"{self.folder}: no tensor ends in {' or '.join(map(repr, endings))}; check that config.json and weights "
            f"are of the same model"
        )

    def read(self, name: str) -> Tensor:
        """Read the tensor `name` to the CPU: in its dtype, or float32 if it holds codes with a scale."""
        if name not in self._files.files:
            raise UsageError(f"{self.folder} has no tensor {name!r}; see names")
        path = self._files.file_of(name)
        if self._files.holds_codes(name):
            return torch.from_numpy(self._files.map_rows(name))
        try:
            return _read(path, name, self._read_at_once)
        except (SafetensorError, OSError) as error:
            raise FileFormatError(f"{path}: tensor {name!r} cannot be read: {error}; restore the file") from error


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
