"""Recipe of a published model's input: how it is built, and the names in its config and checkpoint."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from torch import nn

from rowspace.errors import UsageError

Config = Mapping[str, Any]
TensorNames = Mapping[str, str | tuple[str, ...]]


@dataclass(frozen=True)
class Recipe:
    """One family of models.

    - `build`: the recipe itself.
    - `arguments`: config.json → arguments of `build`; what the config leaves out keeps the default of `build`.
    - `tensors`: our names of parameters → how names end in the checkpoint; of several endings the first that is there.
    """

    build: Callable[..., nn.Module]
    arguments: Callable[[Config], dict[str, Any]]
    tensors: TensorNames


def pick_renamed(config: Config, **names: str | tuple[str, ...]) -> dict[str, Any]:
    """`{ours: config[theirs]}` for each `ours=theirs` that the config has; of several names the first that it has.

    Raises `UsageError` for a value that is neither a number nor null, nor two of them for height and width.

    >>> pick_renamed({"n_embd": 8, "pad_token_id": None}, dim=("hidden_size", "n_embd"), pad="pad_token_id", eps="eps")
    {'dim': 8, 'pad': None}
    """
    found: dict[str, Any] = {}
    for ours, theirs in names.items():
        for name in (theirs,) if isinstance(theirs, str) else theirs:
            if name in config:
                found[ours] = _number(name, config[name])
                break
    return found


def _number(name: str, value: Any) -> float | tuple[int, int] | None:
    """A number or null as it is, [height, width] as a tuple."""
    if isinstance(value, list) and len(value) == 2 and all(isinstance(side, int) for side in value):
        return value[0], value[1]
    if value is not None and not isinstance(value, (int, float)):
        raise UsageError(f"the config's {name} is {value!r}, but must be a number; restore the config.json")
    return value
