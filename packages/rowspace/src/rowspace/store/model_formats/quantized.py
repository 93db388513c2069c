"""A folder of quantized rows: binary, or of product quantization; and model2vec's folder with int8 rows.

    model.safetensors  `pq.codes` (V, parts) uint8 and `pq.centroids` (256, d) float32, or
                       `binary.bits` (V, d / 8 rounded up) uint8 and `binary.scales` (V,) float32
    tokenizer.json     the table's tokenizer, or one built from the vocabulary
    config.json        `quantization`, `embedding_dim`, the length d of a row, and `unknown_rows`: so many of the last
                       rows are zeros, of ids without a token

Rows are decoded to float32 in memory. int8 needs no separate format: model2vec multiplies the row of a token,
`embeddings[id]`, by `weights[id]`, which is the scale of the row. Source: model2vec 0.10, `StaticModel`.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.atomic import StrPath, atomic_folder, check_folder_target
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.mapped import map_array
from rowspace.files.open_folder import open_regular, resolve_inside
from rowspace.files.quantized_rows import BinaryRows, Int8Rows, ProductRows, QuantizedRows
from rowspace.files.safetensors_header import Tensor, header_bytes, read_header
from rowspace.files.strict_json import is_count, read_object
from rowspace.files.tensors import holds_tensor
from rowspace.files.transformers_folder import CONFIG, MODEL, TOKENIZER
from rowspace.store.model_formats import model2vec
from rowspace.store.tokenizer import CONFIG_CONTENT, MODULES, modules_of, normalizes, table_of_tensor, tokenizer_json
from rowspace.table import Table

__all__ = ["check_quantized_target", "check_target", "load", "recognizes", "save", "save_quantized"]

CONTENTS = (MODEL, TOKENIZER, CONFIG)
CODES = {"U8": "u1", "I8": "i1", "F32": "<f4"}
NAMES = {"pq": ("pq.codes", "pq.centroids"), "binary": ("binary.bits", "binary.scales")}
MAX_PART_WIDTH = 64  # columns for one byte, so that a small file cannot take much memory


def load(path: StrPath, *, limit: int | None = None) -> Table:
    """Open the table in the folder `path`; raises `FileFormatError` as `rowspace.load` does.

    >>> import tempfile
    >>> rows = BinaryRows(np.array([[0b10100000]], np.uint8), np.array([0.5], np.float32), 3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_quantized(Table(["cat"], np.zeros((1, 3))), rows, f"{folder}/pets")
    ...     load(f"{folder}/pets")["cat"].tolist()
    [0.5, -0.5, 0.5]
    """
    folder = Path(path)
    model, config = resolve_inside(folder, MODEL), read_object(resolve_inside(folder, CONFIG))
    kind = config.get("quantization")
    dim, unknown_rows = (config.get(name, -1) for name in ("embedding_dim", "unknown_rows"))
    if not isinstance(kind, str) or kind not in NAMES or not is_count(dim) or not is_count(unknown_rows):
        raise FileFormatError(
            f"{folder / CONFIG}: 'quantization', 'embedding_dim' or 'unknown_rows' is missing or wrong; restore it"
        )
    rows = _read(model, kind, dim, unknown_rows, limit)
    settings = {"quantization": kind, "normalize": config.get("normalize") is True}
    return table_of_tensor(rows, folder, str(model), limit=limit, settings=settings)


def save(table: Table, path: StrPath) -> None:
    """Raise `UsageError`: only quantized rows can be saved."""
    check_target(path)


def recognizes(path: Path) -> bool:
    """Whether the folder `path` holds quantized rows of one of the two kinds."""
    return any(holds_tensor(path / MODEL, names[0]) for names in NAMES.values())


def check_target(path: StrPath) -> None:
    """Raise `UsageError`: see `save_quantized`."""
    raise UsageError(f"cannot save to {path} without a quantization; use rowspace convert --quantize binary, or pq")


def save_quantized(table: Table, rows: QuantizedRows, path: StrPath) -> None:
    """Write quantized rows to the folder `path` atomically: int8 as model2vec's, others as above.

    Counts, n-grams and most settings are not saved.

    Args:
        table: Gives the tokens and the tokenizer.
        rows: Those of `table`, from `rowspace.space.quantize`.
        path: Where to write.

    Raises:
        UsageError: The sizes differ, the table's tokenizer does not fit, or something else is at `path`.
        RowspaceError: The system refuses (disk full, no permission).
    """
    tokenizer, unknown_rows = tokenizer_json(table)
    tensors = _tensors(rows, unknown_rows)
    if len(next(iter(tensors.values()))) != len(table) + unknown_rows:
        raise UsageError(f"rows must be those of the table, which has {len(table):,}")
    is_int8 = isinstance(rows, Int8Rows)
    contents = model2vec.CONTENTS if is_int8 else CONTENTS
    config: dict[str, Any] = {"normalize": normalizes(table)}
    if is_int8:
        config = CONFIG_CONTENT | config | {"embedding_dtype": "int8"}
    else:
        kind = "binary" if isinstance(rows, BinaryRows) else "pq"
        config |= {
            "model_type": "rowspace",
            "quantization": kind,
            "embedding_dim": table.dim,
            "unknown_rows": unknown_rows,
        }
    with atomic_folder(path, marker=CONFIG, contents=contents) as folder:
        with (folder / MODEL).open("xb") as file:
            file.writelines(_pieces(tensors))
        (folder / TOKENIZER).write_bytes(tokenizer)
        (folder / CONFIG).write_text(json.dumps(config, indent=1))
        if is_int8:
            (folder / MODULES).write_text(json.dumps(modules_of(table), indent=1))


def check_quantized_target(path: StrPath, kind: str, *, format: str | None = None) -> None:
    """Raise what `save_quantized` to `path` would raise about the path itself, or about another format.

    Args:
        path: Where to write.
        kind: "int8", "binary" or "pq".
        format: The format that was asked for, if one was.
    """
    own = "model2vec" if kind == "int8" else "quantized"
    if format not in (None, own):
        raise UsageError(f"the format {format!r} cannot hold {kind} rows; leave it out, or give {own!r}")
    check_folder_target(path, marker=CONFIG, contents=model2vec.CONTENTS if kind == "int8" else CONTENTS)


def _tensors(rows: QuantizedRows, unknown_rows: int) -> dict[str, NDArray[Any]]:
    """Return the arrays by the names of their tensors, with zeros for ids without a row."""
    if isinstance(rows, Int8Rows):
        return {"embeddings": _padded(rows.codes, unknown_rows), "weights": _padded(rows.scales, unknown_rows)}
    if isinstance(rows, BinaryRows):
        return {"binary.bits": _padded(rows.bits, unknown_rows), "binary.scales": _padded(rows.scales, unknown_rows)}
    return {"pq.codes": _padded(rows.codes, unknown_rows), "pq.centroids": rows.centroids}


def _padded(array: NDArray[Any], unknown_rows: int) -> NDArray[Any]:
    return np.concatenate([array, np.zeros((unknown_rows, *array.shape[1:]), array.dtype)])


def _pieces(tensors: dict[str, NDArray[Any]]) -> Iterator[bytes | memoryview]:
    codes = {"uint8": "U8", "int8": "I8", "float32": "F32"}
    yield header_bytes({name: (codes[array.dtype.name], array.shape) for name, array in tensors.items()})
    for array in tensors.values():
        yield np.ascontiguousarray(array, CODES[codes[array.dtype.name]]).tobytes()


def _read(model: Path, kind: str, dim: int, unknown_rows: int, limit: int | None) -> NDArray[np.float32]:
    """Decode the rows, or the first `limit`, once the sizes of the tensors are known to fit each other."""
    with open_regular(model) as file:
        tensors = read_header(file, str(model))
        first, second = (tensors.get(name) for name in NAMES[kind])
        if first is None or second is None or not _fits(kind, first, second, dim) or unknown_rows > first.shape[0]:
            shapes = {name: (found.dtype, found.shape) for name, found in tensors.items()}
            raise FileFormatError(
                f"{model}: does not hold {kind} rows of length {dim:,}, but {shapes}; restore the file"
            )
        codes, others = (map_array(file, CODES[found.dtype], found.offset, found.shape) for found in (first, second))
    is_binary = kind == "binary"
    found = BinaryRows(codes[:limit], others[:limit], dim) if is_binary else ProductRows(codes[:limit], others)
    rows = found.decode()
    rows[len(codes) - unknown_rows :] = 0
    return rows


def _fits(kind: str, codes: Tensor, others: Tensor, dim: int) -> bool:
    """Whether the dtypes and shapes are those of rows of length `dim`."""
    if (codes.dtype, others.dtype, len(codes.shape)) != ("U8", "F32", 2) or dim < 1:
        return False
    if kind == "binary":
        return codes.shape[1] == -(-dim // 8) and others.shape == codes.shape[:1]
    parts = codes.shape[1]
    is_narrow = 1 <= parts <= dim <= parts * MAX_PART_WIDTH
    return is_narrow and others.shape == (256, dim) and -(-dim // -(-dim // parts)) == parts
