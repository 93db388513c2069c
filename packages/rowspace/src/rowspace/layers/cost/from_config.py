"""The cost of a model's input and head, computed from its config: `cost`. Nothing is built or loaded."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from rowspace.errors import UsageError
from rowspace.files.strict_json import read_object
from rowspace.layers.cost.catalogue import CATALOGUE
from rowspace.layers.cost.counts import Cost
from rowspace.layers.cost.families import config_cost


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
