"""Config → cost, by the family of its model type: `config_cost`."""

from collections.abc import Mapping
from typing import Any

from rowspace.errors import UsageError
from rowspace.layers.cost.counts import Cost
from rowspace.layers.cost.defaults import DEFAULTS
from rowspace.layers.cost.images import IMAGES
from rowspace.layers.cost.text import TEXT

FAMILIES = TEXT | IMAGES


def config_cost(config: Mapping[str, Any]) -> Cost:
    """The cost of the config of one tower; raises `UsageError` for an unknown model type or a missing size."""
    model_type = config.get("model_type", "")
    if model_type not in FAMILIES:
        known = ", ".join(sorted(filter(None, FAMILIES)))
        raise UsageError(
            f"model_type must be one of {known}, not {model_type!r}; omit it to count only the token table and its head"
        )
    try:
        return FAMILIES[model_type]({**DEFAULTS.get(model_type, {}), **config})
    except KeyError as error:
        raise UsageError(f"config must have {error.args[0]!r}, but has {', '.join(config) or 'nothing'}") from None
