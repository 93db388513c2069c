"""`TuneOptions`: how a table is tuned."""

import dataclasses
from typing import Annotated, TypedDict

from rowspace._base.options import Option, Seed, validate_options

__all__ = ["TuneKeywords", "TuneOptions"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class TuneOptions:
    """How the rows of a table are tuned.

    Attributes:
        epochs: Passes over the pairs.
        batch_size: Pairs in a step; the other positives of a batch are the negatives of a query.
        lr: Learning rate at the start, relative to the root mean square of the table's numbers; it falls to 0.
        scale: Cosines are multiplied by this before the softmax.
        smallest: The first columns, halved from all of them down to this many, are trained to work alone (Matryoshka
            representation learning, Kusupati et al. 2022).
        held_out: The share of the pairs that is not learned from, to measure recall.
        seed: Seed of the held-out pairs and of the order of the others.

    Raises:
        UsageError: A value is invalid; the message names it.

    >>> TuneOptions(epochs=3).batch_size
    256
    """

    epochs: Annotated[int, Option("Passes over the pairs.", minimum=1, maximum=100_000)] = 3
    batch_size: Annotated[int, Option("Pairs in a step.", minimum=2, maximum=65_536)] = 256
    lr: Annotated[
        float,
        Option("Learning rate, relative to the root mean square of the table's numbers.", minimum=0.0, maximum=10.0),
    ] = 0.05
    scale: Annotated[float, Option("Cosines are multiplied by this.", minimum=0.01, maximum=1000.0)] = 20.0
    smallest: Annotated[
        int, Option("Train the leading columns, halved down to this many, to work alone.", minimum=1, maximum=65_536)
    ] = 32
    held_out: Annotated[float, Option("Share of the pairs held out for the measurement.", minimum=0.0, maximum=0.9)] = (
        0.1
    )
    seed: Seed = 1

    def __post_init__(self) -> None:
        validate_options(self)


class TuneKeywords(TypedDict, total=False):
    """The options of `tune`, for type checkers; `shows_options` lists them at run time."""

    epochs: int
    batch_size: int
    lr: float
    scale: float
    smallest: int
    held_out: float
    seed: int
