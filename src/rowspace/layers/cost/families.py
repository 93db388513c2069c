"""A config → its count, by the family that its model type names: `counted`."""

from collections.abc import Mapping
from typing import Any

from rowspace.errors import UsageError
from rowspace.layers.cost.counts import Cost
from rowspace.layers.cost.defaults import DEFAULTS
from rowspace.layers.cost.images import IMAGES
from rowspace.layers.cost.text import TEXT

FAMILIES = TEXT | IMAGES


def counted(config: Mapping[str, Any]) -> Cost:
    """The count of a config of one tower; see `cost.cost`, which opens it, for what it may be and what is raised."""
    model_type = config.get("model_type", "")
    if model_type not in FAMILIES:
        known = ", ".join(sorted(filter(None, FAMILIES)))
        raise UsageError(
            f"model_type must be one of {known}, not {model_type!r}; leave it out to count the token table and its "
            "head alone"
        )
    try:
        return FAMILIES[model_type]({**DEFAULTS.get(model_type, {}), **config})
    except KeyError as error:
        raise UsageError(f"config must have {error.args[0]!r}, but has {', '.join(config) or 'nothing'}") from None
