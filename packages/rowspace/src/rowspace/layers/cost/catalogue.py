"""Published models and the sizes of their tables: `CATALOGUE`, by name.

The file `catalogue.toml` has the sizes of each published config.json, the paper of the model, and its number of
parameters. Everything else is computed from the sizes; tests build each model with transformers on the meta device and
compare.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
