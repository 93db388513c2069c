"""`FitOptions`: how rows are learned, with word2vec's meanings and, where they are clear, gensim's names."""

import dataclasses
from typing import Annotated, Literal

from rowspace._base.options import Option, validate_options
from rowspace._base.parallel import available_cores
from rowspace.errors import UsageError

__all__ = ["FitOptions"]

DEFAULT_ALPHA = {"skipgram": 0.035, "cbow": 0.1}


@dataclasses.dataclass(frozen=True, kw_only=True)
class FitOptions:
    """How the rows of a table are learned.

    Attributes:
        dim: length of a row.
        model: "skipgram" (a word predicts its neighbors) or "cbow" (the neighbors predict the word).
        window: the most words to each side that count as neighbors.
        shrink_windows: draw each window's size from 1..window, as word2vec does, so that near words weigh more.
        negatives: words drawn as counter-examples for each window, shared by all its pairs. For cbow, three windows in
            a row share theirs, rounded up to a multiple of six.
        ns_exponent: they are drawn in proportion to count ** ns_exponent.
        sample: words more frequent than this share of the text are thinned out; 0 keeps all.
        alpha, min_alpha: the learning rate at the start and at the end, linear between. `alpha=None` takes 0.035 for
            skipgram and 0.1 for cbow, or less where the fit would diverge, as with very wide windows
            (`rowspace.learn.word2vec.rates`); `min_alpha=None` takes 0.3 of alpha.
        epochs: passes over the text.
        cbow_mean: average the neighbors' rows (True) or sum them.
        cbow_gradient: "exact" divides the gradient of an average by the number of its terms (koan, 2020);
            "word2vec" does not, as word2vec.c and gensim.
        subwords: learn character n-grams with the words, so that unseen words get a row: a word's row is the mean of
            its own and its n-grams' (fastText).
        min_n, max_n: the characters of an n-gram, the angle brackets around a word among them.
        buckets: how many rows all n-grams share by hash; only those that the vocabulary uses take memory.
        workers: threads; `None` takes all cores. One worker is repeatable to the bit; several are not.
        seed: of the first rows, of the order of the text and of everything drawn.

    Raises:
        UsageError: a value that cannot work; the message names it.

    >>> FitOptions(dim=50).window
    5
    """

    dim: Annotated[int, Option("Length of a row.", minimum=1, maximum=65_536)] = 100
    model: Annotated[
        Literal["skipgram", "cbow"], Option("Predict neighbors from a word, or the word from its neighbors.")
    ] = "skipgram"
    epochs: Annotated[int, Option("Passes over the text.", minimum=1, maximum=100_000)] = 5
    window: Annotated[int, Option("The most words to each side that count as neighbors.", minimum=1, maximum=1_000)] = 5
    shrink_windows: Annotated[
        bool,
        Option(
            "Draw each window's size, so that near words weigh more.",
            default="shrink",
            flags="--shrink-windows/--fixed-windows",
        ),
    ] = True
    negatives: Annotated[int, Option("Counter-examples drawn for each window.", minimum=1, maximum=1_000)] = 5
    ns_exponent: Annotated[
        float, Option("Draw negatives in proportion to count to this power.", minimum=-10.0, maximum=10.0)
    ] = 0.75
    sample: Annotated[
        float, Option("Thin out words more frequent than this share; 0 keeps all.", minimum=0.0, maximum=1.0)
    ] = 1e-3
    alpha: Annotated[
        float | None, Option("Learning rate at the start.", minimum=0.0, maximum=10.0, default="0.035; cbow 0.1")
    ] = None
    min_alpha: Annotated[
        float | None, Option("Learning rate at the end.", minimum=0.0, maximum=10.0, default="0.3 of alpha")
    ] = None
    cbow_mean: Annotated[
        bool, Option("Average the neighbors' rows, or sum them.", default="mean", flags="--cbow-mean/--cbow-sum")
    ] = True
    cbow_gradient: Annotated[Literal["exact", "word2vec"], Option("The true gradient, or that of word2vec.c.")] = (
        "exact"
    )
    subwords: Annotated[
        bool,
        Option(
            "Learn character n-grams too, so that unseen words get a row.", default="words only", flags="--subwords"
        ),
    ] = False
    min_n: Annotated[int, Option("The fewest characters of an n-gram.", minimum=1, maximum=1_000)] = 3
    max_n: Annotated[int, Option("The most characters of an n-gram.", minimum=1, maximum=1_000)] = 6
    buckets: Annotated[int, Option("Rows that all n-grams share by hash.", minimum=1, maximum=100_000_000)] = 2_000_000
    workers: Annotated[
        int | None, Option("Threads; 1 is repeatable to the bit.", minimum=1, maximum=1_024, default="all cores")
    ] = None
    seed: Annotated[int, Option("Of all that is random.", minimum=0, maximum=2**63 - 1)] = 1

    def __post_init__(self) -> None:
        validate_options(self)
        first, last = self.learning_rates
        if last > first:
            raise UsageError(
                f"min_alpha, the learning rate at the end, must not exceed alpha, the one at the start, but "
                f"{last:g} > {first:g}"
            )
        if self.min_n > self.max_n:
            raise UsageError(f"min_n must not exceed max_n, but {self.min_n} > {self.max_n}")

    @property
    def learning_rates(self) -> tuple[float, float]:
        """The learning rate at the start and at the end."""
        start = DEFAULT_ALPHA[self.model] if self.alpha is None else self.alpha
        return start, 0.3 * start if self.min_alpha is None else self.min_alpha

    @property
    def threads(self) -> int:
        """How many workers learn at once."""
        return self.workers or available_cores()
