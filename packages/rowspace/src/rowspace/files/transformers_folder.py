"""A folder written by transformers: config.json, and the safetensors file of each tensor, sharded or not.

Of a single file and an index of shards, the single file is used, as in transformers: the index is one that a download
or a save left behind. No code of the folder runs, and no pickle is opened.
"""

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import FileFormatError
from rowspace.files.foreign import describe_folder
from rowspace.files.open_folder import resolve_inside
from rowspace.files.scaled_rows import by_level, changes_of, is_code, map_rows
from rowspace.files.strict_json import read_object
from rowspace.files.tensors import Tensors, read_tensors
from rowspace.files.token_tables import main_of

__all__ = [
    "CONFIG",
    "INDEX",
    "MODEL",
    "SENTENCE_CONFIG",
    "TOKENIZER",
    "SentenceTransformersConfig",
    "TransformersFolder",
]

CONFIG, MODEL, TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"
INDEX = f"{MODEL}.index.json"
SENTENCE_CONFIG = "config_sentence_transformers.json"
ADAPTER = "adapter_model.safetensors"  # of PEFT, which transformers adds to the model beside it


class TransformersFolder:
    """The folder `path`; its files are read on first use.

    Every property and method raises `FileFormatError` if a file is missing, damaged, or a link out of the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._codes = dict[str, set[str]]()

    @property
    def has_weights(self) -> bool:
        """Whether there are weights as safetensors."""
        return self.is_sharded or (self.path / MODEL).is_file()

    @property
    def is_sharded(self) -> bool:
        """Whether an index lists the file of each tensor, and no single file holds all of them."""
        return (self.path / INDEX).is_file() and not (self.path / MODEL).is_file()

    @property
    def is_contextual(self) -> bool:
        """Whether the model decides the vector of a token by its context: its tensors are named like attention."""
        return any("attn" in name or "attention" in name for name in self.files)

    @cached_property
    def config(self) -> dict[str, Any]:
        """The content of config.json."""
        return read_object(resolve_inside(self.path, CONFIG))

    @cached_property
    def tensors(self) -> Tensors | None:
        """The tensors of a model in one file; None if it is sharded."""
        if self.is_sharded:
            return None
        path = resolve_inside(self.path, MODEL)
        if not path.exists() and not path.is_symlink():
            other = describe_folder(self.path, MODEL) if self.path.is_dir() else None
            raise FileFormatError(
                f"{self.path}: "
                + (other or f"holds neither {MODEL} nor {INDEX}; save the model with save_pretrained again")
            )
        return read_tensors(path)

    @cached_property
    def files(self) -> dict[str, str]:
        """The name of the file that each tensor is in."""
        if self.tensors is not None:
            return dict.fromkeys(self.tensors, MODEL)
        source = resolve_inside(self.path, INDEX)
        found = read_object(source).get("weight_map")
        if not isinstance(found, dict) or not all(isinstance(name, str) for name in found.values()):
            raise FileFormatError(f"{source}: 'weight_map' does not give each tensor a file name; restore the file")
        return found

    def file_of(self, tensor: str) -> Path:
        """Return the path of the file that `tensor`, one of `files`, is in."""
        return resolve_inside(self.path, self.files[tensor])

    def holds_codes(self, tensor: str) -> bool:
        """Whether `tensor`, one of `files`, holds the codes of a quantized model, or numbers that others change."""
        return tensor in self._codes_of(self.files[tensor]) or bool(changes_of(tensor, self._names))

    @cached_property
    def _names(self) -> list[str]:
        """The names of the tensors, and of those of an adapter beside them."""
        added = read_tensors(resolve_inside(self.path, ADAPTER)) if (self.path / ADAPTER).exists() else ()
        return [*self.files, *(f"{name.removeprefix('base_model.model.')}.adapter" for name in added)]

    def map_rows(self, tensor: str, *, limit: int | None = None) -> NDArray[Any]:
        """Return the rows of `tensor`, one of `files`, with the scales of a quantized model: see `scaled_rows`."""
        config = self.config if (self.path / CONFIG).exists() else {}
        return map_rows(tensor, self.file_of, self._names, config=config, limit=limit, known=self.tensors)

    def main_table(self, names: Iterable[str]) -> str | None:
        """Return the one of several token tables that texts enter by, or None if that is not certain.

        A model whose tables are not tied may have a shared table that nothing reads beside those of its sides.
        """
        names = list(names)
        main = main_of(names)
        if main is None or not main.endswith("shared.weight"):
            return main
        rows = self.map_rows(main)
        others = [name for name in names if main_of([name]) and name != main]
        is_same = all(np.array_equal(rows, self.map_rows(name)) for name in others)
        return main if is_same else None

    def with_a_row_per_token(self) -> list[str]:
        """Return the names of the matrices with as many rows as config.json, or its text part, has tokens."""
        config = self.config if (self.path / CONFIG).exists() else {}
        parts = [config, *(part for part in config.values() if isinstance(part, dict))]
        counts = {part.get("vocab_size") for part in parts} - {None}
        files = sorted(set(self.files.values()))
        shapes = {
            name: tensor.shape
            for file in files
            for name, tensor in read_tensors(resolve_inside(self.path, file)).items()
        }
        return sorted(name for name, shape in shapes.items() if len(shape) == 2 and shape[0] in counts)

    def _codes_of(self, file: str) -> set[str]:
        """Return the names of the tensors of a file that hold codes; each header is read once."""
        if file not in self._codes:
            tensors = read_tensors(resolve_inside(self.path, file)) if self.tensors is None else self.tensors
            levels = by_level(self.files)
            self._codes[file] = {name for name, tensor in tensors.items() if is_code(name, tensor, levels)}
        return self._codes[file]


class SentenceTransformersConfig(NamedTuple):
    """What config_sentence_transformers.json, which sentence-transformers writes, says about texts and vectors.

    Attributes:
        prompts: What is written before texts, by the name of the purpose, such as "query"; without empty ones.
        default_prompt: What is written before a text without a purpose.
        truncate_dim: The number of columns that vectors have, if they are cut.
    """

    prompts: tuple[tuple[str, str], ...] = ()
    default_prompt: str = ""
    truncate_dim: int | None = None

    @classmethod
    def read(cls, folder: Path) -> "SentenceTransformersConfig":
        """Read the file in a folder, which may have none.

        Raises:
            FileFormatError: It is damaged.
        """
        source = resolve_inside(folder, SENTENCE_CONFIG)
        content = read_object(source) if source.exists() else {}
        prompts, width = content.get("prompts") or {}, content.get("truncate_dim")
        if not isinstance(prompts, dict) or not all(isinstance(each, str | None) for each in prompts.values()):
            raise FileFormatError(f"{source}: prompts are not texts; restore the file")
        texts = {name: prompt for name, prompt in prompts.items() if prompt}
        default = texts.get(str(content.get("default_prompt_name")), "")
        return cls(tuple(texts.items()), default, width if type(width) is int and width > 0 else None)
