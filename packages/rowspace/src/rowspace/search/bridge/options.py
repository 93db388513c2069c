"""`BridgeOptions`: how a bridge is learned."""

from dataclasses import dataclass
from typing import Annotated, Literal

from rowspace._base.options import Option, validate_options

__all__ = ["BridgeKind", "BridgeOptions"]

BridgeKind = Literal["auto", "orthogonal", "linear", "low-rank", "mlp"]


@dataclass(frozen=True)
class BridgeOptions:
    """How a bridge is learned.

    Attributes:
        sample: The maximum number of passages that are learned from.
        held_out: The maximum number of held-out passages for the recall; half as many select the map.
        kind: The kind of map; "auto" learns all and keeps the one with the best recall. An "mlp" needs scikit-learn
            (`rowspace[analysis]`); if it is missing, "auto" skips it.
        seed: Seed of the sample.

    >>> BridgeOptions(sample=1)
    Traceback (most recent call last):
    rowspace.errors.UsageError: sample must be a whole number from 100 to 10,000,000, not 1
    """

    sample: Annotated[int, Option("Maximum number of passages to learn from.", minimum=100, maximum=10_000_000)] = (
        10_000
    )
    held_out: Annotated[
        int, Option("Maximum number of held-out passages for the recall.", minimum=20, maximum=1_000_000)
    ] = 1_000
    kind: Annotated[
        BridgeKind,
        Option("The map; auto learns all and keeps the one with the best recall; mlp needs rowspace[analysis]."),
    ] = "auto"
    seed: Annotated[int, Option("Seed of the sample.", minimum=0, maximum=2**63 - 1)] = 0

    def __post_init__(self) -> None:
        validate_options(self)
