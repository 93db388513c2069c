"""The layers of the page's own texts, for where no model can be run: computed once by `scripts/make_contextual.py`."""

import json
from importlib.resources import files
from typing import Any, cast

import numpy as np

from rowspace_lab.pages.contextual.replies import Layers

__all__ = ["FILE", "as_stored", "stored_layers"]

FILE = "stored.json"
DECIMALS = 5


def stored_layers() -> Layers:
    """Return the stored layers.

    >>> stored_layers()["own"].shape
    (7,)
    """
    stored: dict[str, Any] = json.loads(files(__package__).joinpath(FILE).read_text(encoding="utf-8"))
    return cast(Layers, stored["names"] | {name: np.array(value) for name, value in stored["arrays"].items()})


def as_stored(layers: Layers) -> str:
    """Return layers as the text of `FILE`."""
    arrays: dict[str, Any] = {}
    names: dict[str, Any] = {}
    for name, value in layers.items():
        if isinstance(value, np.ndarray):
            arrays[name] = value.round(DECIMALS).tolist()
        else:
            names[name] = value
    return json.dumps({"names": names, "arrays": arrays}) + "\n"
