"""A transformers checkpoint directory, sharded or not: its token table, without the rest of the model.

The table is the tensor whose name ends in one of `NAMES`. float16 and float32 stay mapped, bfloat16 becomes float32. No
code of the checkpoint runs, and no pickle is opened: weights must be safetensors.
"""

from pathlib import Path

from rowspace._base.atomic import StrPath
from rowspace._base.plural import join_names, plural
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.tensors import map_tensor
from rowspace.files.transformers_folder import TransformersFolder
from rowspace.store.tokenizer import table_of_tensor
from rowspace.table import Table

__all__ = ["check_target", "load", "recognizes", "save"]

# The ends of the names of token tables, the more certain ones first.
NAMES = (
    "shared.weight",  # T5, BART
    "wte.weight",  # GPT-2, MPT
    "embed_tokens.weight",  # Llama, Mistral, Qwen, Gemma, OPT, Phi
    "word_embeddings.weight",  # BERT, RoBERTa, ALBERT, BLOOM, Falcon
    "tok_embeddings.weight",  # ModernBERT, Meta's Llama
    "embed_in.weight",  # GPT-NeoX
    "token_embedding.weight",  # CLIP's text side
)


def load(path: StrPath, *, limit: int | None = None, key: str | None = None) -> Table:
    """Open the token table of the checkpoint in the directory `path`; `key` names another tensor.

    Rows beyond the tokenizer's ids are padding, and left out with a warning. Raises `FileFormatError` if no tensor
    is named like a token table, or tokenizer and table do not belong together.
    """
    folder = TransformersFolder(Path(path))
    name = _table_name(folder.files, key, str(path))
    model = folder.file_of(name)
    rows = map_tensor(model, name, limit=limit, known=folder.tensors)
    return table_of_tensor(rows, folder.path, f"{model}: {name}", limit=limit)


def save(table: Table, path: StrPath) -> None:
    """Raise `UsageError`: a table is not a model."""
    check_target(path)


def recognizes(path: Path) -> bool:
    """Whether the directory `path` holds safetensors weights; called after the other formats that hold them."""
    return TransformersFolder(path).has_weights


def check_target(path: StrPath) -> None:
    """Raise `UsageError`: checkpoints are read only."""
    raise UsageError(f"cannot save to {path} as a checkpoint, which holds a whole model; name another format")


def _table_name(files: dict[str, str], key: str | None, source: str) -> str:
    if key is not None:
        if key not in files:
            raise UsageError(f"{source}: holds no tensor {key!r}, but {join_names(files)}; check the key")
        return key
    found = [name for name in files if name.endswith(NAMES)]
    for ending in NAMES:
        for name in sorted(found, key=len):
            if name == ending or name.endswith("." + ending):
                return name
    raise FileFormatError(
        f"{source}: none of its {plural(len(files), 'tensor')} ({join_names(files)}) is named like a token table "
        f"({', '.join(NAMES)}); give its name as the key"
    )
