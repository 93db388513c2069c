"""Rows that stay in a file: `MappedEmbedding`, for tables larger than memory."""

import mmap
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import torch
from torch import Tensor

from rowspace._base.atomic import StrPath
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.safetensors_header import header_bytes
from rowspace.files.tensors import Tensors, read_tensors
from rowspace.layers.arguments import require_positive
from rowspace.layers.tables.token_embedding import Scale, TokenEmbedding

__all__ = ["MappedEmbedding"]

DTYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "F64": torch.float64}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


class MappedEmbedding(TokenEmbedding):
    """ids (...) → (..., d): rows of a table in a safetensors file of any size, read when they are looked up.

    The system keeps rows in memory that are used often. `prefetch` asks it for those of the next batch while this one
    is computed. With `trainable=True` the file itself is the parameter: `DeferredAdamW` with `weight_decay=0` writes
    only the rows in use, and keeps moments only for these. `state_dict` and copies do not contain the rows, the module
    cannot be moved to another device or dtype, and `flush` writes what has changed to the disk.

    Args:
        path: The file.
        name: The tensor (V, d); not needed if the file has only one table.
        trainable: Whether steps of an optimizer change the file.
        sparse: Whether the gradient is sparse, as `DeferredAdamW` needs it; False costs memory of the size of the file.
        padding_idx: As in `TokenEmbedding`.
        scale: As in `TokenEmbedding`.

    Raises:
        FileFormatError: If the file is not a safetensors file, or has no such table of floats.
        UsageError: If the file has several tables and `name` is missing.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     table = MappedEmbedding.create(f"{folder}/rows.safetensors", 1_000_000, 64)
    ...     table(torch.tensor([[5, 999_999]])).shape
    torch.Size([1, 2, 64])
    """

    def __init__(
        self,
        path: StrPath,
        name: str | None = None,
        *,
        trainable: bool = False,
        sparse: bool = True,
        padding_idx: int | None = None,
        scale: Scale = None,
    ) -> None:
        self.path, tensors = Path(path), read_tensors(Path(path))
        name = _table_name(tensors, name, self.path)
        found = tensors[name]
        if found.dtype not in DTYPES:
            raise FileFormatError(f"{path}: {name} has the dtype {found.dtype}; expected one of {', '.join(DTYPES)}")
        self._memory, self._offset = _mapped(self.path, writes=trainable), found.offset
        size, dim = found.shape
        rows = torch.frombuffer(self._memory, dtype=DTYPES[found.dtype], offset=found.offset, count=size * dim)
        weight = rows.view(size, dim)
        super().__init__(size, dim, padding_idx, sparse=sparse, _weight=weight, _freeze=not trainable, scale=scale)
        self.name, self.trainable = name, trainable

    def __setattr__(self, key: str, value: Any) -> None:
        """Allow plain attributes before the module is set up."""
        if "_parameters" in self.__dict__:
            super().__setattr__(key, value)
        else:
            object.__setattr__(self, key, value)

    @classmethod
    def create(
        cls,
        path: StrPath,
        num_embeddings: int,
        embedding_dim: int,
        *,
        dtype: torch.dtype = torch.float32,
        trainable: bool = True,
        padding_idx: int | None = None,
        scale: Scale = None,
    ) -> "MappedEmbedding":
        """Make a file with a table of zeros and open it; rows that are not used take no space on most file systems.

        Args:
            path: The file, which must not exist.
            num_embeddings: V.
            embedding_dim: d.
            dtype: Of the rows: float32, float16, bfloat16 or float64.
            trainable: As in the constructor.
            padding_idx: As in the constructor.
            scale: As in the constructor.

        Returns:
            The module.

        Raises:
            UsageError: For a file that exists, a size below 1, or another dtype.
        """
        require_positive(num_embeddings=num_embeddings, embedding_dim=embedding_dim)
        if dtype not in NAMES:
            raise UsageError(f"dtype must be a floating one of 16, 32 or 64 bits, not {dtype}")
        header = header_bytes({"weight": (NAMES[dtype], (num_embeddings, embedding_dim))})
        try:
            with Path(path).open("xb") as file:
                file.write(header)
                file.truncate(len(header) + num_embeddings * embedding_dim * dtype.itemsize)
        except FileExistsError:
            raise UsageError(f"{path} exists; open it with MappedEmbedding(path), or name another file") from None
        return cls(path, trainable=trainable, padding_idx=padding_idx, scale=scale)

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True) -> NoReturn:  # type: ignore[override]  # is refused
        """Refused: the rows of a `MappedEmbedding` are in a file.

        Args:
            embeddings: Not used.
            freeze: Not used.

        Raises:
            UsageError: Always.
        """
        raise UsageError("a MappedEmbedding has its rows in a file; save the table, and open MappedEmbedding(path)")

    def prefetch(self, ids: Tensor) -> None:
        """Ask the system to read the rows of ids (...) into memory, without waiting for them.

        Ids that are out of range are left out. Without effect on systems other than Linux.
        """
        if not hasattr(mmap, "MADV_WILLNEED"):
            return
        width = self.embedding_dim * self.weight.element_size()
        rows = np.unique(ids.detach().cpu().numpy())
        first = self._offset + rows[(rows >= 0) & (rows < self.num_embeddings)].astype(np.int64) * width
        pages = np.unique(np.concatenate([first, first + width - 1]) // mmap.PAGESIZE)
        breaks = np.flatnonzero(np.diff(pages) > 1) + 1
        for run in np.split(pages, breaks) if len(pages) else []:
            start = int(run[0]) * mmap.PAGESIZE
            length = min(len(run) * mmap.PAGESIZE, len(self._memory) - start)
            self._memory.madvise(mmap.MADV_WILLNEED, start, length)

    def flush(self) -> None:
        """Write the rows that have changed to the disk.

        After steps of a deferred optimizer, call its `flush()` before.
        """
        if self.trainable:
            self._memory.flush()

    def reset_parameters(self) -> None:
        """Refused: it would write the whole file.

        Raises:
            UsageError: Always.
        """
        raise UsageError("a MappedEmbedding is not initialized again; create a new file")

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> "MappedEmbedding":
        """Refuse another device or dtype, for which all rows would be read into memory."""
        before = self.weight.detach()[:0]
        after = fn(before)
        if (after.dtype, after.device) != (before.dtype, before.device):
            raise UsageError(
                f"the rows of a MappedEmbedding stay in {self.path}; move those that it returns: table(ids).to(...)"
            )
        return self

    def _save_to_state_dict(self, *_: Any) -> None:
        """The rows are in the file."""

    def _load_from_state_dict(self, *_: Any) -> None:
        """The rows are in the file."""

    def __deepcopy__(self, memo: dict[int, Any]) -> "MappedEmbedding":
        """Open the file again; a copy that learns would change the same rows."""
        if self.trainable:
            raise UsageError(f"a trainable table in {self.path} cannot be copied; copy the file, and open that")
        return MappedEmbedding(**self._settings())

    def __reduce__(self) -> Any:
        """Pickle the path."""
        return _reopened, (self._settings(),)

    def _settings(self) -> dict[str, Any]:
        return {
            "path": self.path, "name": self.name, "trainable": self.trainable, "sparse": self.sparse,
            "padding_idx": self.padding_idx, "scale": self.scale,
        }  # fmt: skip

    def extra_repr(self) -> str:
        """The sizes and the file."""
        return f"{super().extra_repr()}, path={str(self.path)!r}, trainable={self.trainable}"


def _reopened(settings: dict[str, Any]) -> MappedEmbedding:
    return MappedEmbedding(**settings)


def _table_name(tensors: Tensors, name: str | None, path: Path) -> str:
    tables = [each for each, tensor in tensors.items() if len(tensor.shape) == 2 and 0 not in tensor.shape]
    if name is not None and name not in tables:
        raise FileFormatError(f"{path}: has no table {name!r}; it has {', '.join(tables[:8]) or 'none'}")
    if name is None and len(tables) != 1:
        raise UsageError(f"{path} has {len(tables)} tables; pass the name of one: {', '.join(tables[:8]) or 'none'}")
    return tables[0] if name is None else name


def _mapped(path: Path, *, writes: bool) -> mmap.mmap:
    """The file as memory that is shared with it, or that keeps changes to itself."""
    descriptor = os.open(path, os.O_RDWR if writes else os.O_RDONLY)
    try:
        memory = mmap.mmap(descriptor, 0, access=mmap.ACCESS_WRITE if writes else mmap.ACCESS_COPY)
    finally:
        os.close(descriptor)
    if hasattr(mmap, "MADV_RANDOM"):
        memory.madvise(mmap.MADV_RANDOM)  # rows are read in no order, so reading ahead would only take time
    return memory
