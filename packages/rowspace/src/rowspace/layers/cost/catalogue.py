"""The cost of a model, from its config: `cost`; and published models with the sizes of their tables: `CATALOGUE`.

The file `catalogue.toml` has the sizes of each published config.json, the paper of the model, and its number of
parameters. Everything else is computed from the sizes; tests build each model with transformers on the meta device and
compare.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rowspace.errors import UsageError
from rowspace.files.strict_json import read_object
from rowspace.layers.cost.counts import Cost
from rowspace.layers.cost.families import config_cost

__all__ = ["CATALOGUE", "PublishedModel"]

TABLE = Path(__file__).with_name("catalogue.toml")


@dataclass(frozen=True)
class PublishedModel:
    """A published model.

    Attributes:
        repository: On the Hugging Face Hub.
        config: The sizes of its config.json.
        parameters: Parameters of the model, with a tied matrix counted once.
        paper: Authors, year and arXiv number.

    >>> CATALOGUE["gemma-2-2b"].num_embeddings, CATALOGUE["gemma-2-2b"].tied
    (256000, True)
    >>> CATALOGUE["gpt2"].source
    'https://huggingface.co/openai-community/gpt2/raw/main/config.json'
    """

    repository: str
    config: Mapping[str, Any]
    parameters: int
    paper: str

    @property
    def source(self) -> str:
        """The URL of the config.json."""
        return f"https://huggingface.co/{self.repository}/raw/main/config.json"

    @property
    def cost(self) -> Cost:
        """The cost of its input and head."""
        return config_cost(self.config)

    @property
    def num_embeddings(self) -> int:
        """Number of rows of its token table; 0 for an image model."""
        return self.cost.num_embeddings

    @property
    def hidden_dim(self) -> int:
        """Dimension of its hidden states."""
        return self.cost.hidden_dim

    @property
    def num_layers(self) -> int | None:
        """Number of its blocks, of encoder and decoder together."""
        return self.cost.num_layers

    @property
    def tied(self) -> bool:
        """Whether head and token table are one tensor."""
        return self.cost.tied

    @property
    def position_scheme(self) -> str:
        """Its position scheme: learned, rotary, alibi or relative."""
        return self.cost.position_scheme


def _catalogue() -> dict[str, PublishedModel]:
    """The models by the name of their repository, and of the tower if there are two."""
    models = {}
    for family in tomllib.loads(TABLE.read_text(encoding="utf-8"))["family"]:
        for address, sizes in family["models"].items():
            config = dict(zip(family["columns"], sizes, strict=True))
            parameters = config.pop("parameters")
            config = {"model_type": family["model_type"], **config, **family.get("config", {})}
            owner, name = address.split("/", 1)
            repository = f"{owner}/{name.split('/')[0]}"
            models[name] = PublishedModel(repository, config, parameters, family["paper"])
    return models


CATALOGUE: dict[str, PublishedModel] = _catalogue()
"""The sizes of published models, by the name of their repository, and of the tower if there are two."""


def cost(config: Mapping[str, Any] | str | os.PathLike[str], *, part: Literal["text", "vision"] | None = None) -> Cost:
    """Compute parameters, bytes and operations of a model's input and head, and their share of the model.

    Args:
        config: A config.json of transformers as a dict; or its path or that of its folder; or a name in `CATALOGUE`.
            Missing sizes have the default of the model type. A dict without `model_type` needs only `vocab_size` and
            `hidden_size`: its table and head are counted, tied unless `tie_word_embeddings` is false.
        part: "text" or "vision" for a model with both, as in `from_config`.

    Returns:
        The cost.

    Raises:
        UsageError: For an unknown model type or name, a missing size, or a missing file.
        FileFormatError: For a file that is not a JSON object.

    >>> bert = cost("bert-base-uncased")
    >>> bert.tables, f"{bert.tokens / bert.tables:.1%}", f"{bert.share:.1%}"
    (23835648, '98.3%', '22.2%')
    >>> bert.parameters
    {'tokens': 23440896, 'positions': 393216, 'segments': 1536, 'norm': 1536, 'head': 622650}
    >>> cost({"vocab_size": 10_000, "hidden_size": 512}).bytes["float32"]
    20480000
    """
    return config_cost(_select_part(_load(config), part))


def _load(config: Mapping[str, Any] | str | os.PathLike[str]) -> Mapping[str, Any]:
    """The config as a dict, from any of its forms."""
    if isinstance(config, Mapping):
        return config
    if isinstance(config, str) and config in CATALOGUE:
        return CATALOGUE[config].config
    path = Path(config)
    path = path / "config.json" if path.is_dir() else path
    if not path.is_file():
        raise UsageError(
            f"config {os.fspath(config)!r} is not a config.json, a folder with one, or a name in the catalogue; list "
            "the names with sorted(rowspace.layers.CATALOGUE)"
        )
    return read_object(path, remedy="pass the config.json of a model")


def _select_part(config: Mapping[str, Any], part: str | None) -> Mapping[str, Any]:
    """The config of one part, if the model has several."""
    parts = {name for name in ("text", "vision") if isinstance(config.get(f"{name}_config"), Mapping)}
    if not parts:
        return config
    if part not in parts:
        raise UsageError(f"part must be one of {', '.join(sorted(parts))} for this config, not {part!r}")
    kind = config.get("model_type", "")
    usual = "gemma3_text" if (kind, part) == ("gemma3", "text") else f"{kind}_{part}_model"
    return {"model_type": usual, **config[f"{part}_config"]}
