"""`DistillOptions`: how a model is distilled."""

import dataclasses
from typing import Annotated, Literal, TypedDict

from rowspace._base.options import Option, validate_options

__all__ = ["DistillKeywords", "DistillOptions"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class DistillOptions:
    """How the rows of a table are made from a model.

    Attributes:
        dim: Length of a row, at most that of the model's vectors; None is 256, or less for a narrower model.
        sif: The constant a of the weights a / (a + p), where p is the probability of a token; 0 turns the weights off.
        pooling: Pooling of the model's vectors of a token and of the special tokens around it; None is the model's own
            (1_Pooling/config.json), or the mean if it has none.
        min_count: Minimum count of a word of the corpus to be added to the tokens.
        max_words: Maximum number of words of the corpus to add, the most frequent ones.
        batch_size: Tokens per batch.

    Raises:
        UsageError: A value is invalid; the message names it.

    >>> DistillOptions(dim=64).sif
    0.0001
    """

    dim: Annotated[
        int | None, Option("Length of a row.", minimum=1, maximum=65_536, default="256, or the model's if shorter")
    ] = None
    sif: Annotated[
        float, Option("The constant a of the weights a / (a + p); 0 turns the weights off.", minimum=0.0, maximum=1.0)
    ] = 1e-4
    pooling: Annotated[
        Literal["mean", "first", "last", "max"] | None,
        Option("Pooling of the model's vectors of a token.", default="the model's own, or mean"),
    ] = None
    min_count: Annotated[
        int, Option("Minimum count of a word of the corpus to be added.", minimum=1, maximum=2**63 - 1)
    ] = 10
    max_words: Annotated[
        int, Option("Maximum number of words of the corpus to add.", minimum=0, maximum=10_000_000)
    ] = 50_000
    batch_size: Annotated[int, Option("Tokens per batch.", minimum=1, maximum=65_536)] = 256

    def __post_init__(self) -> None:
        validate_options(self)


class DistillKeywords(TypedDict, total=False):
    """The options of `distill`, for type checkers; `shows_options` lists them at run time."""

    dim: int | None
    sif: float
    pooling: Literal["mean", "first", "last", "max"] | None
    min_count: int
    max_words: int
    batch_size: int
