"""sentence-transformers' static folder: `embedding.weight` and tokenizer.json, at its root or in 0_StaticEmbedding.

Rows are mapped. Whether modules.json has a Normalize step is kept as the setting `normalize`, and what
config_sentence_transformers.json says as `default_prompt` and `truncate_dim`. Source: sentence-transformers 6,
`StaticEmbedding`.
"""

import json
from pathlib import Path

from rowspace._base.atomic import StrPath, atomic_folder, check_folder_target
from rowspace.errors import FileFormatError
from rowspace.files.open_folder import open_regular, resolve_inside
from rowspace.files.scaled_rows import map_rows
from rowspace.files.tensors import holds_tensor, read_tensors, tensor_pieces
from rowspace.files.transformers_folder import MODEL, SENTENCE_CONFIG, TOKENIZER, SentenceTransformersConfig
from rowspace.store.tokenizer import MODULES, modules_of, table_of_tensor, tokenizer_json
from rowspace.store.words import check_rows
from rowspace.table import Table

__all__ = ["check_target", "load", "recognizes", "save"]

KEY = "embedding.weight"
CONTENTS = (MODEL, TOKENIZER, MODULES, SENTENCE_CONFIG)
FOLDERS = (".", "0_StaticEmbedding")


def load(path: StrPath, *, limit: int | None = None) -> Table:
    """Open the static model in the folder `path`; raises `FileFormatError` as `rowspace.load` does.

    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat", "dog"], np.eye(2)), f"{folder}/pets")
    ...     load(f"{folder}/pets")["dog"].tolist()
    [0.0, 1.0]
    """
    found = _place(Path(path))
    if found is None:
        raise FileFormatError(f"{path}: holds no {MODEL} with {KEY!r}; check the path")
    if found != Path(path):
        resolve_inside(Path(path), found.name)
    model = resolve_inside(found, MODEL)
    tensors = read_tensors(model)
    rows = map_rows(KEY, lambda _: model, tensors, limit=limit, known=tensors)
    return table_of_tensor(rows, found, str(model), limit=limit, settings=_settings(Path(path)))


def save(table: Table, path: StrPath) -> None:
    """Write `table` to the folder `path`, as one StaticEmbedding module.

    A Normalize module follows if the table's setting `normalize` is True; a default prompt and a cut to `truncate_dim`
    columns are saved too, counts and other settings are not. Ids of the tokenizer without a row in the table, such as
    the unknown token's, get rows of zeros. Raises `UsageError` and `RowspaceError` as `rowspace.store.save` does.
    """
    check_rows(table)
    tokenizer, unknown_rows = tokenizer_json(table)
    with atomic_folder(path, marker=MODULES, contents=CONTENTS) as folder:
        with (folder / MODEL).open("xb") as file:
            file.writelines(tensor_pieces(KEY, table.rows, unknown_rows))
        (folder / TOKENIZER).write_bytes(tokenizer)
        (folder / MODULES).write_text(json.dumps(modules_of(table), indent=1))
        if config := _config(table):
            (folder / SENTENCE_CONFIG).write_text(json.dumps(config, indent=1))


def recognizes(path: Path) -> bool:
    """Whether the folder `path` holds such a tensor."""
    return _place(path) is not None


def check_target(path: StrPath) -> None:
    """Raise what `save` to `path` would raise about the path itself: call it before long work."""
    check_folder_target(path, marker=MODULES, contents=CONTENTS)


def _place(path: Path) -> Path | None:
    """Return the folder that the tensor is in."""
    return next((path / name for name in FOLDERS if holds_tensor(path / name / MODEL, KEY)), None)


def _settings(path: Path) -> dict[str, object]:
    """Return what the model does with texts and vectors, other than the mean of rows."""
    config, normalizes = SentenceTransformersConfig.read(path), False
    if (path / MODULES).is_file():
        with open_regular(resolve_inside(path, MODULES)) as file:
            normalizes = b".Normalize" in file.read(1 << 20)
    changes = {"default_prompt": config.default_prompt, "truncate_dim": config.truncate_dim}
    return {"normalize": normalizes, **{name: value for name, value in changes.items() if value}}


def _config(table: Table) -> dict[str, object]:
    """Return what `_settings` will read from the file of prompts; nothing if that is the default."""
    prompt, width = table.settings.get("default_prompt"), table.settings.get("truncate_dim")
    prompts = {"prompts": {"default": prompt}, "default_prompt_name": "default"} if prompt else {}
    return {**prompts, **({"truncate_dim": width} if width else {})}
