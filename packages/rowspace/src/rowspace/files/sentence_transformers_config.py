"""config_sentence_transformers.json, which sentence-transformers writes beside a model's modules."""

from pathlib import Path
from typing import NamedTuple

from rowspace.errors import FileFormatError
from rowspace.files.open_folder import resolve_inside
from rowspace.files.strict_json import read_object

__all__ = ["CONFIG", "SentenceTransformersConfig"]

CONFIG = "config_sentence_transformers.json"


class SentenceTransformersConfig(NamedTuple):
    """What the file says about texts and vectors.

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
        source = resolve_inside(folder, CONFIG)
        content = read_object(source) if source.exists() else {}
        prompts, width = content.get("prompts") or {}, content.get("truncate_dim")
        if not isinstance(prompts, dict) or not all(isinstance(each, str | None) for each in prompts.values()):
            raise FileFormatError(f"{source}: prompts are not texts; restore the file")
        texts = {name: prompt for name, prompt in prompts.items() if prompt}
        default = texts.get(str(content.get("default_prompt_name")), "")
        return cls(tuple(texts.items()), default, width if type(width) is int and width > 0 else None)
