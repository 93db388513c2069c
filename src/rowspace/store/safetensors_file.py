"""A .safetensors file with a tokenizer.json beside it: the one (V, d) tensor that it holds, or the one that is named.

Rows are mapped. Two files cannot be replaced in one step: see `npy.py`. Left out: directories (`model2vec.py`,
`checkpoint.py`). Read next: `tensors.py`.
"""

from pathlib import Path

from rowspace.atomic import StrPath, atomic_file, check_file_target
from rowspace.errors import FileFormatError, UsageError
from rowspace.store.layout import TOKENIZER
from rowspace.store.sniffing import start_of
from rowspace.store.tensors import map_tensor, table_of_tensor, tensor_pieces, tensors_in
from rowspace.store.tokenizer import tokenizer_json
from rowspace.store.writable import check_rows
from rowspace.table import Table

__all__ = ["check_target", "load", "recognises", "save"]

KEY = "embeddings"


def load(path: StrPath, *, limit: int | None = None, key: str | None = None) -> Table:
    """Open a tensor of the file `path` as a table; `key` may be left out where it holds one (V, d) tensor only.

    Raises `UsageError` where several could be meant, and `FileFormatError` as `rowspace.load` does.

    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat", "dog"], np.eye(2)), f"{folder}/pets.safetensors")
    ...     load(f"{folder}/pets.safetensors")["dog"].tolist()
    [0.0, 1.0]
    """
    source = Path(path)
    shapes = {name: tensor.shape for name, tensor in tensors_in(source).items()}
    candidates = [name for name, shape in shapes.items() if len(shape) == 2]
    if key is None and len(candidates) != 1:
        listed = ", ".join(f"{name} {shapes[name]}" for name in sorted(candidates)[:9])
        raise UsageError(f"{source}: holds {len(candidates)} tensors of rows ({listed}); name one as the key")
    name = candidates[0] if key is None else key
    if not (source.parent / TOKENIZER).is_file():
        raise FileFormatError(f"{source}: has no {TOKENIZER} beside it, which says whose rows they are; put it there")
    return table_of_tensor(map_tensor(source, name, limit=limit), source.parent, f"{source}: {name}", limit=limit)


def save(table: Table, path: StrPath) -> None:
    """Write the rows of `table` to `path` as the tensor `embeddings`, and tokenizer.json beside it.

    Ids of the tokenizer without a row in the table get rows of zeros. Counts and settings have no place. Raises
    `UsageError` and `RowspaceError` as `rowspace.store.save` does.
    """
    check_rows(table)
    tokenizer, unknown_rows = tokenizer_json(table)
    check_target(path)
    with atomic_file(Path(path).with_name(TOKENIZER)) as beside, atomic_file(path) as file:
        beside.write(tokenizer)
        for piece in tensor_pieces(KEY, table.rows, unknown_rows):
            file.write(piece)


def recognises(path: Path) -> bool:
    """Whether the file `path` begins as safetensors files do: a length of eight bytes, and JSON."""
    start = start_of(path)
    return len(start) > 9 and start[8:9] == b"{" and start[5:8] == b"\0\0\0"


def check_target(path: StrPath) -> None:
    """Raise what `save` to `path` would raise about the path itself: call it before long work."""
    target = check_file_target(path)
    check_file_target(Path(path).with_name(TOKENIZER))
    if target.exists() and target.stat().st_size and not recognises(target):
        raise UsageError(f"cannot save to {target}: a file of another kind is there; remove it or name another path")
