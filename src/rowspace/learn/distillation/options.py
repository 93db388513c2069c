"""`DistillOptions`: how a model is distilled."""

import dataclasses
from typing import Annotated, Literal

from rowspace._base.options import Option, validate_options

__all__ = ["DistillOptions"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class DistillOptions:
    """How the rows of a table are made from a model.

    Attributes:
        dim: Length of a row, at most that of the model's vectors; None is 256, or less for a narrower model.
        sif: The constant a of the weights a / (a + p), where p is the probability of a token; 0 gives no weights.
        pooling: How the model's vectors of a token, with its special tokens, become one; None is the model's own
            pooling (1_Pooling/config.json), or the mean if it has none.
        min_count: Add a word of the corpus to the tokens if it occurs this often.
        max_words: Add at most so many words of the corpus, the most frequent ones.
        batch_size: Tokens that the model reads at a time.

    Raises:
        UsageError: A value is invalid; the message names it.

    >>> DistillOptions(dim=64).sif
    0.0001
    """

    dim: Annotated[
        int | None, Option("Length of a row.", minimum=1, maximum=65_536, default="256, or the model's if shorter")
    ] = None
    sif: Annotated[
        float, Option("The constant a of the weights a / (a + p); 0 gives no weights.", minimum=0.0, maximum=1.0)
    ] = 1e-4
    pooling: Annotated[
        Literal["mean", "first", "last", "max"] | None,
        Option("How the model's vectors of a token become one.", default="the model's own, or mean"),
    ] = None
    min_count: Annotated[
        int, Option("Add a word of the corpus if it occurs this often.", minimum=1, maximum=2**63 - 1)
    ] = 10
    max_words: Annotated[int, Option("Add at most so many words of the corpus.", minimum=0, maximum=10_000_000)] = (
        50_000
    )
    batch_size: Annotated[int, Option("Tokens that the model reads at a time.", minimum=1, maximum=65_536)] = 256

    def __post_init__(self) -> None:
        validate_options(self)
