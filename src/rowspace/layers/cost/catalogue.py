"""Published models and the sizes of their tables: `CATALOGUE`, by name.

The file `catalogue.toml` has the sizes of each published config.json, the paper that describes the model, and the
number of parameters of the whole model. Everything else is computed from the sizes; tests build each model with
transformers on the meta device and compare.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rowspace.layers.cost.counts import Cost
from rowspace.layers.cost.families import counted

__all__ = ["CATALOGUE", "PublishedModel"]

TABLE = Path(__file__).with_name("catalogue.toml")


@dataclass(frozen=True)
class PublishedModel:
    """One model: `config` as published, `parameters` of the whole with a tied matrix once, `paper`, `repository`.

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
        """The address of the config that the sizes are from."""
        return f"https://huggingface.co/{self.repository}/raw/main/config.json"

    @property
    def cost(self) -> Cost:
        """The count of its input and head."""
        return counted(self.config)

    @property
    def num_embeddings(self) -> int:
        """The rows of its token table; none for a model of images."""
        return self.cost.num_embeddings

    @property
    def hidden_dim(self) -> int:
        """The width of its hidden states."""
        return self.cost.hidden_dim

    @property
    def num_layers(self) -> int | None:
        """Its blocks, of encoder and decoder together."""
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
    """By the name of the repository, and of the tower where there are two."""
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
