"""model2vec's folder: `embeddings`, for quantized models `mapping` and `weights`, and a tokenizer.json.

A token's row is `embeddings[mapping[id]] * weights[id]`, as in model2vec. Without those two the rows stay mapped. int8
becomes float32 (model2vec computes with the integers), and so do weighted float16 rows, since model2vec rounds only the
vector of a text. What it does with texts is kept in the settings `normalize`, `max_length` and, for these rows,
`embedding_dtype`.
Source: model2vec 0.10, `persistence` and `StaticModel`.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.atomic import StrPath, atomic_folder, check_folder_target
from rowspace.errors import FileFormatError
from rowspace.files.open_folder import resolve_inside
from rowspace.files.strict_json import is_count, read_object
from rowspace.files.tensors import Tensors, holds_tensor, map_tensor, read_tensors, tensor_pieces
from rowspace.files.transformers_folder import CONFIG, MODEL, TOKENIZER
from rowspace.store.tokenizer import CONFIG_CONTENT, MODULES, modules_of, normalizes, table_of_tensor, tokenizer_json
from rowspace.store.words import check_rows
from rowspace.table import Table

__all__ = ["check_target", "load", "recognizes", "save"]

MAX_LENGTH = 512  # model2vec's, for a config.json without one
CONTENTS = (MODEL, TOKENIZER, CONFIG, MODULES)


def load(path: StrPath, *, limit: int | None = None) -> Table:
    """Open the model in the folder `path`; raises `FileFormatError` as `rowspace.load` does.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat", "dog"], np.eye(2)), f"{folder}/pets")
    ...     list(load(f"{folder}/pets").vocabulary)
    ['cat', 'dog', '[UNK]']
    """
    folder = Path(path)
    model = resolve_inside(folder, MODEL)
    names = read_tensors(model)
    rows = map_tensor(model, "embeddings", limit=None if "mapping" in names else limit, known=names)
    if "mapping" in names:
        rows = rows[_mapping(model, len(rows), limit, names)]
    if "weights" in names:
        rows = _weighted(rows, map_tensor(model, "weights", limit=limit, known=names), str(model))
    settings = _settings(folder)
    if "weights" in names and names["embeddings"].dtype == "F16":
        settings["embedding_dtype"] = "float16"
    return table_of_tensor(rows, folder, str(model), limit=limit, settings=settings)


def save(table: Table, path: StrPath) -> None:
    """Write `table` to the folder `path`, as model2vec saves a model.

    Texts are normalized there if the table's setting `normalize` is True; counts and other settings are not saved. Ids
    of the tokenizer without a row in the table, such as the unknown token's, get rows of zeros. Raises
    `UsageError` and `RowspaceError` as `rowspace.store.save` does.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat"], np.eye(1)), f"{folder}/pets")
    ...     sorted(file.name for file in Path(folder, "pets").iterdir())
    ['config.json', 'model.safetensors', 'modules.json', 'tokenizer.json']
    """
    check_rows(table)
    tokenizer, unknown_rows = tokenizer_json(table)
    with atomic_folder(path, marker=CONFIG, contents=CONTENTS) as folder:
        with (folder / MODEL).open("xb") as file:
            file.writelines(tensor_pieces("embeddings", table.rows, unknown_rows))
        (folder / TOKENIZER).write_bytes(tokenizer)
        config = CONFIG_CONTENT | {"normalize": normalizes(table), "max_length": table.settings.get("max_length")}
        (folder / CONFIG).write_text(json.dumps(config, indent=1))
        (folder / MODULES).write_text(json.dumps(modules_of(table), indent=1))


def recognizes(path: Path) -> bool:
    """Whether the folder `path` holds a safetensors file with `embeddings`."""
    return holds_tensor(path / MODEL, "embeddings")


def check_target(path: StrPath) -> None:
    """Raise what `save` to `path` would raise about the path itself: call it before long work."""
    check_folder_target(path, marker=CONFIG, contents=CONTENTS)


def _mapping(model: Path, size: int, limit: int | None, names: Tensors) -> NDArray[Any]:
    """Return the row of each id, once it is known to be in range."""
    mapping = map_tensor(model, "mapping", limit=limit, known=names)
    if mapping.ndim != 1 or mapping.dtype.kind != "i":
        raise FileFormatError(f"{model}: 'mapping' is {mapping.dtype} of shape {mapping.shape}, not (V,) whole numbers")
    outside = np.flatnonzero((mapping < 0) | (mapping >= size))
    if outside.size:
        place = outside[0]
        raise FileFormatError(
            f"{model}: 'mapping' gives id {place} the row {mapping[place]}, but there are {size:,} rows"
        )
    return mapping


def _weighted(rows: NDArray[Any], weights: NDArray[Any], source: str) -> NDArray[Any]:
    if weights.shape != rows.shape[:1] or weights.dtype.kind != "f":
        raise FileFormatError(
            f"{source}: 'weights' is {weights.dtype} of shape {weights.shape}, not one for each token"
        )
    weighted: NDArray[Any] = rows * weights[:, np.newaxis]
    return weighted.astype(np.promote_types(rows.dtype, np.float32))


def _settings(folder: Path) -> dict[str, object]:
    """Return whether model2vec normalizes texts, and the number of tokens that it cuts them at, as config.json says."""
    config = read_object(resolve_inside(folder, CONFIG)) if (folder / CONFIG).is_file() else {}
    length = config.get("max_length", MAX_LENGTH)
    return {"normalize": bool(config.get("normalize")), "max_length": length if is_count(length) else None}
