"""What the input and the head of a model cost, computed from its config: `cost`. Nothing is built or loaded."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from rowspace.errors import UsageError
from rowspace.files.strict_json import read_object
from rowspace.layers.cost.catalogue import CATALOGUE
from rowspace.layers.cost.counts import Cost
from rowspace.layers.cost.families import counted


def cost(config: Mapping[str, Any] | str | os.PathLike[str], *, part: Literal["text", "vision"] | None = None) -> Cost:
    """Parameters, bytes and operations of a model's input and head, and their share of the whole.

    `config`: what is in a config.json of transformers; or its path, or that of its folder; or a name of the catalogue.
    Sizes that it leaves out are the defaults of its model type. A dict without `model_type` needs `vocab_size` and
    `hidden_size` only: its table and head are counted, tied unless `tie_word_embeddings` is false.
    `part`: which half of a model of text and images, as in `from_config`.

    Raises `UsageError` for a model type or name that is not known, a size that is missing, a file that is not there,
    and `FileFormatError` for a file that is not a JSON object.

    >>> bert = cost("bert-base-uncased")
    >>> bert.tables, f"{bert.tokens / bert.tables:.1%}", f"{bert.share:.1%}"
    (23835648, '98.3%', '22.2%')
    >>> bert.parameters
    {'tokens': 23440896, 'positions': 393216, 'segments': 1536, 'norm': 1536, 'head': 622650}
    >>> cost({"vocab_size": 10_000, "hidden_size": 512}).bytes["float32"]
    20480000
    """
    return counted(_half(_opened(config), part))


def _opened(config: Mapping[str, Any] | str | os.PathLike[str]) -> Mapping[str, Any]:
    """The config itself, from wherever it stands."""
    if isinstance(config, Mapping):
        return config
    if isinstance(config, str) and config in CATALOGUE:
        return CATALOGUE[config].config
    path = Path(config)
    path = path / "config.json" if path.is_dir() else path
    if not path.is_file():
        raise UsageError(
            f"config {os.fspath(config)!r} is neither a config.json, nor a folder with one, nor a name of the "
            "catalogue; list the names with sorted(rowspace.layers.CATALOGUE)"
        )
    return read_object(path, remedy="give the config.json of a model")


def _half(config: Mapping[str, Any], part: str | None) -> Mapping[str, Any]:
    """The config of one half, if there are halves."""
    halves = {name for name in ("text", "vision") if isinstance(config.get(f"{name}_config"), Mapping)}
    if not halves:
        return config
    if part not in halves:
        raise UsageError(f"part must be one of {', '.join(sorted(halves))} for this config, not {part!r}")
    kind = config.get("model_type", "")
    usual = "gemma3_text" if (kind, part) == ("gemma3", "text") else f"{kind}_{part}_model"
    return {"model_type": usual, **config[f"{part}_config"]}
