"""`RowsOptions`: how rows are learned, as in fastText; `ClassifierOptions`: also how a classifier is chosen."""

import dataclasses
from typing import Annotated, Literal

from rowspace._base.options import Dim, Option, Seed, Workers, validate_options
from rowspace._base.parallel import available_cores
from rowspace.errors import UsageError

__all__ = ["ClassifierOptions", "Loss", "Method", "RowsOptions"]

Loss = Literal["softmax", "hierarchical", "negative", "one-vs-all"]
Method = Literal["auto", "rows", "ngrams", "vectors"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class RowsOptions:
    """How rows of words and n-grams are learned together with labels (Joulin et al. 2017).

    Attributes:
        dim: Length of a row.
        epochs: Passes over the texts.
        lr: Learning rate at the start; it falls to 0.
        word_ngrams: Maximum number of words of an n-gram of words; 1 has none.
        min_n, max_n: Lengths of n-grams of characters, including the angle brackets around a word; `max_n=0` has none.
        buckets: Number of rows that n-grams share by hash; only buckets that the texts use take memory.
        min_count: Words that are less frequent are left out.
        loss: "softmax"; "hierarchical" (softmax by a Huffman tree, for thousands of labels); "negative" (sampling); or
            "one-vs-all", where each label has a probability of its own, as texts with several labels need.
        negatives: Negative samples for a text, of the loss "negative".
        patience: Hold out a tenth of the texts, stop when their loss has not fallen for this many epochs, and keep the
            best epoch; 0 learns all epochs from all texts.
        workers: Threads; `None` uses all cores. Results of one worker are reproducible, those of several are not.
        seed: Seed of the initial rows and of the order of the texts.

    Raises:
        UsageError: A value is invalid; the message names it.

    >>> RowsOptions(epochs=5).word_ngrams
    2
    """

    dim: Dim = 100
    epochs: Annotated[int, Option("Passes over the texts.", minimum=1, maximum=100_000)] = 25
    lr: Annotated[float, Option("Learning rate at the start; it falls to 0.", minimum=0.0, maximum=100.0)] = 0.5
    word_ngrams: Annotated[int, Option("Maximum number of words of an n-gram.", minimum=1, maximum=100)] = 2
    min_n: Annotated[int, Option("Minimum length of an n-gram of characters.", minimum=0, maximum=1_000)] = 2
    max_n: Annotated[int, Option("Maximum length of an n-gram of characters; 0: none.", minimum=0, maximum=1_000)] = 5
    buckets: Annotated[int, Option("Number of rows that n-grams share by hash.", minimum=1, maximum=100_000_000)] = (
        2_000_000
    )
    min_count: Annotated[int, Option("Leave out words that are less frequent.", minimum=1, maximum=2**31 - 1)] = 1
    loss: Annotated[Loss, Option("What is minimized; one-vs-all allows several labels of a text.")] = "softmax"
    negatives: Annotated[int, Option("Negative samples for a text.", minimum=1, maximum=1_000)] = 5
    patience: Annotated[
        int,
        Option("Stop after this many epochs without progress on held-out texts; 0: never.", minimum=0, maximum=100_000),
    ] = 0
    workers: Workers = None
    seed: Seed = 1

    def __post_init__(self) -> None:
        validate_options(self)
        if self.max_n and self.min_n > self.max_n:
            raise UsageError(f"min_n must not exceed max_n, got {self.min_n} > {self.max_n}")

    @property
    def threads(self) -> int:
        """The number of workers."""
        return self.workers or available_cores()


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClassifierOptions(RowsOptions):
    """How a classifier is chosen; the other options are those of learned rows, which "auto" and "rows" use.

    Attributes:
        method: "rows" (fastText's supervised model), "ngrams" (a linear model on TF-IDF of n-grams), "vectors" (a
            linear model on the vectors of a table), or "auto", which chooses by held-out texts between these and
            their averaged probabilities.
        held_out: Share of the texts that "auto" chooses by, at most 10,000 texts; unless they are 2 % or less, the
            models are then learned again from all texts. With fewer than 1,000 texts, each of five parts is held out
            in turn.
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
