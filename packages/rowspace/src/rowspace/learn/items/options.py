"""`ItemOptions` and `BasketOptions`: how rows of items are learned, and how baskets and events are read."""

import dataclasses
from typing import Annotated, Literal, TypedDict

from rowspace._base.options import Option, Seed, validate_options
from rowspace._base.parallel import available_cores
from rowspace.errors import UsageError

__all__ = ["OPTIONS_OF", "BasketKeywords", "BasketOptions", "ItemKeywords", "ItemOptions"]

DEFAULT_EPOCHS = {"item2vec": 30, "als": 15, "two-tower": 10}

OPTIONS_OF = {
    "item2vec": ("algorithm", "window", "negatives", "ns_exponent", "sample", "deterministic"),
    "als": ("confidence", "regularization"),
    "two-tower": ("batch_size", "lr", "temperature"),
}
"""The options that only one model has."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class ItemOptions:
    """How rows of items, and of users, are learned.

    Attributes:
        model: "als" (matrix factorization of implicit feedback, Hu, Koren & Volinsky 2008), "item2vec" (Barkan &
            Koenigstein 2016) or "two-tower" (Yi et al. 2019), which needs PyTorch.
        dim: Length of a row.
        epochs: Passes over the interactions; `None` is 15 for als, 30 for item2vec and 10 for two-tower.
        confidence: als: an item that a user has n times weighs 1 + confidence * n, any other item 1.
        regularization: als: weight of the squared norms of the rows.
        algorithm: item2vec: "cbow" (the mean of the others of a basket predicts an item) or "skipgram" (an item
            predicts each other one).
        window: item2vec: Items on each side; baskets with more than window + 1 items are shuffled in each epoch.
        negatives: item2vec: Negative samples per item.
        ns_exponent: item2vec: Negatives are drawn in proportion to count ** ns_exponent.
        sample: item2vec: Items with a relative frequency above this are downsampled; 0 keeps all.
        batch_size: two-tower: Pairs in a step; the items of the other pairs are the negatives of a user.
        lr: two-tower: Learning rate at the start; it falls to 0.
        temperature: two-tower: Cosines are divided by this before the softmax.
        workers: Threads; `None` uses all cores. The rows of als are the same with any number, those of item2vec are
            reproducible with one, or with `deterministic`.
        deterministic: item2vec: Learn the same rows with any number of workers, as `fit` does.
        seed: Seed of all random numbers.

    Raises:
        UsageError: A value is invalid; the message names it.

    >>> ItemOptions(model="item2vec").passes
    30
    """

    model: Annotated[
        Literal["als", "item2vec", "two-tower"],
        Option(
            "Factorize the matrix of users and items, predict the items of a basket from the others, or two towers."
        ),
    ] = "als"
    dim: Annotated[int, Option("Length of a row.", minimum=1, maximum=4_096)] = 64
    epochs: Annotated[
        int | None, Option("Passes.", minimum=1, maximum=100_000, default="als 15; item2vec 30; two-tower 10")
    ] = None
    confidence: Annotated[
        float, Option("als: how much more an item of a user weighs than any other.", minimum=0.0, maximum=1e6)
    ] = 40.0
    regularization: Annotated[
        float, Option("als: weight of the squared norms of the rows.", minimum=0.0, maximum=1e9)
    ] = 10.0
    algorithm: Annotated[
        Literal["cbow", "skipgram"], Option("item2vec: predict an item from the others, or each other one from it.")
    ] = "cbow"
    window: Annotated[int, Option("item2vec: items on each side.", minimum=1, maximum=1_000)] = 50
    negatives: Annotated[int, Option("item2vec: negative samples per item.", minimum=1, maximum=1_000)] = 5
    ns_exponent: Annotated[
        float, Option("item2vec: draw negatives in proportion to count to this power.", minimum=-10.0, maximum=10.0)
    ] = 0.75
    sample: Annotated[
        float, Option("item2vec: downsample items with a higher relative frequency.", minimum=0.0, maximum=1.0)
    ] = 0.0
    batch_size: Annotated[int, Option("two-tower: pairs in a step.", minimum=2, maximum=65_536)] = 1_024
    lr: Annotated[float, Option("two-tower: learning rate at the start.", minimum=0.0, maximum=10.0)] = 0.01
    temperature: Annotated[float, Option("two-tower: cosines are divided by this.", minimum=0.001, maximum=1_000.0)] = (
        0.1
    )
    workers: Annotated[int | None, Option("Threads.", minimum=1, maximum=1_024, default="all cores")] = None
    deterministic: Annotated[
        bool,
        Option(
            "item2vec: the same rows with any number of workers.", default="depend on workers", flags="--deterministic"
        ),
    ] = False
    seed: Seed = 1

    def __post_init__(self) -> None:
        validate_options(self)

    @property
    def passes(self) -> int:
        """The number of epochs."""
        return self.epochs or DEFAULT_EPOCHS[self.model]

    @property
    def threads(self) -> int:
        """The number of workers."""
        return self.workers or available_cores()


class BasketKeywords(TypedDict, total=False):
    """The options of `read_interactions`, for type checkers; `shows_options` lists them at run time."""

    user_column: str
    item_column: str
    time_column: str | None
    weight_column: str | None
    separator: str
    gap: float | None
    min_count: int


class ItemKeywords(BasketKeywords, total=False):
    """The options of `fit_items`, for type checkers; `shows_options` lists them at run time."""

    model: Literal["als", "item2vec", "two-tower"]
    dim: int
    epochs: int | None
    confidence: float
    regularization: float
    algorithm: Literal["cbow", "skipgram"]
    window: int
    negatives: int
    ns_exponent: float
    sample: float
    batch_size: int
    lr: float
    temperature: float
    workers: int | None
    deterministic: bool
    seed: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class BasketOptions:
    r"""How baskets and events are read.

    Attributes:
        user_column, item_column: The columns of events with the names of users and of items.
        time_column: That with their times: seconds, or dates in ISO 8601; needed for `gap` only. `None` is "time".
        weight_column: That with their weights, such as counts; `None` gives each event the weight 1.
        separator: What stands between the items of a line of a file of baskets.
        gap: With it, a user's events are divided into sessions, where none is later than the one before by more than
            this many seconds, and each session is a basket: "anna/1", "anna/2", ...
        min_count: Items in fewer baskets are left out.

    Raises:
        UsageError: A value is invalid; the message names it.

    >>> BasketOptions(separator=",").min_count
    1
    """

    user_column: Annotated[str, Option("Column of events with the users.")] = "user"
    item_column: Annotated[str, Option("Column of events with the items.")] = "item"
    time_column: Annotated[
        str | None, Option("Column of events with times, for --gap: seconds, or ISO dates.", default="time")
    ] = None
    weight_column: Annotated[
        str | None, Option("Column of events with weights, such as counts.", default="none; each weighs 1")
    ] = None
    separator: Annotated[str, Option("Between the items of a line of baskets.", default="a tab")] = "\t"
    gap: Annotated[
        float | None,
        Option("Seconds without an event that end a session.", minimum=0.0, maximum=1e12, default="no sessions"),
    ] = None
    min_count: Annotated[int, Option("Leave out items in fewer baskets.", minimum=1, maximum=1_000_000_000)] = 1

    def __post_init__(self) -> None:
        validate_options(self)
        for name in ("user_column", "item_column", "separator"):
            if not isinstance(getattr(self, name), str) or not getattr(self, name):
                raise UsageError(f"{name} must be text of at least one character, not {getattr(self, name)!r}")
        if "\n" in self.separator:
            raise UsageError("separator must not have a line break, which ends a basket")
