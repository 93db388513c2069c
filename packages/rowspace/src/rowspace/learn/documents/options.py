"""`DocumentOptions`: how rows of documents are learned."""

import dataclasses
from typing import Annotated, TypedDict

from rowspace._base.options import Dim, Option, Seed, Workers, validate_options
from rowspace.errors import UsageError
from rowspace.learn.options import FitOptions

__all__ = ["DocumentKeywords", "DocumentOptions"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class DocumentOptions:
    """How rows of documents are learned.

    Attributes:
        dim: Length of a row.
        epochs: Passes over the documents.
        negatives: Negative samples per word.
        ns_exponent: Negatives are drawn in proportion to count ** ns_exponent.
        sample: Words with a relative frequency above this are downsampled; 0 keeps all.
        alpha, min_alpha: Learning rate at the start and at the end, linear in between.
        min_count: Leave out rarer words.
        cased: Keep case.
        workers: Threads; `None` uses all cores. Results of one worker are reproducible, those of several are not.
        seed: Seed of the initial rows and of all sampling.

    Raises:
        UsageError: A value is invalid; the message names it.

    >>> DocumentOptions(dim=50).epochs
    20
    """

    dim: Dim = 100
    epochs: Annotated[int, Option("Passes over the documents.", minimum=1, maximum=100_000)] = 20
    negatives: Annotated[int, Option("Negative samples per word.", minimum=1, maximum=1_000)] = 5
    ns_exponent: Annotated[
        float, Option("Draw negatives in proportion to count to this power.", minimum=-10.0, maximum=10.0)
    ] = 0.75
    sample: Annotated[
        float, Option("Downsample words with a higher relative frequency; 0 keeps all.", minimum=0.0, maximum=1.0)
    ] = 1e-3
    alpha: Annotated[float, Option("Learning rate at the start.", minimum=0.0, maximum=10.0)] = 0.1
    min_alpha: Annotated[float, Option("Learning rate at the end.", minimum=0.0, maximum=10.0)] = 0.001
    min_count: Annotated[int, Option("Leave out rarer words.", minimum=1, maximum=2**63 - 1)] = 2
    cased: Annotated[bool, Option("Keep case.", default="lowercase all", flags="--cased")] = False
    workers: Workers = None
    seed: Seed = 1

    def __post_init__(self) -> None:
        validate_options(self)
        if self.min_alpha > self.alpha:
            raise UsageError(
                "min_alpha, the learning rate at the end, must not exceed alpha, the learning rate at the start; got "
                f"{self.min_alpha:g} > {self.alpha:g}"
            )

    def for_kernels(self) -> FitOptions:
        """Return the options in the form that the kernels' arrays are made from: skip-gram, one thread."""
        return FitOptions(
            dim=self.dim,
            negatives=self.negatives,
            ns_exponent=self.ns_exponent,
            sample=self.sample,
            window=1,
            workers=1,
            seed=self.seed,
        )


class DocumentKeywords(TypedDict, total=False):
    """The options of `fit_documents`, for type checkers; `shows_options` lists them at run time."""

    dim: int
    epochs: int
    negatives: int
    ns_exponent: float
    sample: float
    alpha: float
    min_alpha: float
    min_count: int
    cased: bool
    workers: int | None
    seed: int
