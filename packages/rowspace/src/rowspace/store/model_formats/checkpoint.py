"""A transformers checkpoint folder, sharded or not: its token table, without the rest of the model.

The table is the tensor that is named like one; of several it is the main one, if `token_tables` is certain of it.
float16 and float32 stay mapped; bfloat16 and 8-bit codes with scales become float32. No code of the checkpoint runs,
and no pickle is opened: weights must be safetensors.
"""

import re
from pathlib import Path

from rowspace._base.atomic import StrPath
from rowspace._base.plural import join_names, plural
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.scaled_rows import REMEDY
from rowspace.files.token_tables import NAMES, STEMS, token_tables
from rowspace.files.transformers_folder import TransformersFolder
from rowspace.store.model_formats.safetensors_file import ask_for_key
from rowspace.store.tokenizer import table_of_tensor
from rowspace.table import Table

__all__ = ["check_target", "load", "recognizes", "save"]


# What quantization makes of the weight of a token table: `embed_tokens.qweight`, `wte.weight._data`, ...
PACKED = re.compile(rf"(^|\.)({'|'.join(STEMS)})\..*(qweight|packed|qdata|_data|W_q|codes|scale|quant|absmax)")


def load(path: StrPath, *, limit: int | None = None, key: str | None = None) -> Table:
    """Open the token table of the checkpoint in the folder `path`; `key` names another tensor.

    Rows beyond the tokenizer's ids are padding, and left out with a warning. The setting `contextual` says that the
    model decides the vector of a token by its context, so that its row alone is not the token's vector. Raises
    `UsageError` if several tensors may be the table, and `FileFormatError` if none is named like one, the meaning of
    its codes is not certain, or tokenizer and table do not belong together.
    """
    folder = TransformersFolder(Path(path))
    name = _table_name(folder, key, str(path))
    rows = folder.map_rows(name, limit=limit)
    settings = {"contextual": True} if folder.is_contextual else None
    return table_of_tensor(rows, folder.path, f"{folder.file_of(name)}: {name}", limit=limit, settings=settings)


def save(table: Table, path: StrPath) -> None:
    """Raise `UsageError`: a table is not a model."""
    check_target(path)


def recognizes(path: Path) -> bool:
    """Whether the folder `path` holds safetensors weights; called after the other formats that hold them."""
    return TransformersFolder(path).has_weights


def check_target(path: StrPath) -> None:
    """Raise `UsageError`: checkpoints are read only."""
    raise UsageError(f"cannot save to {path} as a checkpoint, which holds a whole model; name another format")


def _table_name(folder: TransformersFolder, key: str | None, source: str) -> str:
    files = folder.files
    if key is not None:
        if key not in files:
            raise UsageError(f"{source}: holds no tensor {key!r}, but {join_names(files)}; check the key")
        return key
    found = token_tables(files)
    main = folder.main_table(found)
    if main is not None:
        return main
    if found:
        raise UsageError(f"{source}: holds the token tables {join_names(found)}; {ask_for_key(source, found[0])}")
    packed = [name for name in files if PACKED.search(name)]
    if packed:
        raise FileFormatError(
            f"{source}: its token table is quantized, as {join_names(packed)}, which are not read as rows; {REMEDY}"
        )
    likely = folder.with_a_row_per_token()
    shown = f"those with a row for each token of config.json are {join_names(likely)}" if likely else join_names(files)
    raise FileFormatError(
        f"{source}: none of its {plural(len(files), 'tensor')} ({shown}) is named like a token table "
        f"({', '.join(NAMES)}); give its name as the key"
    )
