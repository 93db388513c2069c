"""The model that is distilled: its folder, its tokenizer, and the vector that it gives to a sequence of ids.

Only safetensors weights are opened, and no code of the folder runs.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from rowspace.contextual.encoder import load_encoder
from rowspace.contextual.pipeline import read_pipeline
from rowspace.contextual.pooled_model import PooledModel
from rowspace.errors import FileFormatError
from rowspace.files.hub import local_path
from rowspace.files.open_folder import open_regular, resolve_inside
from rowspace.files.transformers_folder import TOKENIZER

__all__ = ["Teacher", "open_teacher"]


@dataclass(frozen=True, eq=False)
class Teacher(PooledModel):
    """A model in memory.

    Attributes:
        tokenizer: The text of its tokenizer.json.
        normalizes: Whether its texts' vectors are normalized.
        name: The name of its folder.
    """

    tokenizer: str
    normalizes: bool
    name: str


def open_teacher(path: str | os.PathLike[str], *, pooling: str | None = None) -> Teacher:
    """Open a model folder of sentence-transformers or transformers.

    Args:
        path: The folder, with config.json, safetensors weights and tokenizer.json.
        pooling: Use this pooling, and ignore what the folder says about pooling and later modules.

    Raises:
        UsageError: There is no such folder, or it has no model.
        FileFormatError: A file is damaged, or the model has modules that cannot be distilled.
        MissingExtraError: transformers is not installed.
    """
    folder = Path(local_path(path))
    pipeline = read_pipeline(folder, pooling)
    source = resolve_inside(pipeline.transformer, TOKENIZER)
    if not source.exists():
        raise FileFormatError(
            f"{source}: missing; write it with transformers: "
            "AutoTokenizer.from_pretrained(MODEL).save_pretrained(FOLDER)"
        )
    with open_regular(source) as file:
        data = file.read()
    try:
        tokenizer = data.decode()
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{source}: byte {error.start}: not valid UTF-8; restore the file") from None
    model = load_encoder(pipeline.transformer).encoder
    return Teacher(model, pipeline.pooling, tokenizer, pipeline.normalizes, folder.resolve().name)
