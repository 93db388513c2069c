"""`ClassifierOptions`: how a classifier is chosen and learned."""

import dataclasses
from typing import Annotated, Literal

from rowspace._base.options import Option
from rowspace.learn.classifier.rows.options import RowsOptions

__all__ = ["ClassifierOptions", "Method"]

Method = Literal["auto", "rows", "ngrams", "vectors"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClassifierOptions(RowsOptions):
    """How a classifier is chosen; the other options are those of learned rows, which "auto" and "rows" use.

    Attributes:
        method: "rows" (fastText's supervised model), "ngrams" (a linear model on TF-IDF of n-grams), "vectors" (a
            linear model on the vectors of a table), or "auto", which chooses by held-out texts between these and
            their averaged probabilities.
        held_out: Share of the texts that "auto" chooses by; the models are then learned again from all texts. With
            fewer than 1,000 texts, each of five parts is held out in turn.
        cost: What an error costs in "ngrams", against the size of weights.
        time_budget: Seconds in which "auto" may try other options too; None tries the given ones only.

    Raises:
        UsageError: A value is invalid; the message names it.

    >>> ClassifierOptions(method="rows").held_out
    0.15
    """

    method: Annotated[
        Method, Option("The model: rows of n-grams, TF-IDF of n-grams, vectors of a table, or what held-out texts say.")
    ] = "auto"
    held_out: Annotated[float, Option("Share of the texts to choose by.", minimum=0.01, maximum=0.9)] = 0.15
    cost: Annotated[float, Option("Cost of an error in a linear model of n-grams.", minimum=1e-6, maximum=1e6)] = 1.0
    time_budget: Annotated[
        float | None,
        Option("Seconds in which to try other options too.", minimum=0.0, maximum=1e7, default="the given ones only"),
    ] = None
    lr: Annotated[float, Option("Learning rate of rows at the start; it falls to 0.", minimum=0.0, maximum=100.0)] = 2.0
    epochs: Annotated[int, Option("Passes over the texts.", minimum=1, maximum=100_000)] = 15
    min_n: Annotated[int, Option("Minimum length of an n-gram of characters.", minimum=0, maximum=1_000)] = 3
    max_n: Annotated[int, Option("Maximum length of an n-gram of characters; 0: none.", minimum=0, maximum=1_000)] = 4
